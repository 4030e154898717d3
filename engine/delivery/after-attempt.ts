import { taskEndedJob } from '../record/jobs/job-kinds.ts';
import { type Undelivered, undeliveredNotices } from '../record/jobs/notice-job.ts';
import type { NewSeenMail } from '../storage/types/gateway.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { ClaimedMail } from '../storage/types/outbox.ts';
import type { Settled } from './decide.ts';

/** A task's schedule counts what arrives and tells of what does not. Of all other mail the owner hears here, but not of
 * a notice: about each that fails there would be another. */
export function jobsAfter(mail: ClaimedMail, settled: Settled, now: number): readonly NewJob[] {
  if (settled.state !== 'failed' && settled.state !== 'sent') return [];
  if (mail.kind === 'task') return [taskEndedJob(mail.run_id, now, 'mail')];
  return settled.state === 'failed' && mail.kind !== 'notice'
    ? undeliveredNotices(mail.id, failuresOf(mail, settled), now)
    : [];
}

/** The row by which `why` finds our own mail without looking into every persona. */
export function seenRow(
  personaId: string,
  mail: ClaimedMail,
  { address, state, smtp }: Settled['recipients'][number],
  now: number,
): NewSeenMail {
  return {
    message_id: mail.message_id,
    persona_id: personaId,
    recipient: address,
    direction: 'out',
    decision: state === 'queued' ? 'unknown' : state,
    code: null,
    from_address: mail.envelope_from,
    tier: null,
    detail: smtp,
    subject: '',
    received_at: now,
    thread_id: mail.thread_id,
    run_id: mail.run_id === '' ? null : mail.run_id,
    mailbox: null,
    uidvalidity: null,
    uid: null,
  };
}

/** Why it did not reach each of them; their status as in RFC 3463 where the server gave one. */
const failuresOf = ({ unknown_since }: ClaimedMail, { recipients }: Settled) =>
  recipients
    .filter(({ state }) => state === 'failed' || state === 'unknown')
    .slice(0, 20)
    .map(({ address, state, smtp }) => ({
      address,
      status: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(smtp ?? '')?.[0] ?? null,
      why:
        state === 'unknown' || unknown_since !== null ? 'uncertain' : smtp?.startsWith('5') ? 'refused' : 'unreachable',
    })) satisfies Undelivered['failed'];
