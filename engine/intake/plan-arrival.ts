import type { Persona, SecurityConfig } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { stripTokens } from '../mail/approval/approval-answer.ts';
import { addressKey } from '../mail/mime/address.ts';
import type { Identity, ParsedMail } from '../mail/mime/types.ts';
import { relay } from '../record/job-kinds.ts';
import { gatheredAs, notice } from '../record/notice-job.ts';
import type { ArrivalPlan, ArrivalQuery, Found } from '../storage/ports/mail.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import { deferredPatch } from '../storage/ports/waiting.ts';
import { relayOf } from '../storage/types/jobs.ts';
import type { NewAttachment, Tier } from '../storage/types/mail.ts';

import { NOT_TAKEN } from '../wording/not-taken.ts';
import type { Admission } from './admission.ts';
import type { Circuit } from './circuit.ts';
import { type Classified, classifyArrival, highestLimit } from './classify-arrival.ts';

export interface Arrived {
  readonly persona: Persona;
  readonly raw: Uint8Array;
  readonly mail: ParsedMail;
  readonly identity: Identity;
  readonly admission: Admission;
  /** Where an answer goes. */
  readonly replyTo: string | null;
  /** How often mail may still travel between agents. */
  readonly recursion: number;
  /** Why its run is not to begin yet. */
  readonly waiting: Waiting | null;
}

export interface Accepted {
  readonly decision: 'accepted' | 'duplicate' | 'recorded' | 'refused';
  readonly code: string | null;
  readonly tier: Tier | null;
  readonly threadId: string | null;
  readonly runId: string | null;
}

interface PlanDeps {
  readonly ids: Ids;
  readonly circuit: Circuit;
  loopGuard(): SecurityConfig['loop_guard'];
  isOwnAddress(address: string): boolean;
}

export const refused = (code: string): Accepted => ({
  decision: 'refused',
  code,
  tier: null,
  threadId: null,
  runId: null,
});

/** The same mail from the same sender again, whatever way it comes. */
const duplicateKey = ({ mail, identity }: Pick<Arrived, 'mail' | 'identity'>): string =>
  sha256([mail.messageId, identity.address ?? '', mail.dateHeader].join('\n'));

export interface QueryDeps {
  readonly clock: Clock;
  loopGuard(): SecurityConfig['loop_guard'];
  /** How long a signature proves its mail. */
  signatureMaxAgeMs(): number;
}

/** What the rows are asked about an arriving mail. */
export const arrivalQuery = (
  { clock, loopGuard, signatureMaxAgeMs }: QueryDeps,
  { persona, mail, identity }: Pick<Arrived, 'persona' | 'mail' | 'identity'>,
): ArrivalQuery => ({
  duplicateKey: duplicateKey({ mail, identity }),
  messageId: mail.messageId,
  sender: identity.address,
  proven: identity.authenticated,
  references: [...new Set([...mail.inReplyTo, ...mail.references.toReversed()])],
  countTo: highestLimit(loopGuard(), persona.budget.runs_per_sender_per_hour),
  signatures: identity.signatures,
  forgottenBefore: clock.now() - signatureMaxAgeMs(),
  now: clock.now(),
});

