import type { Piece, PieceKind } from '#contract';
import type { TextPlace } from '../mime/mailparser.ts';
import { bounded, stripInvisible } from '../text/invisible.ts';
import type { LabelContext, LabelLine } from '../text/labels/label-lines.ts';
import { labelLines } from '../text/labels/label-lines.ts';
import { tidyLines, withPlainLines } from '../text/lines.ts';
import { isFooter } from '../text/phrases.ts';
import { ANY_MARK, QUOTE_SIGN } from '../text/quote-marks.ts';
import { heldByPlain, holdsWords, sameWords } from '../text/words.ts';

export interface BodyText extends SplitText {
  readonly text: string;
  readonly isCut: boolean;
  readonly otherPieces: readonly Piece[] | null;
  readonly hiddenCharacters: number;
  readonly limitations: readonly string[];
}

const MAX_TEXT = 200_000;
/** Read before hidden characters are out; enough to fill what is kept. */
const MAX_PLAIN = 5 * MAX_TEXT;
const MAX_QUOTED = 50_000;

/** One text part, or one of the versions of it. */
export interface Version {
  /** What is read. */
  readonly text: string;
  /** The same with the HTML's own marks of quotes, where it has any. */
  readonly marked: string | null;
  readonly hidden: number;
  readonly isCut: boolean;
  /** Plain text and HTML, with its marks, where their words are not the same. */
  readonly both: { readonly plain: string; readonly html: string } | null;
  readonly limitations: readonly string[];
  readonly place: TextPlace;
  /** The plain text where the HTML is read instead, as long as it holds words. */
  readonly plain?: string | undefined;
}

export const TOO_LONG = 'The text was too long; only its beginning was read.';

export function plainVersion(part: string): Version {
  const { text, removed } = stripInvisible(withPlainLines(part.slice(0, MAX_PLAIN)));
  const isCut = part.length > MAX_PLAIN;
  const limitations = isCut ? [TOO_LONG] : [];
  return { text, place: 'letter', marked: null, hidden: removed, isCut, both: null, limitations };
}

/** One readable text out of those of all parts, and who wrote which part of it. */
export function bodyOf(versions: readonly Version[], context: LabelContext, isPlainFirst = false): BodyText {
  const hidden = versions.reduce((sum, version) => sum + version.hidden, 0);
  const whole = bounded(versions.map((version) => version.text).join('\n\n'), MAX_TEXT);
  const limitations = new Set(versions.flatMap((version) => version.limitations));
  if (whole.cut) limitations.add(`The text was cut after ${MAX_TEXT} characters.`);
  const split = isPlainFirst ? saidByBoth(versions, context) : bestSplit(versions, context);
  const quoted = bounded(split.quotedText, MAX_QUOTED);
  if (quoted.cut) limitations.add(`The quoted text was cut after ${MAX_QUOTED} characters.`);
  return {
    ...split,
    quotedText: quoted.text,
    text: withoutMarks(whole.text),
    isCut: whole.cut || versions.some((version) => version.isCut),
    otherPieces: otherPieces(versions, split, context),
    hiddenCharacters: hidden,
    limitations: [...limitations],
  };
}

/** Of the version that the split was not made of. */
function otherPieces(versions: readonly Version[], chosen: SplitText, context: LabelContext): readonly Piece[] | null {
  if (versions.every(({ both }) => both === null)) return null;
  const splitBy = (which: 'plain' | 'html') =>
    splitTexts(
      versions.map(({ both, text, place }) => ({ text: both?.[which] ?? text, place })),
      context,
    );
  const plain = splitBy('plain');
  return sameWords(plain.newText, chosen.newText) ? splitBy('html').pieces : plain.pieces;
}

/** The plain version keeps lines better; the HTML knows better what is quoted. Where both agree, the plain one wins. */
function bestSplit(versions: readonly Version[], context: LabelContext): SplitText {
  const split = splitTexts(versions, context);
  const byMarks = splitTexts(versions.map(asMarked), context);
  const isByHtml = versions.some(({ plain }) => plain !== undefined);
  if (!isByHtml && sameWords(split.newText, byMarks.newText)) return split;
  return newInBoth(byMarks, isByHtml ? splitTexts(versions.map(asPlain), context) : split);
}

