import { z } from 'zod';
import type { Piece, PieceKind } from '#contract';
import { readJson } from '../../lib/json.ts';
import { isPlainSignature, piecesOf, writtenIn } from '../../mail/pieces/pieces-of.ts';
import { isForwardSubject, isReplySubject, replySubject } from '../../mail/text/subject.ts';
import { type Origin, PERHAPS_OTHERS } from '../../record/origins.ts';
import { answeredRequestOf, packetOf } from '../../record/trigger.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { Packet } from '../../storage/types/suspensions.ts';
import type { Asker } from '../viewer.ts';
import { NO_RECORD, type QuoteRecord, quotesOn } from './quoted.ts';

/** A piece of what a model was shown, with where it came from. */
export interface ShownPiece {
  readonly origin: Origin;
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
  earlier: readonly ShownPiece[] = [],
  record: QuoteRecord = NO_RECORD,
): ShownPiece[] {
  const packet = packetOf(loaded);
  if (packet) return shownOfPacket(packet, loaded.message.new_text);
  const { message, attachments } = loaded;
  const asked = answeredRequestOf(loaded);
  // The block names the subject of the request, and its sender by the name that they gave.
  const namesOthers = asked ? !isTrusted(asked.request, asker) : false;
  const isRecalled = parts.some(
    ({ resolver, slot, chars = 1 }) =>
      ((slot === 'volatile' || slot === 'brief') && !ABOUT_THE_MAIL.has(resolver) && chars > 0) ||
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
    ...filesIn(block),
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
function shownOfPacket({ tainted, read }: Packet, text: string): ShownPiece[] {
  const piece = { origin: 'what it was handed', trusted: false, foreign: tainted } as const;
  return [
    // First: it was read before the model said it.
    { ...piece, text: read.join('\n'), own: false },
    { ...piece, text, own: true },
  ];
}

const FENCES = {
  // Of mails of before it has 16 digits.
  invitation: /<invitation_((?:[0-9a-f]{8}){1,2})>\n/g,
  knowledge_document: /<knowledge_document_([0-9a-f]{16})>\n/g,
  new_text: /<new_text_([0-9a-f]{8})>\n/g,
  quoted_text: /<quoted_text_((?:[0-9a-f]{8}){1,2})>\n/g,
  asked_text: /<asked_text_((?:[0-9a-f]{8}){1,2})>\n/g,
  thread_summary: /<thread_summary_([0-9a-f]{16})>\n/g,
  closed_thread: /<closed_thread_([0-9a-f]{16})>\n/g,
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

const IN_PLACE =
  /^All of \[attachment (\w{1,100})\](?:, part ("(?:[^"\\\n]|\\[^\n]){1,400}"|))?[^\n]*\n<attachment_([0-9a-f]{8})>\n/gm;

/** An attachment that stands whole in the block of a mail. */
interface FileInPlace {
  readonly id: string;
  /** The file in it of which this is all; absent: it is all of the attachment. Null: of a part whose name cannot be read. */
  readonly part?: string | null;
  readonly text: string;
  /** Where in the block its line begins. */
  readonly at: number;
}

export function filesInPlace(block: string): readonly FileInPlace[] {
  const files: FileInPlace[] = [];
  let from = 0;
  for (const { index, 0: open, 1: id, 2: named, 3: mark } of block.matchAll(IN_PLACE)) {
    if (index < from) continue;
    const start = index + open.length;
    const close = block.indexOf(`\n</attachment_${mark}>`, start);
    from = close === -1 ? block.length : close;
    files.push({ ...fileNamed(id, named), text: block.slice(start, from), at: index });
  }
  return files;
}

const NAME = '\\[attachment (\\w{1,100})\\](?:, part ("(?:[^"\\\\\\n]|\\\\[^\\n]){1,400}"|[^\\n]{0,500}?))?';
const SAME = new RegExp(`^${NAME} has the same words as ${NAME} above\\.$`, 'gm');
const ANY_FENCE = /^<([a-z_]{1,40}_(?:[0-9a-f]{8}){1,2})>\n/gm;

type FileName = Omit<FileInPlace, 'text' | 'at'>;

/** What stands around the texts of a block, in the words of the gateway. */
export function aroundTexts(block: string): string {
  const around: string[] = [];
  let from = 0;
  for (const { index, 0: open, 1: name } of block.matchAll(ANY_FENCE)) {
    if (index < from) continue;
    around.push(block.slice(from, index));
    const close = `\n</${name}>`;
    const end = block.indexOf(close, index + open.length - 1);
    from = end === -1 ? block.length : end + close.length;
  }
  return [...around, block.slice(from)].join('');
}

/** Files of a mail whose words stand above, each with the one that does. */
export const filesAbove = (block: string): readonly { readonly file: FileName; readonly same: FileName }[] =>
  [...aroundTexts(block).matchAll(SAME)].map(([, id, part, otherId, otherPart]) => ({
    file: fileNamed(id, part),
    same: fileNamed(otherId, otherPart),
  }));

/** A part that is named, and whose name is no JSON of ours, or was cut, is never taken for all of the attachment. */
function fileNamed(id = '', named: string | undefined): FileName {
  if (named === undefined) return { id };
  return { id, part: readJson(z.string(), named) ?? null };
}

/** Each as what reading it returns; of one that stands above, that it was read. */
export const filesIn = (block: string): readonly ShownPiece[] =>
  [...filesInPlace(block), ...filesAbove(block).map(({ file }) => ({ ...file, text: '' }))].map(
    ({ id, part, text }) => {
      const origin = `the result of read_attachment ${JSON.stringify({ id, part: part ?? undefined })}` as const;
      return { origin, text, trusted: false, foreign: true, own: false };
    },
  );

const subjectOf = (origin: Origin, text: string, trusted: boolean): ShownPiece => ({
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
export function shownOfSubject(message: StoredMessage, asker: Asker, isClean = false): ShownPiece {
  const isTheirs = isTrusted(message, asker);
  const shown = subjectOf(
    `${EARLIER_SUBJECT}${message.from_address ?? 'the thread'}`,
    message.subject,
    isTheirs && beginsItsSubject(message),
  );
  return isTheirs && isClean ? { ...shown, foreign: false } : shown;
}

export const EARLIER_SUBJECT = 'the subject of an earlier mail of ' as const;

/** A thread that began with the asker's own words has them for its subject, however often it was answered. */
const goesOn = (subject: string, earlier: readonly ShownPiece[]): boolean =>
  earlier.some(
    ({ origin, text, trusted }) =>
      trusted && origin.startsWith(EARLIER_SUBJECT) && replySubject(text) === replySubject(subject),
  );

/** Whether a run was shown this subject that by its record was shown no words of others. */
const wasClean = (subject: string, earlier: readonly ShownPiece[]): boolean =>
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
  name: Origin,
  isKnown: (quote: string) => boolean = () => false,
): ShownPiece[] {
  const trusted = isTrusted(message, asker);
  const pieces = piecesOf(message);
  return [
    { origin: name, text: writtenIn(message), trusted, foreign: !trusted, own: false },
    ...pieces.flatMap((piece, at): ShownPiece[] => {
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

const BESIDE = {
  asked: 'what is quoted in',
  quoted: 'what is quoted in',
  forwarded: 'what was forwarded with',
  signature: 'what stands below',
  unknown: PERHAPS_OTHERS,
} as const satisfies Readonly<Record<Exclude<PieceKind, 'written'>, string>>;

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
