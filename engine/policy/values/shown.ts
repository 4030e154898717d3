import type { Piece, PieceKind } from '#contract';
import { atFirstUse } from '../../lib/kept-value.ts';
import { isPlainSignature, piecesOf, writtenIn } from '../../mail/pieces/partition.ts';
import { isQuoteFrame, type QuotedOnes } from '../../mail/text/quote-frame.ts';
import { isForwardSubject, isReplySubject, replySubject } from '../../mail/text/subject.ts';
import { answeredRequestOf, packetOf } from '../../record/trigger.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { Packet } from '../../storage/types/suspensions.ts';
import type { Asker } from '../call.ts';

/** A piece of what a model was shown, with where it came from. */
export interface Shown {
  /** In words for an owner. */
  readonly origin: string;
  readonly text: string;
  /** The word of an owner, or of the very member whose mail is answered: what stands in it may be acted upon. */
  readonly trusted: boolean;
  /** Somebody else's words: from here on, what the run does may be their doing. */
  readonly foreign: boolean;
  /** The model's own words of an earlier time: what stands in them was never read anywhere. */
  readonly own: boolean;
  /** The tool that returned it. */
  readonly tool?: string;
}

/** Parts of the volatile block that hold nothing but the mail itself and facts of the gateway. */
const ABOUT_THE_MAIL = new Set(['current-input', 'invocation-metadata', 'thread-memory-state']);

/** Whether a mail is the word of an owner, or of the member for whom the run works. */
export const isTrusted = (
  { tier, from_address }: Pick<StoredMessage, 'tier' | 'from_address'>,
  asker: Asker,
): boolean => tier === 'owner' || (tier === 'member' && asker?.tier === 'member' && from_address === asker.address);

/** The mail that is answered, piece by piece, and what a resolver put beside it. */
export function shownOfMail(
  loaded: Pick<LoadedRun, 'message' | 'attachments' | 'trigger'>,
  asker: Asker,
  block: string,
  parts: readonly { readonly resolver: string; readonly slot: string; readonly chars?: number }[],
  earlier: readonly Shown[] = [],
  record: QuoteRecord = NO_RECORD,
): Shown[] {
  const packet = packetOf(loaded);
  if (packet) return shownOfPacket(packet, loaded.message.new_text);
  const { message, attachments } = loaded;
  const asked = answeredRequestOf(loaded);
  // The block names the subject of the request, and its sender by the name that they gave.
  const namesOthers = asked ? !isTrusted(asked.request, asker) : false;
  const isRecalled = parts.some(
    ({ resolver, slot, chars = 1 }) =>
      (slot === 'volatile' && !ABOUT_THE_MAIL.has(resolver) && chars > 0) ||
      (slot === 'history' && resolver !== 'thread-history'),
  );
  const pictures = attachments.some(({ type, unreadable }) => type.startsWith('image/') && unreadable === null);
  const { subject } = message;
  const names = attachments.map(({ name }) => name).join('\n');
  const isMail = attachments.some(({ type }) => type === 'message/rfc822');
  const invited = fencedIn(block, 'invitation').inside;
  const isOwnSubject =
    isTrusted(message, asker) && ((beginsItsSubject(message) && !isMail) || goesOn(subject, earlier));
  return [
    ...shownOfWords(message, asker, 'the mail that is answered', quotesOn(record)),
    isOwnSubject || !isTrusted(message, asker) || !wasClean(subject, earlier)
      ? subjectOf('its subject', subject, isOwnSubject)
      : { ...subjectOf('its subject', subject, false), foreign: false },
    // Whoever sends a file on did not name it; a name is long enough to say what is to be done.
    { origin: 'the names of its attachments', text: names, trusted: false, foreign: names !== '', own: false },
    // Whoever sends an invitation on did not write it.
    { origin: 'an invitation that came with it', text: invited, trusted: false, foreign: invited !== '', own: false },
    {
      origin: 'what stood beside the mail',
      text: block,
      trusted: false,
      foreign: isRecalled || namesOthers || pictures,
      own: true,
    },
  ];
}

/**
 * What a child run was handed is the words of a model, whatever it had read: only to addresses to which its parent could
 * go by itself may it go by itself.
 */
function shownOfPacket({ tainted, read }: Packet, text: string): Shown[] {
  const piece = { origin: 'what it was handed', trusted: false, foreign: tainted };
  return [
    // First: it was read before the model said it.
    { ...piece, text: read.join('\n'), own: false },
    { ...piece, text, own: true },
  ];
}

const FENCES = {
  invitation: /<invitation_([0-9a-f]{16})>\n/g,
  knowledge_document: /<knowledge_document_([0-9a-f]{16})>\n/g,
} as const;

