import type { InferenceConfig, Persona } from '../../config/types.ts';
import { nextBudgetAt } from '../../models/budget-window.ts';
import { type WaitingNotice, waitingNote, waitingNotice } from '../../record/jobs/job-kinds.ts';
import type { Waiting } from '../../storage/ports/waiting.ts';

export type RetryTimes = InferenceConfig['retry'];

/** How patient a persona is: its own choice, else the workspace's. */
export const retryOf = (persona: Pick<Persona, 'inference'>, { retry }: Pick<InferenceConfig, 'retry'>): RetryTimes => {
  const own = persona.inference.retry ?? {};
  return {
    first_retry_s: own.first_retry_s ?? retry.first_retry_s,
    max_retry_s: own.max_retry_s ?? retry.max_retry_s,
    late_note_min: own.late_note_min ?? retry.late_note_min,
    give_up_hours: own.give_up_hours ?? retry.give_up_hours,
  };
};

export const giveUpMsOf = ({ give_up_hours }: RetryTimes): number => give_up_hours * 3_600_000;

/** Each once in a window: the id of a job is the purpose of its mail. */
const telling = (
  code: WaitingNotice['code'],
  retry: RetryTimes,
): Pick<NonNullable<Waiting['tell']>, 'note' | 'notice'> => ({
  note: ({ window, sender, dueAt }) =>
    waitingNote.job({
      id: `waiting_note:${code}:${window}:${sender}`,
      due_at: dueAt,
      payload: { code, window, sender },
    }),
  notice({ window, dueAt }) {
    const hours = Math.max(1, Math.round(giveUpMsOf(retry) / 3_600_000));
    return waitingNotice.job({
      id: `waiting_notice:${code}:${window}`,
      due_at: dueAt,
      payload: { code, window, hours },
    });
  },
});

/**
 * Mail that waits for a model; senders hear of it when it takes long, owners at once where they alone can mend it.
 * `request_failed`: it alone is not answered, and is tried again by itself.
 */
export const waitingForModel = (
  { code, cause, until, now }: { code: ModelCode; cause: Waiting['cause']; until: number; now: number },
  retry: RetryTimes,
): Waiting => {
  const lateMs = retry.late_note_min * 60_000;
  return {
    code,
    until,
    giveUpMs: giveUpMsOf(retry),
    tell: {
      ...telling(code, retry),
      sendersAfterMs: lateMs,
      ownersAfterMs: code === 'provider_setup' ? 0 : lateMs,
      window: null,
    },
    cause,
    now,
  };
};

type ModelCode = Exclude<WaitingNotice['code'], 'budget'>;

/** Mail that waits for the next day's budget; its senders hear of that at once. */
export const waitingForMoney = (
  { day, timezone, now }: { day: string; timezone: string; now: number },
  retry: RetryTimes,
): Waiting => ({
  code: 'budget',
  until: nextBudgetAt(now, timezone),
  giveUpMs: giveUpMsOf(retry),
  tell: { ...telling('budget', retry), sendersAfterMs: 0, ownersAfterMs: 0, window: day },
  cause: null,
  now,
});

/** Whether a run that is to be put back has waited for as long as anybody waits. Pure. */
export const hasWaitedEnough = (run: { readonly deferred_at: number | null }, giveUpMs: number, now: number): boolean =>
  run.deferred_at !== null && now - run.deferred_at >= giveUpMs;
