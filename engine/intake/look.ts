import { sha256 } from '../lib/ids.ts';
import { sketchOf } from '../lib/text/likeness.ts';
import { DAY_MS } from '../lib/time.ts';
import { type Accounted, accountFor } from '../mail/approval/accounted/accounted.ts';
import {
  doubtfulLine,
  doubtfulSubject,
  isSubjectOf,
  type TimeOrAmount,
  valuesIn,
} from '../mail/approval/accounted/beside.ts';
import { placeOfName } from '../mail/approval/accounted/own-headers.ts';
import { foldLine, type SentMail } from '../mail/approval/accounted/own-lines.ts';
import { languageOfWords } from '../mail/approval/approval-answer.ts';
import { besideCommand, type OwnerCommand, readOwnerCommand } from '../mail/approval/owner-command.ts';
import { readUndo } from '../mail/approval/undo-answer.ts';
import { MOST_AHEAD_MS } from '../mail/identity/judge-sender.ts';
import { lowerAscii, stripPlusTag } from '../mail/mime/address.ts';
import { ancestorsOf, messageIds } from '../mail/mime/message-ids.ts';
import { readSentMail } from '../mail/reading/sent-mail.ts';
import { replySubject } from '../mail/text/subject.ts';
import type { ArrivalQuery, ArrivalRows } from '../storage/ports/mail.ts';
import type { Store } from '../storage/ports/store.ts';
import { type Approval, type ApprovalNotice, againIn } from '../storage/types/approvals.ts';
import type { Doubt, SaidByOwner } from '../suspensions/answers/read-answer.ts';
import { answerId } from './answers/record-answer.ts';
import type { WriterDeps } from './deps.ts';
import type { MailFacts, NoticeFacts, RowFacts } from './facts.ts';
import { isRefusedByRules } from './rules/admit.ts';

const NO_ROWS: ArrivalRows = {
  duplicate: undefined,
  isSpent: false,
  sameId: undefined,
  threads: [],
  senderRuns: 0,
  slotAt: null,
  threadRuns: 0,
  alike: [],
};

/**
 * Reads what a decision about this mail rests on beside the mail itself. Writes nothing. `isSupposedNew`: the rows of
 * earlier mail are not read, and there are taken to be none.
 */
export async function look(
  deps: WriterDeps,
  facts: MailFacts,
  { isSupposedNew }: { readonly isSupposedNew: boolean },
): Promise<RowFacts> {
  const { persona, command } = facts;
  const query = queryOf(deps, facts);
  const rest = {
    query,
    waiting: await deps.waitingFor(persona),
    answersOfAll: deps.circuit.answers(facts.now),
  };
  // A database is made at the first mail that is taken in.
  if (!deps.stores.exists(persona.id))
    return {
      ...rest,
      arrival: NO_ROWS,
      quotable: [],
      isCommandUsed: false,
      besideCommand: null,
      notice: null,
      takesBack: [],
    };
  return deps.stores.use(persona.id, async (store) => {
    const isCommandUsed = command !== null && (await store.knowsSignature(signedAs(command, query)));
    // What is stopped too soon can go on; what goes on too soon cannot be called back.
    const besideCommand = command === 'resume' && !isCommandUsed ? await saidBeside(store, facts) : null;
    const notice = await findNotice(deps, store, facts);
    const arrival = isSupposedNew || isRefusedByRules(facts) ? NO_ROWS : await store.readForArrival(query);
    // It is acknowledged because of another copy, which then has to be on disk.
    if (isCommandUsed || notice?.isAnswered || arrival.isSpent || arrival.duplicate !== undefined)
      await store.flushed();
    const quotable = await quotableOf(store, facts, arrival);
    const takesBack = notice === null ? await takenBackBy(store, facts, arrival) : [];
    return { ...rest, isCommandUsed, besideCommand, notice, arrival, quotable, takesBack };
  });
}

