import type { Turn } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { epistle } from './gateway.ts';
import { type Office, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

/** A task file as a person would write it. */
export const taskFile = (schedule: string, prompt: string, ...more: string[]): string =>
  `---\n${[`schedule: ${schedule}`, ...more].join('\n')}\n---\n${prompt}\n`;

export interface TaskOffice extends Office {
  readonly model: FakeModel;
  /** What became of each due time, oldest first. */
  history(
    task?: string,
  ): Promise<
    { task: string; due_at: string; state: string; code: string | null; delivery: string; run_id: string | null }[]
  >;
  closeAll(): Promise<void>;
}

/**
 * A gateway whose clock starts at `now`, whose first persona has these tasks, and a model that follows `plan`. Commands
 * have the same clock, behind by as long as the gateway takes to start: what they queue is due at once on any day.
 */
export async function openTaskOffice(options: {
  now: string;
  tasks: Readonly<Record<string, string>>;
  plan?: (prompt: string, turn: number, count: number, model: string) => Turn;
  files?: Readonly<Record<string, string | object>>;
  environment?: Readonly<Record<string, string>>;
}): Promise<TaskOffice> {
  const { plan = () => ({ text: 'Done.' }) } = options;
  const model = await startFakeModel('openai', ({ view }, count) => plan(view.lastUser, view.turn, count, view.model));
  const named = Object.entries(options.tasks).map(([name, text]) => [`personas/ada/tasks/${name}.md`, text]);
  const clockAt = (ms: number) => ({ NODE_ENV: 'test', EPISTLE_TEST_NOW: new Date(ms).toISOString() });
  const startsAt = Date.parse(options.now);
  const started = { at: Date.now() };
  const office = await openOffice(
    {
      'configs/inference.json': { provider: 'steady', model: 'm' },
      'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
      ...STEADY,
      ...Object.fromEntries(named),
      ...options.files,
    },
    { ...clockAt(startsAt), ...options.environment },
    (root, args, stdin) => epistle(root, args, stdin, clockAt(startsAt + Date.now() - started.at)),
  );
  started.at = Date.now();
  return {
    ...office,
    model,
    history: async (task) =>
      (await office.cli('tasks', 'history', ...(task ? [`ada/${task}`] : []))).json.history.toReversed(),
    async closeAll() {
      await office.close();
      await model.stop();
    },
  };
}
