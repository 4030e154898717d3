import type { Log } from '#contract';
import type { Received } from '../../intake/incoming.ts';
import type { NotCollected } from './collect.ts';

/** Thrown at a client: its SMTP reply. */
export class SmtpReply extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
}

/** One answer for all recipients: refused only when every persona refuses, and why is not told to strangers. */
export function answer({ messageId, results }: Received): string {
  if (results.some(({ decision }) => decision === 'deferred')) {
    const dns = results.some(({ code }) => code === 'auth_failed');
    throw dns
      ? new SmtpReply(451, '4.7.5 Sender could not be checked now')
      : new SmtpReply(451, '4.3.0 Try again later');
  }
  if (results.every(({ decision }) => decision === 'refused')) {
    const many = results.some(({ code }) => code === 'too_many_attachments');
    throw many ? new SmtpReply(552, '5.3.4 Too many attachments') : new SmtpReply(550, '5.7.1 Not accepted');
  }
  return `2.0.0 Accepted ${messageId.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 200)}`;
}

export function replyTo(error: unknown, log: Log): Error {
  if (error instanceof SmtpReply) return error;
  if (isHangUp(error)) return new SmtpReply(451, '4.4.2 Connection lost');
  log.error(
    { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'a mail could not be stored',
  );
  return new SmtpReply(451, '4.3.0 Could not be stored, try again later');
}

/** The client went away before the final dot: nothing was taken, so nothing is lost. */
const isHangUp = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNECTION' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');

export function notCollected(why: NotCollected): never {
  throw why === 'too_large'
    ? new SmtpReply(552, '5.3.4 Message too big')
    : new SmtpReply(452, '4.3.1 Too much mail at once, try again later');
}
