import { join } from 'node:path';
import type { Log } from '#contract';
import type { GatewayConfig, PersonaEntry } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { untilWritten, writeDurably } from '../lib/files/durable-file.ts';
import { holdLease } from '../lib/held-lease.ts';
import { taskEndedJob } from '../record/jobs/job-kinds.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import { type Undelivered, undeliveredNotices } from '../record/jobs/notice-job.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import { FencedError, type NextDue } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewSeenMail } from '../storage/types/gateway.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { Holder } from '../storage/types/leases.ts';
import type { ClaimedMail, OutboxRecipient } from '../storage/types/outbox.ts';
import { type DeliveryTimes, decideUnknown, RESENT, type SettledMail, settle, withoutMailbox } from './decide.ts';
import type { DraftsRoute, OutboundRoute } from './outbound-routes.ts';
import { copyToSent, sentCopyJob } from './sent-copy.ts';
import type { MailOutcome } from './smtp-transport.ts';

interface OutboxDeps {
  readonly gateway: Pick<GatewayStore, 'isStopped' | 'recordSeen'>;
  readonly announce: Announce;
  /** The way out for a persona's mail: its own mailbox, else the first with SMTP; null: `data/outgoing/`. */
  routeOf(mailbox: string | null, personaId: string): OutboundRoute | null;
  /** A mail may name one that was removed since. */
  hasMailbox(id: string): boolean;
  /** The Drafts folder of a mailbox; null where it has no IMAP. */
  draftsOf(mailbox: string | null, personaId: string): DraftsRoute | null;
  delivery(): GatewayConfig['delivery'];
  findPersona(id: string): PersonaEntry | undefined;
  /** Hears of each attempt over a mailbox how it ended. */
  onAttempt?(mailbox: string, outcome: Pick<MailOutcome, 'kind' | 'smtp'>): void;
  readonly outgoingFolder: string;
  /** Of a line that somebody wrote in a terminal and whose answer is shown there. */
  isOfChat(messageId: string): boolean;
  readonly holder: Holder;
  /** Absent: longer than an attempt takes; it is extended meanwhile. */
  readonly leaseMs?: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

const LEASE_MS = 15 * 60_000;
const LOOK_MS = 500;
const leaseMsOf = ({ leaseMs = LEASE_MS }: OutboxDeps): number => leaseMs;

/** Sends due outbox rows: one attempt each, then the row says what is known. Never runs a model again. */
export function createOutboxLane(deps: OutboxDeps) {
  return {
    name: 'outbox',
    nextDueAt: ({ outbox }: NextDue) => outbox,
    limits: () => ({ total: 16, perPersona: 4 }),
    async claim(personaId: string, store: Store, limit: number) {
      const onlyNotices = await deps.gateway.isStopped(personaId);
      const claim = { ...deps.holder, now: deps.clock.now(), leaseMs: leaseMsOf(deps), onlyNotices, limit };
      const mails = await store.claimOutbox(claim);
      if (mails.length > 0) deps.pass('outbox.claimed');
      return mails.map(
        (mail) => (working: Store, signal: AbortSignal) => deliverHeld(deps, personaId, mail, working, signal),
      );
    },
  };
}

/** Extends the lease while the mail is worked on. Who has lost it leaves the mail to whoever has it. */
async function deliverHeld(
  deps: OutboxDeps,
  personaId: string,
  mail: ClaimedMail,
  store: Store,
  signal: AbortSignal,
): Promise<void> {
  const { leased_by: lease } = mail;
  const held = holdLease({
    leaseMs: leaseMsOf(deps),
    lookMs: LOOK_MS,
    now: deps.clock.now,
    extend: async (until) => lease !== null && (await store.extendOutbox(mail.id, lease, until)),
    makeLost: () => new FencedError('the mail was taken over'),
  });
  try {
    const persist: Persist = (write) => untilWritten(write, { clock: deps.clock, signal });
    await deliver({ ...deps, assertHeld: () => persist(held.assertHeld), persist }, personaId, mail, store);
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
    deps.log.warn({ persona: personaId, outbox: mail.id }, 'the mail was taken over; this attempt is discarded');
  } finally {
    held.stop();
  }
}

/** Writes what became of an attempt, however long there is no room for it: nobody else knows. */
type Persist = <Result>(write: () => Promise<Result>) => Promise<Result>;

interface Delivering extends OutboxDeps {
  assertHeld(): Promise<void>;
  readonly persist: Persist;
}

async function deliver(deps: Delivering, personaId: string, mail: ClaimedMail, store: Store): Promise<void> {
  if (mail.kind === 'reply' && deps.isOfChat(mail.in_reply_to ?? ''))
    return deliverToFolder(deps, personaId, mail, store);
  if (mail.mode === 'draft') {
    const { deliverDraft } = await import('./drafts/deliver-draft.ts');
    return deliverDraft(deps, personaId, mail, store);
  }
  const way = deps.routeOf(mail.mailbox, personaId);
  if (!way && mail.mailbox !== null && !deps.hasMailbox(mail.mailbox)) {
    const now = deps.clock.now();
    return record(deps, personaId, mail, withoutMailbox(mail, mail.mailbox, timesOf(deps), now), store);
  }
  if (!way) return deliverToFolder(deps, personaId, mail, store);
  if (mail.state === 'unknown' || mail.crashed) return resolveUnknown(deps, personaId, mail, way, store);
  return attempt(deps, personaId, mail, way, store);
}

async function deliverToFolder(deps: Delivering, personaId: string, mail: ClaimedMail, store: Store): Promise<void> {
  const to = mail.recipients.map(({ address }) => address);
  await deps.assertHeld();
  await deps.persist(async () =>
    writeOutgoing(deps.outgoingFolder, { id: mail.id, envelopeFrom: mail.envelope_from, to, raw: mail.raw }),
  );
  deps.pass('outbox.handed_over');
  const recipients = mail.recipients.map(({ address }) => ({
    address,
    state: 'sent' as const,
    smtp: 'written to outgoing',
  }));
  const settled: SettledMail = {
    state: 'sent',
    attempts: mail.attempts + 1,
    nextAttemptAt: 0,
    unknownSince: null,
    lastError: null,
    recipients,
  };
  await record(deps, personaId, mail, settled, store);
}

async function attempt(
  deps: Delivering,
  personaId: string,
  mail: ClaimedMail,
  way: OutboundRoute,
  store: Store,
): Promise<void> {
  const { clock, log } = deps;
  const open = mail.recipients.filter(({ state }) => state === 'queued' || state === 'unknown');
  const outcome = await way.transport.send({
    from: mail.envelope_from,
    to: open.map(({ address }) => address),
    raw: mail.raw,
    beforeData: mail.leased_by === null ? undefined : deps.assertHeld,
  });
  deps.pass('outbox.handed_over');
  deps.onAttempt?.(way.id, outcome);
  const tried = {
    attempts: mail.attempts,
    recipients: mail.recipients,
    tryingSince: mail.trying_since ?? mail.created_at,
  };
  const settled = settle(tried, outcome, timesOf(deps), clock.now(), deps.random());
  log.info({ persona: personaId, outbox: mail.id, state: settled.state, smtp: outcome.smtp }, 'delivery attempt');
  // The mark of an earlier resend must outlive this attempt, or a second unknown would send a third copy.
  const lastError = mail.last_error === RESENT ? RESENT : settled.lastError;
  const isOwedCopy = settled.state === 'sent' && (way.sent !== null || way.otherIds !== null);
  const copy = isOwedCopy ? [sentCopyJob(mail.id, clock.now())] : [];
  await record(deps, personaId, mail, { ...settled, lastError }, store, copy);
  if (isOwedCopy) await copyToSent(deps, way, mail, store);
}

/** The times that are configured. */
function timesOf({ delivery }: OutboxDeps): DeliveryTimes {
  const { first_retry_s, max_retry_s, give_up_hours } = delivery();
  return {
    firstRetryMs: first_retry_s * 1000,
    maxRetryMs: max_retry_s * 1000,
    giveUpMs: give_up_hours * 3_600_000,
  };
}

async function resolveUnknown(
  deps: Delivering,
  personaId: string,
  mail: ClaimedMail,
  way: OutboundRoute,
  store: Store,
): Promise<void> {
  const now = deps.clock.now();
  const unknownSince = mail.unknown_since ?? now;
  // A folder that cannot be looked into proves nothing: null, not false.
  const found =
    way.sent === null
      ? false
      : await way.sent.find(mail.message_id).then(
          (id) => id !== null,
          () => null,
        );
  const next = decideUnknown({
    found,
    purpose: mail.purpose,
    unknownSince,
    resentBefore: mail.last_error === RESENT,
    now,
  });
  const recipients = mail.recipients.map(({ address, state, smtp }) => ({ address, state, smtp }));
  // After a crash every unfinished recipient is in doubt; otherwise `queued` recipients are still pending.
  const isInDoubt = (state: OutboxRecipient['state']) => state === 'unknown' || (mail.crashed && state === 'queued');
  const all = (state: 'sent' | 'unknown') => recipients.map((one) => (isInDoubt(one.state) ? { ...one, state } : one));
  const base = { attempts: mail.attempts, nextAttemptAt: now, unknownSince, lastError: mail.last_error };
  switch (next.step) {
    case 'found':
      return record(
        deps,
        personaId,
        mail,
        { ...base, ...foundState(all('sent')), lastError: mail.last_error === RESENT ? RESENT : null },
        store,
      );
    case 'look_again':
      return record(
        deps,
        personaId,
        mail,
        { ...base, state: 'unknown', nextAttemptAt: next.at, recipients: all('unknown') },
        store,
      );
    case 'resend':
      // On disk before the attempt: if the process dies in it, the next one must know that this was the second copy.
      await deps.persist(() =>
        store.settleOutbox(mail.id, {
          ...base,
          state: 'unknown',
          nextAttemptAt: now + LEASE_MS,
          lastError: RESENT,
          recipients,
          now,
          lease: mail.leased_by,
        }),
      );
      return attempt(deps, personaId, { ...mail, last_error: RESENT, leased_by: null }, way, store);
    case 'give_up':
      return record(
        deps,
        personaId,
        mail,
        { ...base, state: 'failed', lastError: mail.last_error ?? 'unknown', recipients: all('unknown') },
        store,
      );
  }
}

/** One copy in Sent says that the server took the mail, not that it took every recipient. */
function foundState(recipients: SettledMail['recipients']): Pick<SettledMail, 'state' | 'recipients' | 'unknownSince'> {
  const has = (state: string) => recipients.some((one) => one.state === state);
  return { state: has('queued') ? 'queued' : has('failed') ? 'failed' : 'sent', recipients, unknownSince: null };
}

async function record(
  deps: Delivering,
  personaId: string,
  mail: ClaimedMail,
  settled: SettledMail,
  store: Store,
  more: readonly NewJob[] = [],
): Promise<void> {
  const now = deps.clock.now();
  const jobs = [...jobsAfter(mail, settled, now), ...more];
  const write = async (): Promise<void> => {
    await store.settleOutbox(mail.id, { ...settled, now, lease: mail.leased_by }, jobs);
    deps.pass('outbox.recorded');
  };
  if (settled.state === 'queued' || settled.state === 'unknown') {
    return deps.persist(() => deps.announce(personaId, settled.nextAttemptAt, write));
  }
  await deps.persist(write);
  await deps.persist(() =>
    deps.gateway.recordSeen(settled.recipients.map((recipient) => seenRow(personaId, mail, recipient, now))),
  );
}

/**
 * Delivery without a mail server: one file per mail under its outbox id, the envelope in two lines above the
 * bytes that SMTP would get. Writing it again gives the same file, so a crash in between costs nothing.
 */
function writeOutgoing(
  folder: string,
  mail: { id: string; envelopeFrom: string; to: readonly string[]; raw: Uint8Array },
): void {
  const envelope = `X-Envelope-From: ${mail.envelopeFrom}\r\nX-Envelope-To: ${mail.to.join(', ')}\r\n`;
  writeDurably(folder, join(folder, `${mail.id}.eml`), Buffer.concat([Buffer.from(envelope), mail.raw]));
}

/** A task's schedule counts what arrives and tells of what does not. Of all other mail the owner hears here, but not of
 * a notice: about each that fails there would be another. */
function jobsAfter(mail: ClaimedMail, settled: SettledMail, now: number): readonly NewJob[] {
  if (settled.state !== 'failed' && settled.state !== 'sent') return [];
  if (mail.kind === 'task') return [taskEndedJob(mail.run_id, now, 'mail')];
  return settled.state === 'failed' && mail.kind !== 'notice'
    ? undeliveredNotices(mail.id, failuresOf(mail, settled), now)
    : [];
}

/** The row by which `why` finds our own mail without looking into every persona. */
function seenRow(
  personaId: string,
  mail: ClaimedMail,
  { address, state, smtp }: SettledMail['recipients'][number],
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
const failuresOf = ({ unknown_since }: ClaimedMail, { recipients }: SettledMail) =>
  recipients
    .filter(({ state }) => state === 'failed' || state === 'unknown')
    .slice(0, 20)
    .map(({ address, state, smtp }) => ({
      address,
      status: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(smtp ?? '')?.[0] ?? null,
      why:
        state === 'unknown' || unknown_since !== null ? 'uncertain' : smtp?.startsWith('5') ? 'refused' : 'unreachable',
    })) satisfies Undelivered['failed'];
