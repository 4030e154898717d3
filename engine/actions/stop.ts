import type { Persona } from '../config/types.ts';
import { leftCalls } from '../harness/cancelled.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { localDay } from '../lib/schedule/zone.ts';
import { endedJobs } from '../record/trigger.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';

export interface Stopped {
  /** How many runs were ended. */
  readonly ended: number;
  /** How many mails in the outbox stay there until the persona is resumed. */
  readonly held: number;
  /** How many mails wait to be answered. */
  readonly waiting: number;
  /** Tools that were cut off, so that nobody knows what they did. */
  readonly unknown: readonly string[];
}

/** Ends every open run of a persona, in one transaction. The persona must have been stopped before. */
export async function stopRuns(
  { clock, ids, filesOf }: { clock: Clock; ids: Ids; filesOf(personaId: string): PersonaFiles },
  { store, persona, now, by }: { store: Store; persona: Persona; now: number; by: string },
): Promise<Stopped> {
  const { artifacts } = filesOf(persona.id);
  const cancel = { day: localDay(now, persona.timezone), now, by, ended: endedJobs };
  const leftOf = (loaded: LoadedRun) => {
    const { run, events } = loaded;
    const left = leftCalls({ artifacts, clock, ids, store }, loaded);
    return { runId: run.id, fence: run.fence, lastSeq: events.at(-1)?.seq ?? -1, left };
  };
  // What they leave is written to files as well, so it is found before the transaction that names them.
  const endAll = async () => {
    const seen = (await store.openRuns()).flatMap(({ loaded }) => (loaded ? [leftOf(loaded)] : []));
    const ended = await store.cancelRuns(cancel, seen);
    return ended && { ended, left: seen.filter(({ runId }) => ended.includes(runId)).map(({ left }) => left) };
  };
  let all = await endAll();
  while (all === null) all = await endAll();
  const [waiting, mails] = [await store.countDeferred(), await store.outboxCounts()];
  return {
    ended: all.ended.length,
    held: sumOf(mails.filter(({ state }) => state === 'queued' || state === 'sending')),
    waiting: sumOf(waiting),
    unknown: [...new Set(all.left.flatMap((calls) => calls.unknown))],
  };
}

const sumOf = (rows: readonly { readonly count: number }[]): number => rows.reduce((sum, { count }) => sum + count, 0);
