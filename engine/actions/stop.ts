import type { Persona } from '../config/types.ts';
import { leftCalls } from '../harness/cancelled.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { localDay } from '../lib/schedule/zone.ts';
import { waitEndedJob } from '../record/jobs/job-kinds.ts';
import { endedJobs } from '../record/trigger.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { RunSubject, Store } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

export interface Stopped {
  /** How many runs were ended. */
  readonly ended: number;
  /** How many mails in the outbox stay there until the persona is resumed. */
  readonly held: number;
  /** How many mails wait to be answered. */
  readonly waiting: number;
  /** What owners were asked and are not asked any more, once for each mail that it was for. */
  readonly closed: readonly RunSubject[];
  /** Tools that were cut off, so that nobody knows what they did. */
  readonly unknown: readonly string[];
}

/** Ends every open run of a persona, in one transaction. The persona must have been stopped before. */
export async function stopRuns(
  { clock, ids, filesOf }: { clock: Clock; ids: Ids; filesOf(personaId: string): PersonaFiles },
  { store, persona, now, by }: { store: Store; persona: Persona; now: number; by: string },
): Promise<Stopped> {
  const { artifacts } = filesOf(persona.id);
  const leftOf = (loaded: LoadedRun) => {
    const { run, events } = loaded;
    const left = leftCalls({ artifacts, clock, ids, store }, loaded);
    return { runId: run.id, fence: run.fence, lastSeq: events.at(-1)?.seq ?? -1, left };
  };
  // What they leave is written to files as well, so it is found before the transaction that names them.
  const endAll = async () => {
    const asked = await askedFor(store);
    const isAsked = new Set(asked.map(({ run_id: id }) => id));
    const ended = (run: StoredRun) => [
      ...endedJobs(run, now),
      ...(isAsked.has(run.id) ? [waitEndedJob(run.id, now)] : []),
    ];
    const cancel = { day: localDay(now, persona.timezone), now, by, ended };
    const seen = (await store.openRuns()).flatMap(({ loaded }) => (loaded ? [leftOf(loaded)] : []));
    const ids = await store.cancelRuns(cancel, seen);
    return ids && { ended: ids, asked, left: seen.filter(({ runId }) => ids.includes(runId)).map(({ left }) => left) };
  };
  let all = await endAll();
  while (all === null) all = await endAll();
  const [waiting, mails] = [await store.countDeferred(), await store.outboxCounts()];
  const { asked, ended } = all;
  return {
    closed: asked,
    ended: ended.length,
    held: sumOf(mails.filter(({ state }) => state === 'queued' || state === 'sending')),
    waiting: sumOf(waiting),
    unknown: [...new Set(all.left.flatMap((calls) => calls.unknown))],
  };
}

/** More than these are not named. */
const MAX_ASKED = 100;

/** The runs whose mail owners are asked about, each once: of a child run the one at the top. */
async function askedFor(store: Store): Promise<readonly RunSubject[]> {
  const open = await store.listApprovals({ status: 'pending', limit: MAX_ASKED });
  const subjects = await store.subjectsOfRuns([...new Set(open.map(({ run_id: id }) => id))]);
  const tops = subjects.map(({ helps, ...rest }) => ({ ...rest, helps: null, run_id: helps ?? rest.run_id }));
  return [...new Map(tops.map((one) => [one.run_id, one])).values()];
}

const sumOf = (rows: readonly { readonly count: number }[]): number => rows.reduce((sum, { count }) => sum + count, 0);
