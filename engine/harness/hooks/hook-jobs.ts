import type { HookEvent, HookEventName } from '#contract';
import type { RegisteredHook, Registry } from '../../extensions/types.ts';
import { hookJob } from '../../record/jobs/job-kinds.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import type { Stores } from '../../storage/ports/store.ts';
import type { NewJob } from '../../storage/types/jobs.ts';

export type Hooks = Pick<Registry<RegisteredHook>, 'all' | 'get' | 'size'>;

const hears = ({ definition, failure, silenced }: RegisteredHook, name: HookEventName): boolean =>
  definition.on?.includes(name) === true && (failure?.() ?? silenced?.() ?? null) === null;

/** Whether any hook listens to one of these. */
export const isHeard = (hooks: Hooks, names: readonly HookEventName[]): boolean =>
  hooks.all().some((hook) => names.some((name) => hears(hook, name)));

/**
 * One job for each hook that listens, to be committed with what the event tells of: none is lost, none changes it.
 * `about` tells two events of one name apart, such as the run's id.
 */
export const hookJobs = (hooks: Hooks, event: HookEvent, about: string, now: number): readonly NewJob[] =>
  hooks
    .all()
    .filter((hook) => hears(hook, event.name))
    .map(({ name }) =>
      hookJob.job({ id: `hook:${name}:${event.name}:${about}`, due_at: now, payload: { hook: name, event } }),
    );

/** What the ids of all jobs of that hook begin with. Names of extensions have no colon. Pure. */
export const groupOfHookJob = (id: string): string => `${id.split(':', 2).join(':')}:`;

/**
 * Tells hooks that the gateway has started, or that it is about to stop, which they may hear at its next start. Such an
 * event is nobody's, so its jobs are kept with the first persona.
 */
export async function tellOfGateway(
  name: 'gateway_started' | 'gateway_stopping',
  deps: {
    readonly hooks: Hooks;
    readonly stores: Stores;
    readonly announce: Announce;
    /** The first persona that can take mail; undefined where there is none. */
    readonly keeper: string | undefined;
    readonly instance: string;
    readonly pid: number;
    readonly now: number;
  },
): Promise<void> {
  const { hooks, stores, announce, keeper, instance, pid, now } = deps;
  if (keeper === undefined || !isHeard(hooks, [name])) return;
  const jobs = hookJobs(hooks, { name, persona: null, runId: null, data: { pid } }, instance, now);
  await announce(keeper, now, () => stores.use(keeper, (store) => store.addJobs(jobs)));
}