/** Words of others in a text of ours, between the fences that nothing in them can close; and the text without them. */
export function fencedIn(
  text: string,
  name: keyof typeof FENCES,
): { readonly inside: string; readonly outside: string } {
  const inside: string[] = [];
  const outside: string[] = [];
  let from = 0;
  for (const { index, 0: open, 1: mark } of text.matchAll(FENCES[name])) {
    if (index < from) continue;
    const start = index + open.length;
    const close = text.indexOf(`\n</${name}_${mark}>`, start);
    const end = close === -1 ? text.length : close;
    inside.push(text.slice(start, end));
    outside.push(text.slice(from, index));
    from = end;
  }
  return { inside: inside.join('\n'), outside: [...outside, text.slice(from)].join('\n') };
}

const subjectOf = (origin: string, text: string, trusted: boolean): Shown => ({
  origin,
  text,
  trusted,
  own: false,
  foreign: !trusted && text.trim() !== '',
});

/**
 * The subject of an earlier mail of the thread, without the mails that came with it: there it counts as foreign. `isClean`: the
 * run that answered it was shown this subject, and by its record no words of others.
 */
export function shownOfSubject(message: StoredMessage, asker: Asker, isClean = false): Shown {
  const isTheirs = isTrusted(message, asker);
  const shown = subjectOf(
    `${EARLIER_SUBJECT}${message.from_address ?? 'the thread'}`,
    message.subject,
    isTheirs && beginsItsSubject(message),
  );
  return isTheirs && isClean ? { ...shown, foreign: false } : shown;
}

export const EARLIER_SUBJECT = 'the subject of an earlier mail of ';

/** A thread that began with the asker's own words has them for its subject, however often it was answered. */
const goesOn = (subject: string, earlier: readonly Shown[]): boolean =>
  earlier.some(
    ({ origin, text, trusted }) =>
      trusted && origin.startsWith(EARLIER_SUBJECT) && replySubject(text) === replySubject(subject),
  );

/** Whether a run was shown this subject that by its record was shown no words of others. */
const wasClean = (subject: string, earlier: readonly Shown[]): boolean =>
  earlier.some(
    ({ origin, text, foreign }) =>
      !foreign && origin.startsWith(EARLIER_SUBJECT) && replySubject(text) === replySubject(subject),
  );

/**
 * The words of a mail, piece by piece: what its sender wrote now is theirs, and everything else is nobody's word. `isKnown`:
 * whether others had no part in what is quoted, by the record.
 */
export function shownOfWords(
  message: StoredMessage,
  asker: Asker,
  name: string,
  isKnown: (quote: string) => boolean = () => false,
): Shown[] {
  const trusted = isTrusted(message, asker);
  const pieces = piecesOf(message);
  return [
    { origin: name, text: writtenIn(message), trusted, foreign: !trusted, own: false },
    ...pieces.flatMap((piece, at): Shown[] => {
      const { kind, text } = piece;
      if (kind === 'written') return [];
      const isNobodysElse = isPlainSignature(piece) || (isQuoted(piece) && isKnown(wholeQuote(pieces, at)));
      return [
        { origin: `${BESIDE[kind]} ${name}`, text, trusted: false, foreign: !trusted || !isNobodysElse, own: false },
      ];
    }),
  ];
}

const isQuoted = ({ kind }: Piece): boolean => kind === 'quoted' || kind === 'asked';

/** With the pieces of the same quotation around it: what is answered in it may end within a paragraph. */
function wholeQuote(pieces: readonly Piece[], at: number): string {
  const first = pieces.findLastIndex((piece, index) => index < at && !isQuoted(piece)) + 1;
  const end = pieces.findIndex((piece, index) => index > at && !isQuoted(piece));
  return pieces
    .slice(first, end < 0 ? undefined : end)
    .map(({ text }) => text)
    .join('\n');
}

const BESIDE: Readonly<Record<Exclude<PieceKind, 'written'>, string>> = {
  asked: 'what is quoted in',
  quoted: 'what is quoted in',
  forwarded: 'what was forwarded with',
  signature: 'what stands below',
  unknown: 'what somebody else may have written in',
};

/** The subject of an answer, or of what was passed on, is as a rule somebody else's. */
export const beginsItsSubject = ({
  in_reply_to,
  references,
  forwarded_text,
  subject,
}: Pick<StoredMessage, 'in_reply_to' | 'references' | 'forwarded_text' | 'subject'>): boolean =>
  in_reply_to === null &&
  references.length === 0 &&
  forwarded_text === '' &&
  !isForwardSubject(subject) &&
  !isReplySubject(subject);

/** A mail of the thread that others had no part in: the asker's own words, or an answer of a run that read no others'. */
export interface OnRecord {
  readonly text: string;
  /** Lines that no program has broken: each is one of its writer's. */
  readonly isOurs: boolean;
}

/** What a quotation may hold and still be nobody else's word. */
export interface QuoteRecord extends QuotedOnes {
  readonly mails: readonly OnRecord[];
}

export const NO_RECORD: QuoteRecord = { mails: [], names: [], addresses: [], subjects: [] };

