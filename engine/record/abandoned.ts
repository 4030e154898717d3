import type { FinishBatch, LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewEvent } from '../storage/types/runs.ts';
import { encodeEvent } from './codec/run-events.ts';
import type { EventType, PayloadOf } from './events.ts';
import { endedJobs } from './trigger.ts';

/** Others may have appended to the run since it was loaded; a gap in the numbers is no harm. */
const BEHIND_ALL = 1000;

/**
 * Ends a run at which the engine itself has failed so often that not even the recorder is trusted with it: nothing of
 * its record is read, for that may be what fails.
 */
export async function finishAbandoned(
  store: Pick<Store, 'finishRun'>,
  { run, events }: Pick<LoadedRun, 'run' | 'events'>,
  end: Pick<FinishBatch, 'reply' | 'jobs'> & { readonly now: number; readonly day: string },
): Promise<void> {
  const { reply, jobs, now, day } = end;
  const ended = { status: 'failed', outcome: 'failed', code: 'repeated_crash' } as const;
  const { outcome } = ended;
  const told = reply?.mail
    ? [
        small('reply_committed', {
          outbox_id: reply.mail.row.id,
          message_id: reply.message.message_id,
          kind: 'reply',
          outcome,
        }),
      ]
    : [];
  await store.finishRun({
    lease: { runId: run.id, fence: run.fence },
    firstSeq: (events.at(-1)?.seq ?? 0) + BEHIND_ALL,
    events: [...told, small('run_ended', ended)],
    patch: { ...ended, ended_at: now, leased_by: null, reply_message_id: reply?.message.message_id ?? null },
    // Nothing stays set aside for a call that will not be made.
    spent: { day, usd: 0, tokens: 0 },
    ...(reply ? { reply } : {}),
    jobs: [...(jobs ?? []), ...endedJobs(run, now)],
    endsTask: run.kind === 'task',
    now,
  });
}

const small = <Type extends EventType>(type: Type, payload: PayloadOf<Type>): NewEvent =>
  encodeEvent(type, payload, {
    put() {
      throw new Error(`${type} of an abandoned run is too large for its row`);
    },
  });