/**
 * For STOP it does not count that a silent mail had its signature before: else whoever hands in a copy first, and marks it as a
 * program's, would take an owner's STOP away. For RESUME it counts.
 */
const signedAs = (command: OwnerCommand, query: ArrivalQuery): Pick<ArrivalQuery, 'signatures' | 'bySignature'> =>
  command === 'stop' ? { ...query, bySignature: false } : query;

/** Of somebody who is not proven nothing is believed in any case. */
const quotableOf = async (store: Store, { identity }: MailFacts, { threads: [thread] }: ArrivalRows) =>
  thread && identity.authenticated && identity.address !== null ? store.quotableMails(thread.id, identity.address) : [];

/**
 * What waits for owners because its sender asked for it, and its first line takes back by the words that owners have for that. It
 * takes away only, so that whatever stands beside them goes on to the run.
 */
async function takenBackBy(
  store: Store,
  facts: MailFacts,
  { threads: [thread] }: ArrivalRows,
): Promise<readonly Approval[]> {
  const { identity, admission, mail } = facts;
  const isOurs = admission.verdict === 'admit' && (admission.tier === 'owner' || admission.tier === 'member');
  if (!isOurs || !identity.authenticated || identity.address === null || thread === undefined) return [];
  const open = await store.askedAfterAnswer({ threadId: thread.id, sender: identity.address });
  if (open.length === 0) return [];
  const { accounted } = await account(store, facts, []);
  return readUndo(accounted.typed, [1]) !== null || readOwnerCommand(mail) === 'stop' ? open : [];
}

/** The same mail from the same sender, whatever way it comes, is answered once: a unique index guards this key. */
const answeredOnceKey = ({ mail, identity }: Pick<MailFacts, 'mail' | 'identity'>): string =>
  sha256([mail.messageId, identity.address ?? '', mail.dateHeader].join('\n'));

/** The mails that it answers, the nearest first; ours have small letters alone, whatever a program has made of them. */
const answeredBy = ({ inReplyTo, references }: Pick<MailFacts['mail'], 'inReplyTo' | 'references'>): string[] => [
  ...new Set([...inReplyTo, ...references.toReversed()].flatMap((id) => [id, lowerAscii(id)])),
];

/** What an arriving mail is compared with, and what of it is used up. */
export function queryOf({ configs }: Pick<WriterDeps, 'configs'>, facts: MailFacts): ArrivalQuery {
  const { persona, mail, identity, loopGuard, now } = facts;
  const validMs = configs().security.signature_max_age_days * DAY_MS;
  return {
    duplicateKey: answeredOnceKey(facts),
    messageId: mail.messageId,
    sender: identity.address,
    proven: identity.authenticated,
    bySignature: identity.authenticated && identity.covers !== null,
    references: answeredBy(mail),
    ancestors: ancestorsOf(mail),
    limits: [
      loopGuard.max_replies_per_sender_per_hour,
      loopGuard.max_replies_per_thread_per_hour,
      persona.budget.runs_per_sender_per_hour ?? 0,
    ],
    runsPerHour: persona.budget.runs_per_sender_per_hour,
    counted: countedAs(facts),
    signatures: identity.signatures,
    // Of a time to come, and read out of a mailbox as late again, it is still known.
    forgottenBefore: now - 2 * validMs - MOST_AHEAD_MS,
    now,
  };
}

/** Owners are not counted: whoever may change the limits need not be held by them. */
function countedAs({ mail, identity, admission, loopGuard }: MailFacts): NonNullable<ArrivalQuery['counted']> | null {
  const isOwner = admission.verdict === 'admit' && admission.tier === 'owner';
  if (identity.address === null || isOwner || loopGuard.max_fast_replies === 0) return null;
  const subject = replySubject(mail.subject);
  // What goes along with a report of a program is the mail that it answers.
  const files = mail.attachments.filter(({ type }) => type !== 'message/rfc822').map(({ sha256: hash }) => hash);
  return {
    proven: identity.authenticated ? 1 : 0,
    sender: keyOf(stripPlusTag(identity.address)),
    family: keyOf(familyOf(identity.address)),
    subject: keyOf(subject.toLowerCase().replace(/\d+/g, '#')),
    sketch: sketchOf({ text: mail.newText, subject: subject.slice('Re:'.length), files }),
    fastMs: loopGuard.fast_reply_s * 1000,
  };
}

