import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { type Office, OWNER, openOffice } from '../governance-rig.ts';
import { STEADY } from '../workspace.ts';

/** What the model says in its turns, from the results that it got so far. */
export type Says = (turn: number, lastUser: string, results: readonly string[]) => Turn;
/** The same, by all that the model was sent. */
export type Hears = (...said: [...Parameters<Says>, heard: HeardRequest]) => Turn;

export interface Modelled {
  readonly office: Office;
  readonly model: FakeModel;
  /** Puts a file of somebody else into Ada's folder. */
  put(path: string, content: string): void;
  /** What the model was told of its calls, all of it. */
  told(): string;
  /** A file of hers; null when there is none. */
  read(path: string): string | null;
  close(): Promise<void>;
}

/** A gateway whose personas ask a model that speaks a vendor's protocol and says what the test wants. */
export async function openModelled(
  says: Hears,
  files: Readonly<Record<string, string | object>> = {},
  /** As `extensions.json` lists them, beside those of the files. */
  tools: readonly object[] = [],
  hooks: readonly string[] = [],
): Promise<Modelled> {
  const model = await startFakeModel('openai', (heard) => {
    const { turn, lastUser, results } = heard.view;
    return says(
      turn,
      lastUser,
      results.map(({ content }) => content),
      heard,
    );
  });
  const office = await openOffice({
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': {
      providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
      // Tools of the workspace are off unless they are listed.
      tools: [
        ...Object.keys(files).flatMap((path) => /^extensions\/tools\/(\w+)\/manifest\.json$/.exec(path)?.[1] ?? []),
        ...tools,
      ],
      hooks,
    },
    ...STEADY,
    ...files,
  });
  const pathOf = (path: string) => join(office.root, 'data/personas/ada/files', path);
  return {
    office,
    model,
    put(path, content) {
      mkdirSync(dirname(pathOf(path)), { recursive: true });
      writeFileSync(pathOf(path), content);
    },
    told: () => model.requests.flatMap(({ view }) => view.results.map(({ content }) => content)).join('\n'),
    read(path) {
      try {
        return readFileSync(pathOf(path), 'utf8');
      } catch {
        return null;
      }
    },
    async close() {
      await office.close();
      await model.stop();
    },
  };
}

/** Calls in the first turn, then a text that claims nothing. */
export const doing =
  (...calls: NonNullable<Turn['calls']>): Says =>
  (turn) =>
    turn === 0 ? { calls } : { text: 'Thank you for your mail.' };
