import type { Piece } from '../mime/types.ts';
import { bounded, stripInvisible } from '../text/invisible.ts';
import type { LabelContext } from '../text/label-lines.ts';
import { sameWords } from '../text/words.ts';
import { type SplitText, splitText, withoutMarks } from './new-text.ts';

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
}

export function plainVersion(part: string): Version {
  const { text, removed } = stripInvisible(part.slice(0, MAX_PLAIN).replace(/\r\n?/g, '\n'));
  const isCut = part.length > MAX_PLAIN;
  const limitations = isCut ? ['The text was too long; only its beginning was read.'] : [];
  return { text, marked: null, hidden: removed, isCut, both: null, limitations };
}

/** One readable text out of those of all parts, and who wrote which part of it. */
export function bodyOf(versions: readonly Version[], context: LabelContext): BodyText {
  const hidden = versions.reduce((sum, version) => sum + version.hidden, 0);
  const whole = bounded(versions.map((version) => version.text).join('\n\n'), MAX_TEXT);
  const limitations = new Set(versions.flatMap((version) => version.limitations));
  if (whole.cut) limitations.add(`The text was cut after ${MAX_TEXT} characters.`);
  const marked = versions.some((version) => version.marked !== null)
    ? bounded(versions.map((version) => version.marked ?? version.text).join('\n\n'), MAX_TEXT).text
    : null;
  const split = bestSplit(whole.text, marked, context);
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
  const splitOf = (which: 'plain' | 'html') =>
    splitText(bounded(versions.map(({ both, text }) => both?.[which] ?? text).join('\n\n'), MAX_TEXT).text, context);
  const plain = splitOf('plain');
  return sameWords(plain.newText, chosen.newText) ? splitOf('html').pieces : plain.pieces;
}

/** The plain version keeps lines better; the HTML knows better what is quoted. Where both agree, the plain one wins. */
function bestSplit(text: string, marked: string | null, context: LabelContext): SplitText {
  const split = splitText(text, context);
  if (marked === null || marked === text) return split;
  const byMarks = splitText(marked, context);
  return sameWords(split.newText, byMarks.newText) ? split : byMarks;
}