/** Turns the classification into rows. Pure but for the new ids. */
export function planArrival(
  deps: PlanDeps,
  arrived: Arrived,
  attachments: readonly Omit<NewAttachment, 'message'>[],
  found: Found,
  now: number,
): ArrivalPlan<Accepted> {
  const { persona, mail, identity } = arrived;
  const classified = classifyArrival({
    found,
    admission: arrived.admission,
    sender: identity.address,
    runsPerSenderPerHour: persona.budget.runs_per_sender_per_hour,
    loopGuard: deps.loopGuard(),
    answersOfAll: deps.circuit.answers(now),
    now,
  });
  if (classified.kind !== 'run') return planWithoutRun(arrived, classified, now);
  const { tier, thread } = classified;
  const ids = { message: deps.ids.next(), run: deps.ids.next(), thread: thread?.id ?? deps.ids.next() };
  // An approval's token is for its reader alone; nothing that history or a model may see carries one.
  const to = mail.to.map(({ address }) => stripTokens(address));
  const cc = mail.cc.map(({ address }) => stripTokens(address));
  return {
    verdict: { decision: 'accepted', code: null, tier, threadId: ids.thread, runId: ids.run },
    ...(thread
      ? {}
      : { newThread: { id: ids.thread, kind: 'thread', subject: stripTokens(mail.subject), ...classified.inherits } }),
    ...(classified.threadPatch && thread ? { threadPatch: { id: thread.id, patch: classified.threadPatch } } : {}),
    message: {
      id: ids.message,
      thread_id: ids.thread,
      direction: 'in',
      message_id: mail.messageId,
      duplicate_key: duplicateKey(arrived),
      linked_to: found.sameId?.id ?? null,
      run_id: ids.run,
      from_address: identity.address,
      from_name: mail.from.kind === 'one' ? mail.from.mailbox.name : '',
      to,
      cc,
      // To an address that nobody proved the answer goes, and to no other that its mail names.
      reply_to: tier === 'unauthenticated' ? null : arrived.replyTo,
      subject: stripTokens(mail.subject),
      in_reply_to: mail.inReplyTo[0] ?? null,
      references: mail.references,
      date: mail.date,
      received_at: now,
      tier,
      text: mail.text,
      new_text: mail.newText,
      quoted_text: mail.quotedText,
      forwarded_text: mail.forwardedText,
      limitations: mail.limitations,
      raw_sha256: mail.rawSha256,
      rendered_json: null,
    },
    attachments: attachments.map((attachment) => ({ ...attachment, message: ids.message })),
    viewers: viewersOf(identity.address, tier, [...to, ...cc]),
    participants: participantsOf(deps, identity.address, tier, [...to, ...cc]),
    run: {
      id: ids.run,
      thread_id: ids.thread,
      message: ids.message,
      message_id: mail.messageId,
      kind: 'message',
      sender: identity.address,
      tier,
      recursion: arrived.recursion,
      ...(arrived.waiting ? deferredPatch(null, arrived.waiting) : { status: 'queued', due_at: now }),
      created_at: now,
    },
    // With the arrival: the answer is told of whatever becomes of its run, and the end of the run only brings it forward.
    ...(thread !== null && thread.begun_by_run !== null
      ? {
          jobs: [relay.job({ id: relayOf(ids.run), due_at: now + RELAY_LATEST_MS, payload: { run_id: ids.run } })],
        }
      : {}),
  };
}

/** How long whoever asked for a mail waits for our own answer to what came back, before they are told of it. */
const RELAY_LATEST_MS = 10 * 60_000;

function planWithoutRun(
  arrived: Arrived,
  classified: Exclude<Classified, { kind: 'run' }>,
  now: number,
): ArrivalPlan<Accepted> {
  const { mail, identity } = arrived;
  if (classified.kind === 'refuse') return { verdict: refused(classified.code) };
  if (classified.kind === 'duplicate') {
    const { threadId, runId } = classified;
    return { verdict: { decision: 'duplicate', code: 'duplicate', tier: null, threadId, runId } };
  }
  const sender = identity.address ?? 'unknown';
  const words = NOT_TAKEN[arrived.persona.language];
  const text = [
    words.stopped(sender, mail.subject),
    classified.code === 'loop_limit' ? words.loop : words.rate,
    words.look(`epistle why ${mail.messageId}`),
  ].join('\n\n');
  return {
    verdict: {
      decision: 'recorded',
      code: classified.code,
      tier: classified.tier,
      threadId: classified.threadId,
      runId: null,
    },
    ...(classified.threadPatch && classified.threadId
      ? { threadPatch: { id: classified.threadId, patch: classified.threadPatch } }
      : {}),
    jobs: classified.noticeKey
      ? [
          notice.job({
            id: `notice:${classified.noticeKey}`,
            due_at: now,
            gather: gatheredAs(classified.code),
            payload: { subject: words.stoppedSubject(sender), text },
          }),
        ]
      : [],
  };
}

/**
 * Who may see the mail later: whoever sent it, and whom it was addressed to. What nobody proved is nobody's but the
 * owner's: neither the one it claims to be from, nor whoever it says it went to, has had a part in it.
 */
const viewersOf = (sender: string | null, tier: Tier, others: readonly string[]): string[] =>
  sender === null || tier === 'unauthenticated'
    ? []
    : [sender, ...others.flatMap((address) => addressKey(address) ?? [])];

/** Whom an owner writes to becomes known on the thread; anybody else brings in nobody but themselves. */
function participantsOf(deps: PlanDeps, sender: string | null, tier: Tier, others: readonly string[]) {
  if (sender === null || tier === 'unauthenticated') return [];
  const known = tier === 'owner' ? others.flatMap((address) => addressKey(address) ?? []) : [];
  return [
    ...[...new Set(known)]
      .filter((address) => address !== sender && !deps.isOwnAddress(address))
      .slice(0, 100)
      .map((address) => ({ address, role: 'known' as const })),
    { address: sender, role: 'sender' as const },
  ];
}
