import { getDomain } from 'tldts';
import { isStoppedByLimit } from '../actions/mail/retry-mail.ts';
import type { Clock } from '../lib/clock.ts';
import { countedAs } from '../lib/ip-address.ts';
import { domainOf } from '../mail/mime/address.ts';
import { headerValues } from '../mail/mime/headers.ts';
import type { Identity, ParsedMail } from '../mail/mime/types.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import { type NewSeenMail, type RefusedLimits, type RefusedMail, TAKEN } from '../storage/types/gateway.ts';
import type { Tier } from '../storage/types/mail.ts';
import type { MailDecision } from './decide.ts';
import type { UnderstoodMail } from './identify.ts';
import type { IncomingMail, Location, MailResult } from './incoming.ts';

/** A result with what only `why` shows. */
export type DetailedResult = MailResult & {
  readonly detail?: string;
  /** When a deferred mail was first deferred, ms. */
  readonly since?: number | null;
};

export const result = (fields: Partial<DetailedResult> & Pick<MailResult, 'decision'>): DetailedResult => ({
  recipient: null,
  persona: null,
  code: null,
  tier: null,
  threadId: null,
  runId: null,
  ...fields,
});

/** The mail that a result is about, and how its sender was proven. */
export interface Subject {
  readonly recipient: string;
  readonly persona: string;
  readonly detail: string;
  /** By the access rules alone. */
  readonly tier: Tier | null;
}

/** What the door is answered, and what `why` shows. */
export function resultOf({ tier, ...subject }: Subject, decision: MailDecision): DetailedResult {
  const base = { ...subject, code: decision.code };
  switch (decision.do) {
    case 'refuse':
      return result({ ...base, decision: 'refused', detail: decision.detail ?? subject.detail });
    case 'defer':
      return result({ ...base, decision: 'deferred', since: decision.since });
    case 'duplicate':
      return result({ ...base, ...decision.of, decision: 'duplicate' });
    case 'stay_silent':
      return result({ ...base, decision: 'recorded' });
    case 'obey':
    case 'refuse_answer':
    case 'act_on_answer':
      return result({ ...base, decision: 'recorded', tier });
    case 'keep_unreadable':
      return result({ ...base, decision: 'dead_letter', tier: decision.tier, detail: decision.detail });
    case 'leave_to_person':
      return result({ ...base, decision: 'recorded', tier: decision.tier });
    case 'stop_loop':
      return result({ ...base, decision: 'recorded', tier: decision.tier, threadId: decision.threadId });
    case 'run':
      return result({ ...base, decision: 'accepted', tier: decision.tier });
  }
}

/** Of a mail that nobody waited for: one for each persona that it names. Pure. */
export function notTaken({ addressees }: Pick<UnderstoodMail, 'addressees'>): DetailedResult[] {
  const fate = { decision: 'refused', code: BEFORE_FIRST_CONNECT } as const;
  if (addressees.length === 0) return [result(fate)];
  return addressees.map(({ address, entry }) => result({ ...fate, recipient: address, persona: entry.id }));
}

type SeenMail = Pick<ParsedMail, 'messageId' | 'subject' | 'from'> & {
  /** The mail itself, where it was refused and may be taken in later. */
  readonly kept?: Omit<RefusedMail, 'at'> | null;
  /** The hash of one that was kept before and is tried once more: another persona of it may refuse it as before. */
  readonly keptBefore?: string | null;
};

/** One row per persona, which `why` reads; from now on all that is known of the mail's place in its mailbox. */
export async function recordResults(
  { clock, gateway }: { readonly clock: Clock; readonly gateway: GatewayStore },
  place: Location | null,
  mail: SeenMail,
  results: readonly DetailedResult[],
): Promise<void> {
  const now = clock.now();
  const rows = results.map((one): NewSeenMail => {
    return {
      message_id: mail.messageId,
      persona_id: one.persona,
      recipient: one.recipient,
      direction: 'in',
      decision: one.decision,
      code: one.code,
      from_address: mail.from.kind === 'one' ? mail.from.mailbox.address : null,
      tier: one.tier,
      detail: one.detail ?? null,
      subject: mail.subject,
      received_at: one.since ?? now,
      thread_id: one.threadId,
      run_id: one.runId,
      mailbox: place?.mailbox ?? null,
      uidvalidity: place?.uidvalidity ?? null,
      uid: place?.uid ?? null,
      kept_sha256: mail.keptBefore ?? null,
    };
  });
  const { kept = null } = mail;
  await gateway.recordSeen(rows, place, kept ? { mail: { ...kept, at: now }, most: mostOf(kept) } : undefined);
}

/** It came before the gateway first read its mailbox. */
const BEFORE_FIRST_CONNECT = 'before_first_connect';

