import { type Accounted, accountFor } from '../../mail/approval/accounted/accounted.ts';
import { doubtfulLine, doubtfulSubject, isSubjectOf } from '../../mail/approval/accounted/beside.ts';
import { placeOfName } from '../../mail/approval/accounted/own-headers.ts';
import { foldLine, type SentMail } from '../../mail/approval/accounted/own-lines.ts';
import { type ValueKind, valuesIn } from '../../mail/approval/accounted/value-kinds.ts';
import { languageOfWords } from '../../mail/approval/approval-answer.ts';
import { besideCommand } from '../../mail/approval/owner-command.ts';
import { messageIds } from '../../mail/mime/message-ids.ts';
import { readSentMail } from '../../mail/reading/sent-mail.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval, ApprovalNotice } from '../../storage/types/approvals.ts';
import type { Doubt, Said } from '../../suspensions/answers/read-answer.ts';
import type { MailFacts } from '../facts.ts';

type Given = Pick<MailFacts, 'mail' | 'identity'>;
type Rows = Pick<Store, 'mailsQuotable' | 'earlierTexts' | 'areSentByUs'>;

/** The notice that a mail names; `byToken`: by its token, which stands in the address that takes its answers. */
interface Asked {
  readonly notice: ApprovalNotice;
  readonly items: readonly Approval[];
  readonly byToken: boolean;
}

/** What a proven owner's answer to a notice says, with every line of it accounted for. */
export async function saidIn(store: Rows, { notice, items, byToken }: Asked, given: Given): Promise<Said> {
  const { mail } = given;
  const read = await account(store, given, [notice.message_id]);
  const { typed } = read.accounted;
  const language = languageOfWords(read.sent[0]?.versions[0] ?? '');
  const said = { typed, language, sender: mail.from.kind === 'one' ? (mail.from.mailbox.name ?? '') : '' };
  if (mail.reaction) return { ...said, doubt: A_REACTION };
  if (await answersAnother(store, { notice, byToken }, given, read)) return { ...said, doubt: ANOTHER_MAIL };
  const subject = doubtfulSubject(mail.subject, read.sent);
  const asked = valuesIn(items.map(({ arguments_json: values }) => values).join('\n'));
  return { ...said, doubt: subject === null ? await doubtBeside(store, given, read, asked) : beside(subject) };
}

/** A line of a mail with an owner's command that may change it; null where the command is all that it says. */
export async function saidBeside(store: Rows, given: Given): Promise<string | null> {
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
  asked: ReadonlySet<ValueKind>,
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