/**
 * By the HTML, but only what the plain text has among what is new: marks may not stand where its writer put them, and what
 * makes that so may be somebody else's, who is quoted. A plain text of which the HTML has no line is no version of it ("Please
 * view this in a browser"), as long as nobody else has a word in either.
 */
function newInBoth(byMarks: SplitText, plain: SplitText): SplitText {
  // Where hardly a quoted line has its sign, a plain text does not tell an answer from what it answers.
  const quoted = plain.pieces.flatMap(({ kind, text }) => (kind === 'quoted' ? [text] : [])).join('\n\n');
  const told = areSigned(quoted) ? plain.newText : `${plain.newText}\n${quoted}`;
  const [isNew, isSignature] = [heldByPlain(told), heldByPlain(plain.signature)];
  const kindOf = (line: string) => (isNew(line) ? 'written' : isSignature(line) ? 'signature' : 'unknown');
  if (isAllWritten(plain) && isAllWritten(byMarks) && !byMarks.newText.split('\n').some(isNew)) return byMarks;
  return splitOf(
    byMarks.pieces.flatMap((piece) => (piece.kind === 'written' ? partedAt(piece.text, kindOf) : [piece])),
  );
}

/**
 * Whether a program has put signs before what it quotes; somebody may have quoted others within that. The rest of a line that the
 * program has broken may have lost its sign, and who is quoted can make that as long as he likes: it does not count.
 */
function areSigned(quoted: string): boolean {
  let [signed, bare, isRest] = [0, 0, false];
  for (const line of quoted.split('\n')) {
    const isSigned = QUOTE_SIGN.test(line);
    if (isSigned) signed += 1;
    else if (line.trim() !== '' && !isRest) bare += 1;
    isRest = line.trim() !== '' && (isSigned || isRest);
  }
  return signed * 3 >= bare;
}

const isAllWritten = ({ pieces }: SplitText): boolean => pieces.every(({ kind }) => kind === 'written');

/** Of the plain text, of which the HTML may say whose words they are: what is written in one of the two alone is nobody's. */
function saidByBoth(versions: readonly Version[], context: LabelContext): SplitText {
  const split = splitTexts(versions, context);
  if (versions.every(({ marked }) => marked === null)) return split;
  const { newText } = splitTexts(versions.map(asMarked), context);
  const isSaid = (line: string) => (holdsWords(newText, line) ? 'written' : 'unknown');
  return splitOf(split.pieces.flatMap((piece) => (piece.kind === 'written' ? partedAt(piece.text, isSaid) : [piece])));
}

type Said = 'written' | 'signature' | 'unknown';

/** What was written, line by line as it is now. */
function partedAt(text: string, kindOf: (line: string) => Said): Piece[] {
  const parts: { readonly kind: Said; readonly lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const kind = kindOf(line);
    const last = parts.at(-1);
    if (last && (last.kind === kind || line.trim() === '')) last.lines.push(line);
    else parts.push({ kind, lines: [line] });
  }
  return parts.map(({ kind, lines }) => ({ kind, text: lines.join('\n').trimEnd() }));
}

const asPlain = (version: Version): Version => ({ ...version, text: version.plain ?? version.text });
const asMarked = (version: Version): Version => ({ ...version, text: version.marked ?? version.text });

/**
 * The first text with words is the letter, where its place allows that, and what goes on with it behind a file, as long as
 * nothing else stands between. Of what stands in others nobody can say who wrote it: lists and servers put theirs there.
 */
function splitTexts(texts: readonly Pick<Version, 'text' | 'place'>[], context: LabelContext): SplitText {
  let room = MAX_TEXT;
  const pieces: Piece[] = [];
  for (const { text, place } of texts) {
    const isFirst = pieces.length === 0;
    const goesOn = place === 'behind_file' && pieces.every(({ kind }) => kind === 'written');
    const isLetter = place !== 'own' && (isFirst || goesOn);
    const { text: read } = bounded(text, room);
    room -= read.length;
    for (const piece of splitText(read, context).pieces)
      pieces.push(!isLetter && piece.kind === 'written' ? { ...piece, kind: 'unknown' } : piece);
  }
  return splitOf(pieces);
}

