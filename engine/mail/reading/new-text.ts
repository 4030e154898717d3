import type { Piece } from '../mime/types.ts';
import { type LabelContext, type Line, labelLines } from '../text/label-lines.ts';
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
/** How much of a question an inline answer keeps. */
const MAX_ASKED_LINES = 3;

/**
 * What the sender wrote now, apart from quoted history, signature and forwarded mail. Lines are only sorted, never
 * made up. The text may hold the marks of html/quote-marks.ts.
 */
export function splitText(text: string, context: LabelContext): SplitText {
  const lines = labelLines(text, context);
  const isAnswer = context.isReply || lines.some((line) => line.marked || line.kind === 'attribution');
  // In a mail that answers nothing, `>` marks something the sender cites for us: it belongs to the request.
  if (!isAnswer) for (const line of lines) if (line.kind === 'quoted') line.kind = 'new';
  labelSignature(lines);
  const of = (...kinds: Line['kind'][]) => join(lines.filter((line) => kinds.includes(line.kind)));
  return {
    newText: newTextOf(lines),
    quotedText: of('quoted', 'attribution', 'older'),
    signature: of('signature'),
    forwardedText: of('forwarded'),
    pieces: piecesOf(lines),
  };
}

/** Nothing is left out but blank lines between pieces of two kinds. */
function piecesOf(lines: readonly Line[]): Piece[] {
  const groups: { readonly kind: Line['kind']; readonly lines: Line[] }[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last && (last.kind === line.kind || line.text.trim() === '')) last.lines.push(line);
    else if (line.text.trim() !== '') groups.push({ kind: line.kind, lines: [line] });
  }
  return groups.map(({ kind, lines: own }) => ({ kind: kind === 'new' ? 'written' : kind, text: join(own) }));
}

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

interface Segment {
  readonly kind: 'new' | 'quoted';
  readonly lines: Line[];
}

function newTextOf(lines: readonly Line[]): string {
  const segments = segmentsOf(lines);
  const written = segments.filter((segment) => segment.kind === 'new');
  const quoted = segments.filter((segment) => segment.kind === 'quoted');
  const inline = written.length > 1 || quoted.length > 1;
  return tidy(
    segments
      .flatMap((segment, index) => {
        if (segment.kind === 'quoted') return [];
        const before = segments[index - 1];
        // One answer below one quote answers the whole of it; between quotes, an answer needs its question.
        const asked = inline && before?.kind === 'quoted' ? `${askedLines(before.lines)}\n` : '';
        return [asked + join(segment.lines)];
      })
      .join('\n\n'),
  );
}

/** Runs of new and of quoted lines; blank lines belong to what stands before them. */
function segmentsOf(lines: readonly Line[]): Segment[] {
  const segments: Segment[] = [];
  for (const line of lines) {
    const kind = line.kind === 'quoted' ? 'quoted' : 'new';
    const last = segments.at(-1);
    if (line.kind !== 'new' && line.kind !== 'quoted') continue;
    if (last && (last.kind === kind || line.text.trim() === '')) last.lines.push(line);
    else if (line.text.replace(/[>\s]/g, '') !== '') segments.push({ kind, lines: [line] });
  }
  return segments;
}

/** The end of a quote: what an answer below it answers. */
function askedLines(lines: readonly Line[]): string {
  const asked: string[] = [];
  for (const line of lines.toReversed()) {
    const text = line.text.replace(/^[>\s]+/, '').trim();
    if (text === '' && asked.length > 0) break;
    if (text !== '') asked.unshift(`> ${text.slice(0, 500)}`);
    if (asked.length === MAX_ASKED_LINES) break;
  }
  return asked.join('\n');
}