const keyOf = (text: string): string => sha256(text).slice(0, 16);

const NOTHING_SAID = { typed: '', language: null, doubt: null } as const;

/** The notice that a mail names by its token, else by what it answers. */
async function findNotice(
  { gateway }: WriterDeps,
  store: Store,
  { persona, token, mail, identity, mayAnswer }: MailFacts,
): Promise<NoticeFacts | null> {
  const byToken = token ? await store.findNotice({ tokenSha256: sha256(token.token) }) : undefined;
  const messageIds = answeredBy(mail);
  const found = byToken ?? (messageIds.length > 0 ? await store.findNotice({ messageIds }) : undefined);
  if (!found) return null;
  const { notice, items } = found;
  const undo = items.length === 0 ? await store.undoOfNotice(notice.id) : [];
  const senders = items.length + undo.length === 0 ? await gateway.senderQuestions(notice.id) : [];
  const isAnswered = await store.knowsAnswer(answerId(notice.id, mail, identity.address ?? ''));
  return {
    notice,
    items,
    undo,
    again: againIn(notice),
    senders,
    tools: items.length + undo.length + senders.length === 0 ? ((await gateway.toolQuestion(notice.id)) ?? null) : null,
    isAnswered,
    // Nobody else's words decide anything, and a mail decides once.
    said:
      mayAnswer && !isAnswered
        ? await saidIn(store, { ...found, byToken: byToken !== undefined }, { mail, identity }, persona.name)
        : NOTHING_SAID,
  };
}

/**
 * One for all addresses that differ only in numbers, in their plus-tag or in the first label of their host: what a
 * program writes from which takes another one for each mail. The key of an address, and no address. Pure.
 */
export function familyOf(address: string): string {
  const key = lowerAscii(stripPlusTag(address));
  const at = key.lastIndexOf('@');
  const parts = key.slice(0, at).split(/([-_.=])/);
  const local = parts.map((part) => (/\d/.test(part) ? '#' : part)).join('');
  const labels = key.slice(at + 1).split('.');
  const [, next = ''] = labels;
  // Below a short label anybody may have a name: `a.co.uk` and `b.co.uk` are two companies.
  const host = labels.length > 2 && next.length > 3 ? ['*', ...labels.slice(1)] : labels;
  return `${local}@${host.join('.').replace(/\d+/g, '#')}`;
}

type Given = Pick<MailFacts, 'mail' | 'identity'>;
type Rows = Pick<Store, 'mailsQuotable' | 'earlierTexts' | 'areSentByUs'>;

/** The notice that a mail names; `byToken`: by its token, which stands in the address that takes its answers. */
interface Asked {
  readonly notice: ApprovalNotice;
  readonly items: readonly Approval[];
  readonly byToken: boolean;
}

/** What a proven owner's answer to a notice says, with every line of it accounted for. */
async function saidIn(
  store: Rows,
  { notice, items, byToken }: Asked,
  given: Given,
  persona: string,
): Promise<SaidByOwner> {
  const { mail } = given;
  const read = await account(store, given, [notice.message_id]);
  const { typed } = read.accounted;
  const language = languageOfWords(read.sent[0]?.versions[0] ?? '');
  const sender = mail.from.kind === 'one' ? (mail.from.mailbox.name ?? '') : '';
  const said = { typed, language, sender, persona };
  if (mail.reaction) return { ...said, doubt: A_REACTION };
  if (await answersAnother(store, { notice, byToken }, given, read)) return { ...said, doubt: ANOTHER_MAIL };
  const subject = doubtfulSubject(mail.subject, read.sent);
  const asked = valuesIn(items.map(({ arguments_json: values }) => values).join('\n'));
  return { ...said, doubt: subject === null ? await doubtBeside(store, given, read, asked) : beside(subject) };
}