interface SplitText {
  readonly newText: string;
  readonly quotedText: string;
  readonly signature: string;
  readonly forwardedText: string;
  readonly pieces: readonly Piece[];
}

const MAX_SIGNATURE_LINES = 30;

/**
 * What the sender wrote now, apart from quoted history, signature and forwarded mail. Lines are only sorted, never
 * made up. The text may hold the marks of mail/text/quote-marks.ts.
 */
export function splitText(text: string, context: LabelContext): SplitText {
  const lines = labelLines(text, context);
  labelSignature(lines);
  return splitOf(piecesOf(lines));
}

/** The same of several texts. */
export const splitOf = (pieces: readonly Piece[]): SplitText => ({
  newText: joined(pieces, 'written'),
  quotedText: joined(pieces, 'quoted', 'asked', 'unknown'),
  signature: joined(pieces, 'signature'),
  forwardedText: joined(pieces, 'forwarded'),
  pieces,
});

/** Pieces of these kinds as one text. */
const joined = (pieces: readonly Piece[], ...kinds: PieceKind[]): string =>
  pieces
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ text }) => text)
    .join('\n\n');

/** Nothing is left out but blank lines between pieces of two kinds. */
function piecesOf(lines: readonly LabelLine[]): Piece[] {
  const groups: { readonly kind: PieceKind; readonly lines: LabelLine[] }[] = [];
  for (const line of lines) {
    const kind = KINDS[line.kind];
    const last = groups.at(-1);
    if (last && (last.kind === kind || line.text.trim() === '')) last.lines.push(line);
    else if (line.text.trim() !== '') groups.push({ kind, lines: [line] });
  }
  return groups.map(({ kind, lines: own }) => ({ kind, text: join(own) }));
}

const KINDS: Readonly<Record<LabelLine['kind'], PieceKind>> = {
  new: 'written',
  quoted: 'quoted',
  attribution: 'quoted',
  older: 'quoted',
  forwarded: 'forwarded',
  signature: 'signature',
  unknown: 'unknown',
};

/** Everything readable, without marks. */
export const withoutMarks = (text: string): string => tidyLines(text.replace(ANY_MARK, '')).trim();

const join = (lines: readonly LabelLine[]): string => tidy(lines.map((line) => line.text).join('\n'));

const tidy = (text: string): string => tidyLines(text.replace(ANY_MARK, '')).replace(/^\n+/, '').trimEnd();

/**
 * `-- ` (RFC 3676 section 4.3) to the end of what was written there, and the last line that a phone adds. Some programs lose
 * the blank: two dashes alone mark a signature only where they part nothing else.
 */
function labelSignature(lines: readonly LabelLine[]): void {
  for (const run of runsOf(lines, (line) => line.kind === 'new')) {
    const exact = run.findIndex((line) => /^--[ \u00a0]$/.test(line.text));
    const dashes = run.flatMap((line, index) => (line.text === '--' ? [index] : []));
    const at = exact >= 0 ? exact : dashes.length === 1 ? (dashes[0] ?? -1) : -1;
    if (at >= 0 && run.length - at <= MAX_SIGNATURE_LINES) for (const line of run.slice(at)) line.kind = 'signature';
    const last = run.findLastIndex((line) => line.kind === 'new' && line.text.trim() !== '');
    const footer = run[last];
    // A program puts a line of its own below a blank one.
    if (footer && (run[last - 1]?.text.trim() ?? '') === '' && isFooter(footer.text.trim())) footer.kind = 'signature';
  }
}

function runsOf(lines: readonly LabelLine[], belongs: (line: LabelLine) => boolean): LabelLine[][] {
  const runs: LabelLine[][] = [];
  let open = false;
  for (const line of lines) {
    const inside = belongs(line);
    if (inside && open) runs.at(-1)?.push(line);
    else if (inside) runs.push([line]);
    open = inside;
  }
  return runs;
}
