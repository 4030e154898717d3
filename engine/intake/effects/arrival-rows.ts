import { auditOfTaking } from '../../actions/mail/take-thread.ts';
import { actRow } from '../../actions/on-record.ts';
import { languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { type Ids, sha256 } from '../../lib/ids.ts';
import { stripTokens } from '../../mail/approval/approval-answer.ts';
import { isMarkedPrivate } from '../../mail/approval/owner-command.ts';
import { asksForSilence } from '../../mail/classify.ts';
import { supposedOf } from '../../mail/identity/judge-sender.ts';
import { addressKey, stripPlusTag } from '../../mail/mime/address.ts';
import { namesAnotherMail, namesOf } from '../../mail/mime/message-ids.ts';
import { partition } from '../../mail/pieces/partition.ts';
import { recordWords } from '../../mail/pieces/record-words.ts';
import { splitOf } from '../../mail/reading/body.ts';
import { isForwardSubject, isReplySubject } from '../../mail/text/subject.ts';
import { relay, slowedDown } from '../../record/jobs/job-kinds.ts';
import { gatheredAs, inEach, notice } from '../../record/jobs/notice-job.ts';
import type { KnownWords, NewArrival } from '../../storage/ports/mail.ts';
import { deferredPatch } from '../../storage/ports/waiting.ts';
import type { AuditRecord } from '../../storage/types/approvals.ts';
import { type NewJob, relayOf } from '../../storage/types/jobs.ts';
import type { NewAttachment, Tier } from '../../storage/types/mail.ts';
import type { MailDecision } from '../decide.ts';
import type { Facts, MailFacts } from '../facts.ts';
import { replyAddress } from '../rules/admit.ts';
import { type Count, hourOf, type LoopCount } from '../rules/loops.ts';

/** What they are told. */
type Said = 'later' | 'in_turn' | 'too_many' | 'stopped' | 'too_large' | 'too_many_files' | 'unreadable' | 'taken_off';
type Run = Extract<MailDecision, { do: 'run' }>;
type LoopStop = Extract<MailDecision, { do: 'stop_loop' }>;
type Left = Extract<MailDecision, { do: 'leave_to_person' }>;

/** How long whoever asked for a mail waits for our own answer to what came back, before they are told of it. */
const RELAY_LATEST_MS = 10 * 60_000;

/** A message and its queued run, in a thread of their own or in the one that the mail joins. Pure but for the new ids. */
export function rowsOfRun(
  { ids, isOwnAddress }: { readonly ids: Ids; isOwnAddress(address: string): boolean },
  facts: Facts,
  { tier, thread, count }: Run,
  attachments: readonly Omit<NewAttachment, 'message'>[],
): NewArrival & { readonly run: NonNullable<NewArrival['run']> } {
  const { mail, identity, now } = facts;
  const { words, split } = readByRecord(facts);
  const { later } = count;
  const id = { message: ids.next(), run: ids.next(), thread: thread?.id ?? ids.next() };
  // An approval's token is for its reader alone; nothing that history or a model may see carries one.
  const to = mail.to.map(({ address }) => stripTokens(address));
  const cc = mail.cc.map(({ address }) => stripTokens(address));
  const marked = tier !== 'unauthenticated' && isMarkedPrivate(mail) ? { private_since: now } : {};
  const subject = stripTokens(mail.subject);
  const newThread = { id: id.thread, kind: 'thread' as const, subject, ...count.inherits, ...marked };
  const threadPatch = {
    ...count.threadPatch,
    ...(thread?.private_since === null ? marked : {}),
    // Whoever is left to a person gets no run: an owner has given the thread back.
    ...(thread != null && thread.taken_by !== null ? { taken_by: null, taken_at: null } : {}),
  };
  return {
    ...(thread ? {} : { newThread }),
    ...(thread && Object.keys(threadPatch).length > 0 ? { threadPatch: { id: thread.id, patch: threadPatch } } : {}),
    message: {
      id: id.message,
      thread_id: id.thread,
      direction: 'in',
      message_id: mail.messageId,
      duplicate_key: facts.query.duplicateKey,
      linked_to: facts.arrival.sameId?.id ?? null,
      run_id: id.run,
      from_address: identity.address,
      from_name: mail.from.kind === 'one' ? mail.from.mailbox.name : '',
      to,
      cc,
      to_names: [...mail.to, ...mail.cc].flatMap(({ name }) => (name === '' ? [] : [stripTokens(name)])).join('\n'),
      // To an address that nobody proved the answer goes, and to no other that its mail names.
      reply_to: tier === 'unauthenticated' ? null : replyAddress(mail, identity, facts.persona),
      subject: stripTokens(mail.subject),
      in_reply_to: answeredBy(mail),
      references: mail.references,
      date: mail.date,
      received_at: now,
      tier,
      text: mail.text,
      new_text: split.newText,
      quoted_text: split.quotedText,
      forwarded_text: split.forwardedText,
      pieces: split.pieces.every(({ kind }) => kind === 'written') ? [] : split.pieces,
      limitations: mail.limitations,
      raw_sha256: mail.rawSha256,
      rendered_json: null,
    },
    attachments: attachments.map((attachment) => ({ ...attachment, message: id.message })),
    viewers: viewersOf(identity.address, tier, [...to, ...cc]),
    participants: participantsOf(isOwnAddress, { sender: identity.address, tier, others: [...to, ...cc] }),
    run: {
      id: id.run,
      thread_id: id.thread,
      message: id.message,
      message_id: mail.messageId,
      kind: 'message',
      sender: identity.address,
      tier,
      recursion: Math.max(0, facts.recursion),
      ...beginning(facts, later),
      created_at: now,
    },
    words,
    ...ownerMailOf(facts, tier, mail),
    // Whoever is not proven joins nothing, and nobody joins them.
    ...(tier === 'unauthenticated' ? {} : { names: namesOf(mail) }),
    ...countedRow(facts, count.count, { runId: id.run, threadId: id.thread }),
    ...(tier === 'owner' && thread !== null ? { reopens: thread.id } : {}),
    audit: [
      ...takenInRows({ ids }, facts),
      ...(thread !== null && thread.taken_by !== null ? [takingOf({ ids }, facts, 'thread_given', thread.id)] : []),
    ],
    jobs: jobsOfRun({ isOwnAddress }, facts, { thread, later: count.later }, id),
  };
}

/** A mail of a thread in which a person answers: kept and seen like any other, and worked by no run. */
export function rowsOfLeft(
  deps: { readonly ids: Ids; isOwnAddress(address: string): boolean },
  facts: Facts,
  { tier, thread, by, at, isNew }: Left,
  attachments: readonly Omit<NewAttachment, 'message'>[],
): NewArrival & { readonly message: NonNullable<NewArrival['message']> } {
  const count = { kind: 'go', threadPatch: null, count: null, later: null } as const;
  const {
    run: _,
    message,
    threadPatch: __,
    newThread,
    jobs: ___,
    audit: ____,
    ...rows
  } = rowsOfRun(deps, facts, { do: 'run', code: null, tier, thread, count }, attachments);
  if (message === undefined) throw new Error('an arrival has its message');
  const taken = { taken_by: by, taken_at: at };
  return {
    ...rows,
    ...(newThread === undefined ? {} : { newThread: { ...newThread, ...taken } }),
    ...(thread !== null && isNew ? { threadPatch: { id: thread.id, patch: taken } } : {}),
    audit: [
      ...takenInRows(deps, facts),
      ...(thread !== null && isNew ? [takingOf(deps, facts, 'thread_taken', thread.id)] : []),
    ],
    message: { ...message, run_id: null },
    jobs: [ownersHearOfTaking(facts, { by, at, threadId: thread?.id ?? message.thread_id, subject: thread?.subject })],
  };
}

/** Who has a mail taken in that was refused, stopped by a limit or not read; nobody, where it came by itself. */
export const takenInRows = (
  { ids }: { readonly ids: Ids },
  { askedBy, mail, now }: Pick<Facts, 'askedBy' | 'mail' | 'now'>,
): readonly AuditRecord[] =>
  askedBy === null
    ? []
    : [
        actRow(
          { clock: { now: () => now }, ids },
          { by: askedBy, event: 'mail_taken_in', detail: { message_id: mail.messageId } },
        ),
      ];

const takingOf = (
  { ids }: { readonly ids: Ids },
  { identity, mail, now }: Facts,
  event: 'thread_taken' | 'thread_given',
  threadId: string,
) =>
  auditOfTaking({ id: ids.next(), by: identity.address ?? '', at: now }, event, {
    thread_id: threadId,
    message_id: mail.messageId,
  });

/** Once for each time that a thread is taken: what comes in it waits for a person. */
function ownersHearOfTaking(
  { persona, mail, now }: Facts,
  taken: { readonly by: string; readonly at: number; readonly threadId: string; readonly subject: string | undefined },
): NewJob {
  const subject = taken.subject ?? stripTokens(mail.subject);
  const payload = inEach(persona.language, (language) => ({
    subject: say(language, 'taken.subject', { subject }),
    text: say(language, 'taken.text', { subject, who: taken.by === 'cli' ? say(language, 'taken.command') : taken.by }),
  }));
  const again = { thread: taken.threadId };
  return notice.job({
    id: `notice:taken:${taken.threadId}:${taken.at}`,
    due_at: now,
    payload: { ...payload, again },
  });
}

/**
 * Marked where a mail comes in: only the doors of mail prove anything, and an owner who is a persona is a model. The names are
 * of a mail that answers none: an answer has those that its readers gave themselves.
 */
function ownerMailOf(
  { identity: { authenticated, ground }, mayAnswer }: Facts,
  tier: Tier,
  { to, cc, headers, inReplyTo, references, subject, forwardedText }: Facts['mail'],
): Pick<NewArrival, 'ownerMail'> {
  if (tier !== 'owner' || !authenticated || !mayAnswer || ground === undefined) return {};
  const isFirst =
    inReplyTo.length === 0 &&
    references.length === 0 &&
    forwardedText === '' &&
    !namesAnotherMail(headers) &&
    !isForwardSubject(subject) &&
    !isReplySubject(subject);
  const named = [...to, ...cc].filter(({ name, isUnsure }) => name !== '' && !isUnsure);
  const names = isFirst
    ? named.map(({ name, address }) => ({ name: stripTokens(name), address: stripTokens(address) }))
    : [];
  return { ownerMail: { ground, names } };
}

/** It is taken up when its turn comes; this is only beyond any turn. */
const BEYOND_ANY_TURN_MS = 50 * 3_600_000;

/** When the run is to begin, or what it waits for. */
function beginning({ waiting, now }: Facts, later: LoopCount['later']) {
  if (waiting !== null) return deferredPatch(null, waiting);
  if (later?.said !== 'in_turn') return { status: 'queued' as const, due_at: later?.until ?? now };
  const inTurn = { code: 'sender_rate_limited' as const, until: later.until, giveUpMs: BEYOND_ANY_TURN_MS, now };
  return deferredPatch(null, inTurn);
}

function jobsOfRun(
  deps: { isOwnAddress(address: string): boolean },
  facts: Facts,
  { thread, later }: Pick<Run, 'thread'> & Pick<LoopCount, 'later'>,
  id: { readonly run: string; readonly thread: string },
): NewJob[] {
  const { now, waiting } = facts;
  // Written with the arrival, so the answer is reported whatever becomes of its run; the end of the run only hastens it.
  const isAnswer = thread !== null && thread.begun_by_run !== null;
  return [
    ...(isAnswer
      ? [relay.job({ id: relayOf(id.run), due_at: now + RELAY_LATEST_MS, payload: { run_id: id.run } })]
      : []),
    // A persona that is paused answers nobody: then it is not the sender's haste that it waits for.
    ...(later?.tells && waiting === null ? noteTo(deps, facts, later.said ?? 'later', id.thread) : []),
    ...(later?.said === 'in_turn' ? [ownersHearOf(facts)] : []),
  ];
}

/** Once an hour for each sender: their mail waits for its turn. */
function ownersHearOf({ persona, mail, identity, now }: Facts): NewJob {
  const sender = identity.address ?? 'unknown';
  const payload = inEach(persona.language, (language) => {
    const text = [
      say(language, 'notTaken.inTurn', { who: sender, subject: mail.subject }),
      say(language, 'notTaken.rate'),
    ];
    return { subject: say(language, 'notTaken.inTurnSubject', { who: sender }), text: text.join('\n\n') };
  });
  return notice.job({
    id: `notice:sender_rate_limited:${sender}:${hourOf(now)}`,
    due_at: now,
    gather: gatheredAs('sender_rate_limited'),
    payload,
  });
}

const answeredBy = ({ inReplyTo: [first], references, headers }: MailFacts['mail']): string | null =>
  first ?? (references.length === 0 && namesAnotherMail(headers) ? '' : null);

const countedRow = (
  { query: { counted } }: Pick<Facts, 'query'>,
  count: Count | null,
  { runId, threadId }: { readonly runId: string | null; readonly threadId: string | null },
): Pick<NewArrival, 'counted'> => {
  if (!counted || count === null) return {};
  const { fastMs: _, ...as } = counted;
  return { counted: { ...as, ...count, run_id: runId, thread_id: threadId } };
};

/** Of a mail that stays in its mailbox, since it has more files than are read. */
export function ownersHearOfFiles({ persona, mail, identity, now }: Facts): NewJob {
  const payload = inEach(persona.language, (language) => {
    const text = [
      say(language, 'notTaken.unread', {
        who: identity.address ?? say(language, 'notTaken.nobody'),
        subject: mail.subject,
      }),
      say(language, 'notTaken.manyFiles'),
    ];
    return { subject: say(language, 'notTaken.unreadSubject'), text: text.join('\n\n') };
  });
  const id = `notice:too_many_attachments:${mail.rawSha256}`;
  return notice.job({
    id,
    due_at: now,
    gather: gatheredAs('dead_letter'),
    payload: { ...payload, again: { mail: mail.messageId } },
  });
}

/** A sentence to a proven sender whose mail is answered late, or not at all; once an hour. That they may not write any more: once. */
export function noteTo(
  { isOwnAddress }: { isOwnAddress(address: string): boolean },
  { mail, identity, persona, now }: MailFacts,
  said: Said,
  threadId: string | null,
  isOfThread = false,
): NewJob[] {
  const { address } = identity;
  const to = replyAddress(mail, identity, persona);
  if (address === null || to === null || isOwnAddress(to) || asksForSilence(mail.headers)) return [];
  const once = isOfThread ? threadId : sha256(stripPlusTag(address)).slice(0, 16);
  const id = `slowed_down:${said}:${once}${said === 'taken_off' ? '' : `:${hourOf(now)}`}`;
  const answered = { message_id: mail.messageId, references: mail.references, in_reply_to: mail.inReplyTo };
  const payload = {
    said,
    sender: address,
    to,
    thread_id: threadId,
    subject: stripTokens(mail.subject),
    language: languageOf([mail.newText], persona.language),
    ...answered,
  };
  return [slowedDown.job({ id, due_at: now, payload })];
}

/** Whose words the mail is made of, as far as its thread is on record, and what was read of that for the first time. */
function readByRecord({ mail, quotable, identity }: Pick<Facts, 'mail' | 'quotable' | 'identity'>) {
  const words: KnownWords[] = [];
  const record = quotable.map((one) => {
    const { isOwn, isOurs, message_id: messageId, from_address: from } = one;
    if (one.words) return { isOwn, isOurs, messageId, from, words: new Uint16Array(new Uint8Array(one.words).buffer) };
    const read = recordWords(one.text ?? '');
    words.push({ seq: one.seq, words: new Uint8Array(read.buffer) });
    return { isOwn, isOurs, messageId, from, words: read };
  });
  return { words, split: splitOf(partition(mail, record, supposedOf(identity)?.isReply)) };
}

/** What a mail that is not answered leaves: the stopped thread, what others are counted with, and who hears of it. */
export function rowsOfStop(
  deps: { isOwnAddress(address: string): boolean },
  facts: Facts,
  { code, threadId, threadPatch, noticeKey, tells, count }: LoopStop,
): NewArrival {
  const { persona, mail, identity, now } = facts;
  const sender = identity.address ?? 'unknown';
  const payload = inEach(persona.language, (language) => {
    const text = [
      ...(code === 'hop_limit'
        ? [say(language, 'notTaken.hopped', { who: sender, subject: mail.subject })]
        : [
            say(language, 'notTaken.stopped', { who: sender, subject: mail.subject }),
            say(language, code === 'loop_limit' ? 'notTaken.loop' : 'notTaken.rate'),
          ]),
    ];
    const about = code === 'hop_limit' ? 'notTaken.hoppedSubject' : 'notTaken.stoppedSubject';
    return { subject: say(language, about, { who: sender }), text: text.join('\n\n') };
  });
  const again = { mail: mail.messageId };
  const job = { id: `notice:${noticeKey}`, due_at: now, gather: gatheredAs(code), payload: { ...payload, again } };
  return {
    ...(threadPatch && threadId ? { threadPatch: { id: threadId, patch: threadPatch } } : {}),
    ...countedRow(facts, count, { runId: null, threadId }),
    jobs: [
      ...(noticeKey === null ? [] : [notice.job(job)]),
      ...(tells
        ? noteTo(deps, facts, code === 'loop_limit' ? 'stopped' : 'too_many', threadId, tells === 'thread')
        : []),
    ],
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

/** An owner's addressees become known on the thread; any other sender adds only themselves. */
function participantsOf(
  isOwnAddress: (address: string) => boolean,
  { sender, tier, others }: { readonly sender: string | null; readonly tier: Tier; readonly others: readonly string[] },
) {
  if (sender === null || tier === 'unauthenticated') return [];
  const known = tier === 'owner' ? others.flatMap((address) => addressKey(address) ?? []) : [];
  return [
    ...[...new Set(known)]
      .filter((address) => address !== sender && !isOwnAddress(address))
      .slice(0, 100)
      .map((address) => ({ address, role: 'known' as const })),
    { address: sender, role: 'sender' as const },
  ];
}