/** A line of a mail with an owner's command that may change it; null where the command is all that it says. */
async function saidBeside(store: Rows, given: Given): Promise<string | null> {
  const read = await account(store, given, []);
  const line = besideCommand(read.accounted.typed);
  if (line !== null) return line;
  const doubt = await doubtBeside(store, given, read, new Set());
  return doubt === null ? null : (doubt.detail ?? '…');
}

/**
 * Whether the very mail that was answered may be none of ours: whoever has the id or the token of a question can have an
 * answer to a mail of his own brought along with it. The id that a relay gave our mail is known by what it said when it took the
 * mail; where it did not say, a head above our quoted mail has to name the address that it came from. An id of ours anybody may
 * put on his mail who has seen it: beside it there has to be the token, a line of our mail, or its subject. It takes away
 * only, so that In-Reply-To counts whoever signed it.
 */
async function answersAnother(
  store: Rows,
  { notice, byToken }: Pick<Asked, 'notice' | 'byToken'>,
  { mail }: Given,
  { accounted, sent }: Read,
): Promise<boolean> {
  const named = mail.headers.filter(({ name, value }) => name === 'in-reply-to' && value.trim() !== '');
  const ids = messageIds(named.map(({ value }) => value));
  if (
    named.length > 0 &&
    (ids.length === 0 || !(await store.areSentByUs(ids, [notice.message_id, ...mail.references])))
  )
    return !accounted.heads.some((head) => sent.some(({ from }) => from !== '' && placeOfName(head, from) >= 0));
  return !(byToken || accounted.quotesUs || isSubjectOf(mail.subject, sent));
}

interface Read {
  readonly accounted: Accounted;
  /** The plain text, where it says something else than the HTML. */
  readonly other: Accounted | null;
  readonly sent: readonly SentMail[];
}

async function account(store: Rows, { mail }: Given, about: readonly string[]): Promise<Read> {
  const ids = [...about, ...mail.inReplyTo, ...mail.references.toReversed()];
  const sent = (await store.mailsQuotable([...new Set(ids)])).flatMap(
    ({ raw, created_at: at }) => readSentMail(raw, at) ?? [],
  );
  const other = mail.otherPieces === null ? null : accountFor(mail.otherPieces, sent);
  return { sent, accounted: accountFor(mail.pieces, sent), other };
}

/** Why the typed words may not be all that was said. */
async function doubtBeside(
  store: Rows,
  given: Given,
  { accounted, other }: Read,
  asked: ReadonlySet<TimeOrAmount>,
): Promise<Doubt | null> {
  // What was cut off may say anything.
  if (given.mail.isCut) return { why: 'too_long', detail: null };
  if (other !== null && wordsOf(other) !== wordsOf(accounted)) return { why: 'more_words', detail: null };
  const earlier = await earlierOf(store, given, accounted);
  const line = [accounted, ...(other === null ? [] : [other])]
    .map((each) => doubtfulLine(each, { earlier, asked }))
    .find((each) => each !== null);
  return line === undefined ? null : beside(line);
}

const beside = (line: string): Doubt => ({ why: 'beside', detail: line });

/** All that is not ours, wherever a version draws the line between words and signature. */
const wordsOf = ({ typed, unexplained }: Accounted): string =>
  [...typed.split('\n'), ...unexplained.flatMap(({ lines }) => lines)].map(foldLine).toSorted().join('');

/** They are asked for only where they may tell a signature. */
const earlierOf = (store: Rows, { identity: { address } }: Given, { unexplained }: Accounted) =>
  address !== null && unexplained.some(({ kind }) => kind === 'signature')
    ? store.earlierTexts(address)
    : Promise.resolve([]);

const ANOTHER_MAIL: Doubt = { why: 'another_mail', detail: null };
const A_REACTION: Doubt = { why: 'reaction', detail: null };