/** Of a longer quotation nobody has looked at all of it. */
const [MAX_QUOTE, MAX_LINES] = [100_000, 3000];
/** So many lines are compared with such of the record. */
const MAX_COMPARED = 200_000;
/** A copied header has so many lines, an attribution fewer. */
const MAX_FRAME_LINES = 8;

/**
 * Whether all that is quoted stands word for word, in whole lines, in mails of the record, but for what programs put above a
 * quotation. One word more, less or in another place makes it somebody's. Pure.
 */
export function quotesOn(record: QuoteRecord): (quote: string) => boolean {
  const known = atFirstUse(() => record.mails.map(knownMail));
  const found = new Map<string, boolean>();
  return (quote) => {
    const isKnown = found.get(quote) ?? isOnRecord(quote, record, known);
    found.set(quote, isKnown);
    return isKnown;
  };
}

function isOnRecord(quote: string, record: QuoteRecord, mails: () => readonly Known[]): boolean {
  if (record.mails.length === 0 || quote.length > MAX_QUOTE) return false;
  const lines = quote.split('\n').filter((line) => !isDrawn(line));
  if (lines.length > MAX_LINES) return false;
  const plain = lines.map(plainLine);
  const known = mails();
  const compared = { lines: 0 };
  for (let at = 0; at < lines.length; ) {
    const covered = Math.max(...known.map((mail) => linesIn(mail, plain, at, compared))) || frameAt(lines, at, record);
    if (covered === 0) return false;
    at += covered;
  }
  return true;
}

/** Nothing, or a line of one sign. */
const isDrawn = (line: string): boolean => {
  const signs = new Set(line.replace(/[\s>＞|]+/gu, ''));
  return (
    signs.size === 0 || (signs.size === 1 && /[-_=*.…]/u.test([...signs].join(''))) || [...signs].join('') === '[…]'
  );
};

/** So many lines from this one on are what a program puts above a quotation; 0: none. */
function frameAt(lines: readonly string[], at: number, record: QuoteRecord): number {
  for (let count = Math.min(MAX_FRAME_LINES, lines.length - at); count > 0; count -= 1)
    if (isQuoteFrame(lines.slice(at, at + count).map(withoutSigns), record)) return count;
  return 0;
}

const withoutSigns = (line: string): string => line.replace(/^[\s>＞|]+/u, '');

/** Without what programs change when they quote: signs of quotes, of lists and of Markdown, and blanks. */
const plainLine = (line: string): string =>
  withoutSigns(line)
    .normalize('NFC')
    .replace(/^(?:[-+•*]\s+|#+\s+)/u, '')
    .replace(/[\s*_`~|[\](){}<>]+/gu, ' ')
    .replace(BETWEEN_UNPARTED, '')
    .trim();

const SIGNS = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\u3000-\\u303f\\uff00-\\uffef';
const UNPARTED = new RegExp(`[${SIGNS}]`, 'u');
const BETWEEN_UNPARTED = new RegExp(`(?<=[${SIGNS}])\\s+(?=[${SIGNS}])`, 'gu');

/** What stands between two lines that are read as one: in scripts without blanks nothing. */
const between = (before: string, line: string): string =>
  before === '' || (UNPARTED.test(before.at(-1) ?? '') && UNPARTED.test(line[0] ?? '')) ? '' : ' ';

interface Known {
  readonly text: string;
  readonly begins: readonly number[];
  readonly ends: ReadonlySet<number>;
}

/** A line that a program may have broken because of its length. */
const MIN_BROKEN = 45;

/** What is quoted begins and ends with lines of its writer: half a sentence may say something else. */
function knownMail({ text, isOurs }: OnRecord): Known {
  const lines = text.split('\n');
  const begins: number[] = [];
  const ends = new Set<number>();
  let [whole, isBegin] = ['', true];
  for (const [index, line] of lines.entries()) {
    const plain = plainLine(line);
    if (plain === '' || isDrawn(line)) {
      isBegin = true;
      continue;
    }
    whole += between(whole, plain);
    if (isBegin) begins.push(whole.length);
    whole += plain;
    isBegin = isOurs || line.trimEnd().length < MIN_BROKEN || (lines[index + 1] ?? '').trim() === '';
    if (isBegin) ends.add(whole.length);
  }
  return { text: whole, begins, ends };
}

/** How many of these lines, from this one on, stand in the mail in a row; the longest run counts. */
function linesIn(
  { text, begins, ends }: Known,
  lines: readonly string[],
  at: number,
  compared: { lines: number },
): number {
  let best = 0;
  for (const begin of begins) {
    let [place, before] = [begin, ''];
    for (let index = at; index < lines.length && compared.lines < MAX_COMPARED; index += 1) {
      compared.lines += 1;
      const line = lines[index] ?? '';
      const next = between(before, line) + line;
      if (!text.startsWith(next, place)) break;
      [place, before] = [place + next.length, line];
      if (ends.has(place)) best = Math.max(best, index - at + 1);
    }
    if (best === lines.length - at) break;
  }
  return best;
}
