import type { Announce } from '../../record/announce.ts';
import type { Stores } from '../../storage/ports/store.ts';
import { type Hooks, hookJobs, isHeard } from './hook-jobs.ts';

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
