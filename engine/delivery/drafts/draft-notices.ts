import { gatheredAs, notice, type SaidInEach } from '../../record/jobs/notice-job.ts';
import type { NewJob } from '../../storage/types/jobs.ts';

/** Owners hear of each draft once; of many within an hour in one mail. */
export const draftedNotice = (outboxId: string, payload: SaidInEach, now: number): NewJob =>
  notice.job({ id: `notice:drafted:${outboxId}`, due_at: now, gather: gatheredAs('drafted'), payload });

/** Each time anew: an owner has had it tried again meanwhile. */
export const notDraftedNotice = (outboxId: string, payload: SaidInEach, now: number): NewJob =>
  notice.job({ id: `notice:not_drafted:${outboxId}:${now}`, due_at: now, gather: gatheredAs('not_drafted'), payload });
