export const RUN_CAUSES = [
  'auth',
  'rate_limited',
  'overloaded',
  'timeout',
  'unavailable',
  'context_overflow',
  'bad_request',
  'unparsable',
  'repeated_crash',
  'other',
] as const;
export type RunCause = (typeof RUN_CAUSES)[number];

export type MailCause = 'no_mailbox' | 'no_domain' | 'full' | 'refused' | 'too_large' | 'unreachable';

/** What owners, and those for whom a mail was sent, are told of what went wrong, in one language. */
export interface NoticeWords {
  readonly causes: Readonly<Record<RunCause, string>>;
  readonly mailCauses: Readonly<Record<MailCause, string>>;
  more(count: number, since: string): string;
  moreInSubject(count: number): string;
  failedSubject(subject: string): string;
  failed(who: string, subject: string, cause: string): string;
  partialSubject(subject: string): string;
  partial(who: string, subject: string, cause: string): string;
  unknownSubject(subject: string): string;
  unknown(tools: string): string;
  details(runId: string): string;
  undeliveredSubject(subject: string): string;
  undelivered(subject: string, to: string, cause: string): string;
  uncertain(subject: string, to: string): string;
  sentFor(who: string): string;
  sentForYou(subject: string, to: string, cause: string): string;
  again(outboxId: string): string;
  undoneSubject(what: string): string;
  notUndoneSubject(what: string): string;
  undone(what: string): string;
  notUndone(what: string): string;
  taskFailedSubject(name: string): string;
  taskFailed(name: string, when: string, cause: string): string;
  taskNotMailed(name: string, when: string): string;
  nextTry(when: string): string;
  hearAgain(failures: number): string;
  taskPausedSubject(name: string): string;
  taskPaused(name: string, failures: number, cause: string): string;
  taskWellSubject(name: string): string;
  taskWell(name: string): string;
}
