import { backoffMs } from '../lib/backoff.ts';
import type { ClaimedMail, OutboxRecipient, OutboxState } from '../storage/types/outbox.ts';
import type { MailOutcome } from './smtp-transport.ts';

/** The mark of a mail that was sent once more. */
export const RESENT = 'resent_after_unknown';

type Recipient = Pick<OutboxRecipient, 'address' | 'state' | 'smtp'>;

export interface SettledMail {
  readonly state: OutboxState;
  readonly attempts: number;
  readonly nextAttemptAt: number;
  readonly unknownSince: number | null;
  readonly lastError: string | null;
  readonly recipients: readonly Recipient[];
  /** No server was asked, so the time after which it is given up begins anew. */
  readonly untried?: true;
}

interface Attempted {
  readonly attempts: number;
  /** When it was tried for the first time: what waited before that, such as for the end of a STOP, does not count. */
  readonly tryingSince: number;
  readonly recipients: readonly Recipient[];
}

export interface DeliveryTimes {
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  readonly giveUpMs: number;
}

/** After this long without a trace of our Message-ID, a mail of unknown fate is sent once more. */
export const RESEND_AFTER_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 60_000;
/** How long an unreadable Sent folder delays a resend: the mail may lie there, but its sender waits for the answer. */
const BLIND_MS = 60 * 60_000;
const AUTH_RETRY_MS = 5 * 60_000;
/** Until somebody has logged in; looking costs nothing. */
const HELD_MS = 30_000;

/** What an attempt leaves of the outbox row. Pure. 4xx and network: again later; 5xx: final for that recipient;
 * held: as before, for as long as it takes. */
export function settle(
  mail: Attempted,
  outcome: MailOutcome,
  times: DeliveryTimes,
  now: number,
  random: number,
): SettledMail {
  const isHeld = outcome.kind === 'held';
  const attempts = mail.attempts + (isHeld ? 0 : 1);
  const byAddress = new Map(outcome.recipients.map((recipient) => [recipient.address, recipient]));
  const giveUp = !isHeld && now - mail.tryingSince >= times.giveUpMs;
  const recipients = mail.recipients.map((before): Recipient => {
    const after = byAddress.get(before.address);
    if (!after) return before;
    const state = after.state === 'retry' ? (giveUp ? 'failed' : 'queued') : after.state;
    return { address: before.address, state, smtp: after.smtp };
  });
  const any = (state: Recipient['state']) => recipients.some((recipient) => recipient.state === state);
  const state: OutboxState = any('unknown') ? 'unknown' : any('queued') ? 'queued' : any('failed') ? 'failed' : 'sent';
  const wait = backoffMs({ attempt: attempts, firstMs: times.firstRetryMs, maxMs: times.maxRetryMs, random });
  const pause = isHeld ? HELD_MS : outcome.kind === 'auth' ? Math.max(wait, AUTH_RETRY_MS) : wait;
  return {
    state,
    attempts,
    nextAttemptAt: now + (state === 'unknown' ? LOOK_AGAIN_MS : pause),
    unknownSince: state === 'unknown' ? now : null,
    lastError: state === 'sent' ? null : outcome.smtp.slice(0, 500),
    recipients,
    ...(isHeld ? { untried: true } : {}),
  };
}

type Unsent = Pick<
  ClaimedMail,
  'state' | 'crashed' | 'attempts' | 'trying_since' | 'created_at' | 'unknown_since' | 'last_error' | 'recipients'
>;

/**
 * Pure. The mailbox that the mail is to leave through is configured no more. It is no mail for `data/outgoing/`, where
 * nobody looks: it waits as it does for a server that is away, and its owners hear of it once it is given up.
 */
export function withoutMailbox(mail: Unsent, mailbox: string, times: DeliveryTimes, now: number): SettledMail {
  const smtp = `no mailbox of configs/gateway.json has the id "${mailbox}" any more`;
  const isOver = now - (mail.trying_since ?? mail.created_at) >= times.giveUpMs;
  const isInDoubt = mail.state === 'unknown' || mail.crashed;
  const recipients = mail.recipients.map(({ address, state, smtp: said }): Recipient => {
    if (state === 'unknown' || (mail.crashed && state === 'queued')) return { address, state: 'unknown', smtp: said };
    return state === 'queued' ? { address, state: isOver ? 'failed' : 'queued', smtp } : { address, state, smtp: said };
  });
  return {
    state: isOver ? 'failed' : isInDoubt ? 'unknown' : 'queued',
    attempts: mail.attempts + 1,
    recipients,
    nextAttemptAt: now + times.firstRetryMs,
    // Whether it left is still to be found out, in the Sent folder of that mailbox.
    unknownSince: isInDoubt ? (mail.unknown_since ?? now) : null,
    lastError: mail.last_error === RESENT ? RESENT : smtp,
  };
}

type UnknownStep =
  | { readonly step: 'found' }
  | { readonly step: 'look_again'; readonly at: number }
  | { readonly step: 'resend' }
  | { readonly step: 'give_up' };

/**
 * A mail that may or may not have left. Found in Sent: it left; null: nobody could look. Otherwise wait ten minutes for
 * a trace, then send a final or a notice once more; mail that a tool sent is left to the owner.
 */
export function decideUnknown(mail: {
  found: boolean | null;
  purpose: string;
  unknownSince: number;
  resentBefore: boolean;
  now: number;
}): UnknownStep {
  if (mail.found) return { step: 'found' };
  const due = mail.unknownSince + (mail.found === null ? BLIND_MS : RESEND_AFTER_MS);
  if (mail.resentBefore && (mail.found !== null || mail.now >= due)) return { step: 'give_up' };
  if (mail.now < due) return { step: 'look_again', at: Math.min(due, mail.now + LOOK_AGAIN_MS) };
  // What a model decided to send is the owner's to judge; an answer, or a question to the owner, must arrive.
  return mail.purpose.startsWith('tool') ? { step: 'give_up' } : { step: 'resend' };
}
