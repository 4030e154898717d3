import type { Persona } from '../config/types.ts';
import { leftCalls } from '../harness/cancelled.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { localDay } from '../lib/local-day.ts';
import { taskEndedJob } from '../record/jobs/job-kinds.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
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
  const { ended, left } = await store.cancelOpenRuns(
    { day: localDay(now, persona.timezone), now, by, taskEnded: taskEndedJob },
    (loaded) => leftCalls({ artifacts, clock, ids, store }, loaded),
  );
  const [waiting, mails] = [await store.countDeferred(), await store.outboxCounts()];
  return {
    ended,
    held: sumOf(mails.filter(({ state }) => state === 'queued' || state === 'sending')),
    waiting: sumOf(waiting),
    unknown: [...new Set(left.flatMap((calls) => calls.unknown))],
  };
}

const sumOf = (rows: readonly { readonly count: number }[]): number => rows.reduce((sum, { count }) => sum + count, 0);
