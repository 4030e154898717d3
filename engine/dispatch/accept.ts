import type { Persona, SecurityConfig } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { stripTokens } from '../mail/approval-answer.ts';
import { parseBounce } from '../mail/bounce.ts';
import type { Identity, ParsedMail, SilenceCode } from '../mail/types.ts';
import type { GatewayStore } from '../storage/gateway-store.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { ArrivalPlan, ArrivalQuery, Found } from '../storage/store.ts';
import type { Stores } from '../storage/stores.ts';
import type { NewAttachment, Tier } from '../storage/tables.ts';
import type { Admission } from './admission.ts';
import { type Classified, classifyArrival, highestLimit } from './classify-arrival.ts';
import { applyBounce } from './commands.ts';
import type { AnswerCode } from './take-approval-answer.ts';

export type { Admission } from './admission.ts';
export { takeOwnerCommand } from './owner-commands.ts';
export { takeApprovalAnswer } from './take-approval-answer.ts';

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
}

export interface Accepted {
  readonly decision: 'accepted' | 'duplicate' | 'recorded' | 'refused';
  readonly code: string | null;
  readonly tier: Tier | null;
  readonly threadId: string | null;
  readonly runId: string | null;
}

export interface AcceptDeps {
  readonly stores: Stores;
  readonly gateway: GatewayStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
  filesOf(personaId: string): PersonaFiles;
  loopGuard(): SecurityConfig['loop_guard'];
  isOwnAddress(address: string): boolean;
  /** Tells the dispatcher of this process that there is work; a lost call costs time, never mail. */
  wake(personaId: string): void;
}

/**
 * Makes a mail durable and decides what becomes of it: raw bytes on disk, the wakeup bumped, then message and
 * run in one transaction. Only afterwards may anybody acknowledge it. Throws when something could not be stored.
 */
export async function acceptMail(deps: AcceptDeps, arrived: Arrived): Promise<Accepted> {
  const { persona, mail, admission, identity } = arrived;
  const { gateway, stores, clock, pass } = deps;
  if (admission.verdict === 'refuse') return refused(admission.code);
  if (isHopeless(admission, mail)) return refused('sender_not_allowed');
  const nearestFirst = [...new Set([...mail.inReplyTo, ...mail.references.toReversed()])];
  const query = {
    duplicateKey: sha256([mail.messageId, identity.address ?? '', mail.dateHeader].join('\n')),
    messageId: mail.messageId,
    sender: identity.address,
    proven: identity.authenticated,
    references: nearestFirst,
    countTo: highestLimit(deps.loopGuard(), persona.budget.runs_per_sender_per_hour),
    now: clock.now(),
  };
  if (dependsOnRows(admission) && (await isRefusedByRows(deps, arrived, query))) return refused('sender_not_allowed');
  const files = deps.filesOf(persona.id);
  await files.keepMail(arrived.raw, mail.rawSha256);
  const attachments = storeAttachments(arrived, files, deps.ids);
  pass('accept.raw_written');
  const now = clock.now();
  await gateway.keepDue(persona.id, now);
  pass('accept.wakeup_bumped');
  const accepted = await stores.use(persona.id, (store) =>
    store.acceptMail({ ...query, now }, (found) => planArrival(deps, arrived, attachments, found, now)),
  );
  pass('accept.committed');
  deps.wake(persona.id);
  return accepted;
}

/** Only somebody who is `known` on a thread gets in. */
const dependsOnRows = (admission: Admission): boolean =>
  admission.verdict === 'known_or' && admission.otherwise.verdict === 'refuse';

/** A stranger whose mail belongs to no thread cannot be `known`; nothing of it is stored. */
const isHopeless = (admission: Admission, mail: ParsedMail): boolean =>
  dependsOnRows(admission) && mail.references.length + mail.inReplyTo.length === 0;

/** Asked before a byte is kept: an invented In-Reply-To must not let strangers fill the disk. */
async function isRefusedByRows(
  deps: AcceptDeps,
  { persona, admission, identity }: Arrived,
  query: ArrivalQuery,
): Promise<boolean> {
  if (!deps.stores.exists(persona.id)) return true;
  const { kind } = await deps.stores.use(persona.id, (store) =>
    store.acceptMail(query, (found) => ({
      verdict: classifyArrival({
        found,
        admission,
        sender: identity.address,
        runsPerSenderPerHour: null,
        loopGuard: deps.loopGuard(),
        now: query.now,
      }),
    })),
  );
  return kind === 'refuse';
}