/** All of it together: strangers are refused, and they may send as much as they like. */
const MOST_REFUSED: RefusedLimits = { mails: 200, bytes: 64 * 1024 * 1024 };
/** What was acknowledged is nowhere else, and who wrote it is proven: as many as dead letters, among themselves. */
const MOST_TAKEN: RefusedLimits = { mails: 1000, bytes: 1024 * 1024 * 1024 };

/** A larger refused one is not kept: it would push out many others. */
const MOST_BYTES = 2 * 1024 * 1024;

/** Whether the mail was taken in, from whoever is proven to have written it, and is not answered. Pure. */
export const isTaken = ({ counted_as: whose }: Pick<RefusedMail, 'counted_as'>): boolean => whose.startsWith(TAKEN);

/** How much of its kind may be kept. Pure. */
const mostOf = (mail: Pick<RefusedMail, 'counted_as'>): RefusedLimits => (isTaken(mail) ? MOST_TAKEN : MOST_REFUSED);

/** What a change of the configuration can mend. Who is denied by name, and who cannot be named, stays out. */
const MENDABLE: ReadonlySet<string | null> = new Set([
  'auth_failed',
  'sender_not_allowed',
  'unknown_recipient',
  BEFORE_FIRST_CONNECT,
]);

/** The mail as it is kept so that it can be taken in later; null where it need not, or must not, be kept. Pure. */
export function keptOf(
  { raw, arrival, envelope, place }: IncomingMail,
  { mail, unreadable }: Pick<UnderstoodMail, 'mail' | 'unreadable'>,
  results: readonly Pick<MailResult, 'decision' | 'code'>[],
  identity: Pick<Identity, 'address' | 'authenticated'> | null,
): Omit<RefusedMail, 'at'> | null {
  const isMendable = results.some(({ decision, code }) => decision === 'refused' && MENDABLE.has(code));
  const isProven = identity?.authenticated === true;
  // Whatever nobody proved may have been made to look as if it had gone through many hands.
  const isStopped = results.some((one) => isStoppedByLimit(one) && (isProven || one.code !== 'hop_limit'));
  // The dead letter has its bytes; that it came by a door which proves its sender is known here alone.
  const isUnread = results.some(({ decision }) => decision === 'dead_letter');
  if (unreadable === null ? !(isMendable || isStopped) : !isUnread || unreadable.code === 'message_too_large')
    return null;
  const isAcknowledged = isProven && (isStopped || isUnread);
  if (!isAcknowledged && raw.byteLength > MOST_BYTES) return null;
  const stranger = arrival.door === 'stranger' ? arrival : null;
  return {
    raw_sha256: mail.rawSha256,
    message_id: mail.messageId,
    bytes: raw.byteLength,
    door: arrival.door,
    mailbox: place?.mailbox ?? null,
    authserv_id: 'authservId' in arrival ? arrival.authservId : null,
    ip: stranger?.ip ?? null,
    helo: stranger?.helo ?? null,
    mail_from: stranger?.mailFrom ?? null,
    return_path: envelope.returnPath,
    recipients: envelope.recipients,
    counted_as: `${isAcknowledged ? TAKEN : ''}${whose({ arrival, place }, mail, identity)}`,
    raw,
  };
}

/** Lines at the top of a mail from a mailbox that its own servers have written, among them the one about who connected. */
const OWN_LINES = 3;
const IN_BRACKETS = /\[(?:IPv6:)?([0-9a-f.:]{3,45})\]/i;
/** Servers of one house, among themselves. */
const WITHIN = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cde])/i;

/** What one sender cannot make up as often as they like. Pure. */
function whose(
  { arrival, place }: Pick<IncomingMail, 'arrival' | 'place'>,
  { headers }: Pick<ParsedMail, 'headers'>,
  identity: Pick<Identity, 'address' | 'authenticated'> | null,
): string {
  if (identity?.authenticated && identity.address !== null) {
    const domain = domainOf(identity.address);
    return `proven ${getDomain(domain) ?? domain}`;
  }
  if (arrival.door === 'stranger') return `address ${countedAs(arrival.ip)}`;
  const written = headerValues(headers, 'received').slice(0, OWN_LINES);
  const address = written.map((line) => IN_BRACKETS.exec(line)?.[1] ?? '').find((ip) => ip !== '' && !WITHIN.test(ip));
  const through = arrival.door === 'relay' ? `relay ${arrival.authservId}` : `mailbox ${place?.mailbox ?? ''}`;
  return address === undefined ? through : `${through} address ${countedAs(address)}`;
}

/** Whether a kept mail that was offered once more is where it was; a wait for DNS or for a persona's files is that, too. Pure. */
export const isRefusedAgain = (
  { fate }: Pick<IncomingMail, 'fate'>,
  results: readonly Pick<MailResult, 'decision' | 'code'>[],
): boolean =>
  typeof fate === 'object' &&
  results.every(
    ({ decision, code }) =>
      decision === 'deferred' || (decision !== 'accepted' && code !== null && fate.again.includes(code)),
  );
