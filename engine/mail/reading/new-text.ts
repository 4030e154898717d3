import type { Piece, PieceKind } from '#contract';
import { labelLines } from '../text/labels/label-lines.ts';
import type { LabelContext, Line } from '../text/labels/line.ts';
import { tidyLines } from '../text/lines.ts';
import { isFooter } from '../text/phrases.ts';
import { ANY_MARK } from '../text/quote-marks.ts';

export interface SplitText {
  readonly newText: string;
  readonly quotedText: string;
  readonly signature: string;
  readonly forwardedText: string;
  readonly pieces: readonly Piece[];
}

const MAX_SIGNATURE_LINES = 30;

/**
 * What the sender wrote now, apart from quoted history, signature and forwarded mail. Lines are only sorted, never
 * made up. The text may hold the marks of html/quote-marks.ts.
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
function piecesOf(lines: readonly Line[]): Piece[] {
  const groups: { readonly kind: PieceKind; readonly lines: Line[] }[] = [];
  for (const line of lines) {
    const kind = KINDS[line.kind];
    const last = groups.at(-1);
    if (last && (last.kind === kind || line.text.trim() === '')) last.lines.push(line);
    else if (line.text.trim() !== '') groups.push({ kind, lines: [line] });
  }
  return groups.map(({ kind, lines: own }) => ({ kind, text: join(own) }));
}

const KINDS: Readonly<Record<Line['kind'], PieceKind>> = {
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

const join = (lines: readonly Line[]): string => tidy(lines.map((line) => line.text).join('\n'));

const tidy = (text: string): string => tidyLines(text.replace(ANY_MARK, '')).replace(/^\n+/, '').trimEnd();

/**
 * `-- ` (RFC 3676 section 4.3) to the end of what was written there, and the last line that a phone adds. Some programs lose
 * the blank: two dashes alone mark a signature only where they part nothing else.
 */
function labelSignature(lines: readonly Line[]): void {
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

function runsOf(lines: readonly Line[], belongs: (line: Line) => boolean): Line[][] {
  const runs: Line[][] = [];
  let open = false;
  for (const line of lines) {
    const inside = belongs(line);
    if (inside && open) runs.at(-1)?.push(line);
    else if (inside) runs.push([line]);
    open = inside;
  }
  return runs;
}