const refused = (code: string): Accepted => ({ decision: 'refused', code, tier: null, threadId: null, runId: null });

/** Turns the classification into rows. Pure but for the new ids. */
function planArrival(
  deps: AcceptDeps,
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
      duplicate_key: sha256([mail.messageId, identity.address ?? '', mail.dateHeader].join('\n')),
      linked_to: found.sameId?.id ?? null,
      run_id: ids.run,
      from_address: identity.address,
      from_name: mail.from.kind === 'one' ? mail.from.mailbox.name : '',
      to_json: JSON.stringify(to),
      cc_json: JSON.stringify(cc),
      reply_to: arrived.replyTo,
      subject: stripTokens(mail.subject),
      in_reply_to: mail.inReplyTo[0] ?? null,
      references_json: JSON.stringify(mail.references),
      date: mail.date,
      received_at: now,
      tier,
      text: stripTokens(mail.text),
      new_text: stripTokens(mail.newText),
      quoted_text: stripTokens(mail.quotedText),
      forwarded_text: stripTokens(mail.forwardedText),
      limitations_json: JSON.stringify(mail.limitations),
      raw_sha256: mail.rawSha256,
      rendered_json: null,
    },
    attachments: attachments.map((attachment) => ({ ...attachment, message: ids.message })),
    participants: participantsOf(deps, identity.address, tier, [...to, ...cc]),
    run: {
      id: ids.run,
      thread_id: ids.thread,
      message: ids.message,
      message_id: mail.messageId,
      kind: 'message',
      status: 'queued',
      waiting_for: null,
      outcome: null,
      code: null,
      sender: identity.address,
      tier,
      recursion: arrived.recursion,
      due_at: now,
      leased_by: null,
      leased_until: null,
      settings_sha256: null,
      provider: null,
      model: null,
      reply_message_id: null,
      parent_run_id: null,
      harness_version_id: null,
      created_at: now,
      started_at: null,
      ended_at: null,
    },
  };
}

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
  const text = [
    `Mail from ${sender} is not answered any more: ${classified.why}.`,
    '',
    `Subject: ${mail.subject}`,
    `Message-ID: ${mail.messageId}`,
  ].join('\n');
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
          {
            id: `notice:${classified.noticeKey}`,
            kind: 'notice',
            due_at: now,
            payload: { subject: `Stopped answering ${sender}`, text },
          },
        ]
      : [],
  };
}

/** Whom an owner writes to becomes known on the thread; anybody else brings in nobody but themselves. */
function participantsOf(deps: AcceptDeps, sender: string | null, tier: Tier, others: readonly string[]) {
  if (sender === null || tier === 'unauthenticated') return [];
  const known = tier === 'owner' ? others.map((address) => address.toLowerCase()) : [];
  return [
    ...[...new Set(known)]
      .filter((address) => address !== sender && !deps.isOwnAddress(address))
      .slice(0, 100)
      .map((address) => ({ address, role: 'known' as const })),
    { address: sender, role: 'sender' as const },
  ];
}

function storeAttachments({ mail }: Arrived, files: PersonaFiles, ids: Ids): readonly Omit<NewAttachment, 'message'>[] {
  return mail.attachments.map((attachment, position) => {
    if (attachment.unreadable === null) files.artifacts.put(attachment.content, attachment.sha256);
    return {
      id: `att_${ids.random(6)}`,
      position,
      name: attachment.name,
      type: attachment.type,
      bytes: attachment.bytes,
      sha256: attachment.sha256,
      text_sha256: attachment.text === null ? null : files.artifacts.put(Buffer.from(stripTokens(attachment.text))),
      unreadable: attachment.unreadable,
    };
  });
}

/** Keeps a mail that is never answered; a bounce is matched to the mail that it is about. */
export async function recordSilence(
  deps: AcceptDeps,
  arrived: Pick<Arrived, 'persona' | 'raw' | 'mail'> & { code: SilenceCode | AnswerCode | 'stop_command' },
): Promise<void> {
  const { persona, raw, mail } = arrived;
  await deps.filesOf(persona.id).keepMail(raw, mail.rawSha256);
  const bounce = parseBounce(mail);
  if (!bounce || bounce.originalMessageId === null || !deps.stores.exists(persona.id)) return;
  const now = deps.clock.now();
  await deps.gateway.bumpWakeup(persona.id, now);
  await deps.stores.use(persona.id, (store) => applyBounce(store, bounce, now));
  deps.wake(persona.id);
}
