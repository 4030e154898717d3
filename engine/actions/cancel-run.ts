import type { Persona } from '../config/types.ts';
import { type CancelDeps, endCancelled, SEIZED_MS } from '../harness/cancelled.ts';
import { localDay } from '../lib/schedule/zone.ts';
import { FencedError } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import { RUN_CANCELLED } from '../storage/types/approvals.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import { decideApprovals } from './approvals.ts';
import { actRow } from './on-record.ts';
import type { ActionPorts } from './ports.ts';

const LOOK_MS = 50;
const LOOKS = 200;

/** `ended`: it is over, and asks nothing. `answered`: it is over, and what it still asked is not asked any more. */
export type Cancelled = StoredRun | 'not_found' | 'ended' | { readonly answered: StoredRun; readonly asked: number };

type Deps = CancelDeps & ActionPorts;
interface Wanted {
  readonly persona: Persona;
  readonly store: Store;
  readonly id: string;
  readonly by: string;
}

/**
 * Ends a run that is not over: whoever works on it is cut off within a moment, and its sender is told once. A gateway
 * that is running may see the seized run first and end it in our place; then its row is waited for. One that has answered
 * and still asks is as it was, and nobody is asked any more (`asked`).
 */
export async function cancelRun(deps: Deps, wanted: Wanted): Promise<Cancelled> {
  const { clock, ids } = deps;
  const { persona, store, id, by } = wanted;
  const now = clock.now();
  const day = localDay(now, persona.timezone);
  const audit = [actRow(deps, { by, event: 'run_cancelled', runId: id })];
  const seizure = { id, day, now, by, instance: ids.next(), leaseMs: SEIZED_MS, audit };
  // The reply has to leave, and the thread is free for whatever waits behind the run.
  const loaded = await deps.announce(persona.id, now, () => store.seizeRun(seizure));
  if (loaded === 'ended') return withdraw(deps, wanted);
  if (loaded === 'not_found') return loaded;
  try {
    await endCancelled(deps, { loaded, persona, store });
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
  }
  for (let look = 0; look < LOOKS; look += 1) {
    const run = await store.getRun(id);
    if (run?.status === 'cancelled') return run;
    await clock.sleep(LOOK_MS);
  }
  throw new Error(`run ${id} is marked as cancelled, and its end is not on record yet`);
}

/**
 * What a run that has answered still asks is not asked any more, and what was decided and is not done yet is not done. Whoever
 * asked for it was told that it waits, and hears of each what became of it.
 */
async function withdraw(deps: Deps, { persona, store, id, by }: Wanted) {
  const answered = await store.getRun(id);
  if (!answered) return 'not_found';
  const now = deps.clock.now();
  const open = (await store.approvalsOfRun(id)).filter(({ state }) => state === 'pending');
  const verdicts = open.map((one) => ({ id: one.id, state: 'stale', by, reason: RUN_CANCELLED }) as const);
  const decided =
    verdicts.length === 0 ? [] : await decideApprovals(deps, { personaId: persona.id, store, verdicts, now });
  const withdrawn = new Set(decided.flatMap((one) => (one.outcome === 'decided' ? [one.id] : [])));
  let asked = withdrawn.size;
  // An owner has decided already, and a run is at it or waits for its turn.
  for (const run of await store.runsByMessageId(answered.message_id)) {
    if (run.ended_at !== null || run.id === id) continue;
    const carries = (await store.loadRun(run.id))?.decided;
    if (carries?.run_id !== id || withdrawn.has(carries.approval_id)) continue;
    const cancelled = await cancelRun(deps, { persona, store, id: run.id, by });
    if (typeof cancelled !== 'string') asked += 1;
  }
  return asked === 0 ? 'ended' : { answered, asked };
}
