import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { gatheredAs, notice, type SaidInEach } from '../../record/jobs/notice-job.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { DraftFailure } from './decide.ts';

interface Said {
  readonly subject: string;
  readonly text: string;
}

/** Owners hear of each draft once; of many within an hour in one mail. */
export const draftedNotice = (outboxId: string, payload: SaidInEach, now: number): NewJob =>
  notice.job({ id: `notice:drafted:${outboxId}`, due_at: now, gather: gatheredAs('drafted'), payload });

/** Each time anew: an owner has had it tried again meanwhile. */
export const notDraftedNotice = (outboxId: string, payload: SaidInEach, now: number): NewJob =>
  notice.job({ id: `notice:not_drafted:${outboxId}:${now}`, due_at: now, gather: gatheredAs('not_drafted'), payload });

interface SaidOf {
  readonly subject: string;
  readonly to: string;
  readonly mailbox: string;
}

/** What owners are told of an answer that lies in Drafts. */
export const draftSaid =
  ({ subject, to, mailbox }: SaidOf, folder: string) =>
  (language: Language): Said => ({
    subject: `${say(language, 'drafts.draft')} "${subject}"`,
    text: say(language, 'drafts.lies', { subject, to, folder, mailbox }),
  });

/** The same of one that does not. `error`: what the server, or the line, said. */
export const noDraftSaid =
  (
    { subject, to, mailbox }: SaidOf,
    what: { readonly why: DraftFailure; readonly error: string; readonly outboxId: string },
  ) =>
  (language: Language): Said => ({
    subject: `${say(language, 'drafts.none')} "${subject}"`,
    text: [
      say(language, 'drafts.failed', { subject, to, mailbox }),
      say(language, `drafts.why.${what.why}`, { error: what.error }),
      say(language, 'drafts.again', { command: `\`epistle outbox retry ${what.outboxId}\`` }),
    ].join('\n\n'),
  });
