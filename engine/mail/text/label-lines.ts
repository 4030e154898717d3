import { headerBlockAt } from './header-block.ts';
import { copiedField, hasDate, isAttribution, isForwardMark, isOriginalMark, isRule, MAX_LINE } from './phrases.ts';
import { MARKS } from './quote-marks.ts';

export type LineKind = 'new' | 'quoted' | 'attribution' | 'signature' | 'older' | 'forwarded';

export interface Line {
  readonly text: string;
  kind: LineKind;
  /** Inside a quote that the HTML marks: surely not written now. */
  readonly marked: boolean;
}

export interface LabelContext {
  readonly isReply: boolean;
  readonly isForward: boolean;
}

const SIGNS = new Set<string>(Object.values(MARKS));

/** Says of every line who wrote it. Lines that hold only a mark are gone from the result. */
export function labelLines(text: string, context: LabelContext): Line[] {
  const lines = readMarks(text, context);
  const cut = olderFrom(lines, context);
  if (cut) {
    for (const line of lines.slice(cut.index)) line.kind = cut.kind;
  }
  labelAttributions(lines, context);
  labelWrapped(lines);
  return lines;
}

/** First pass: `>` signs and the marks of the HTML. */
function readMarks(text: string, context: LabelContext): Line[] {
  const lines: Line[] = [];
  let quotes = 0;
  let kind: LineKind = 'new';
  for (const line of text.split('\n')) {
    const sign = line.replace(/^[>\s]+/, '').trim();
    if (SIGNS.has(sign)) {
      if (sign === MARKS.quoteStart) quotes += 1;
      else if (sign === MARKS.quoteEnd) quotes = Math.max(0, quotes - 1);
      else kind = kindAfter(sign, kind, context);
    } else if (quotes > 0) {
      lines.push({ text: line, kind: kind === 'new' ? 'quoted' : kind, marked: true });
    } else {
      const quoted = kind === 'new' && /^ {0,3}>(?!From )/.test(line);
      lines.push({ text: line, kind: quoted ? 'quoted' : kind, marked: kind !== 'new' });
    }
  }
  return lines;
}

function kindAfter(sign: string, kind: LineKind, context: LabelContext): LineKind {
  if (kind === 'older' || kind === 'forwarded') return kind;
  if (sign === MARKS.rest) return context.isForward ? 'forwarded' : 'older';
  if (sign === MARKS.attributionStart) return 'attribution';
  return sign === MARKS.signatureStart ? 'signature' : 'new';
}

/** Where older mail begins that is not indented: a separator or a copied header block. Null when there is none. */
function olderFrom(lines: readonly Line[], { isReply, isForward }: LabelContext) {
  for (const [index, line] of lines.entries()) {
    const text = bare(line);
    if (text === '' || !startsSomething(lines, index)) continue;
    if (isForwardMark(text)) return { index, kind: 'forwarded' } as const;
    if (line.kind !== 'new') continue;
    // Pasted into a mail that answers nothing, it is somebody else's mail handed on.
    const kind = isForward || !isReply ? ('forwarded' as const) : ('older' as const);
    if (isOriginalMark(text)) return { index, kind };
    if (isHeaderBlock(lines, index, { isReply, isForward }))
      return { index: isRule(bare(lines[index - 1])) ? index - 1 : index, kind };
  }
  return null;
}

/** A forward mark counts where a quote begins, not deep inside an older conversation. */
function startsSomething(lines: readonly Line[], index: number): boolean {
  const line = lines[index];
  if (line?.kind !== 'quoted') return line?.kind === 'new' || line?.kind === 'attribution';
  let before = index - 1;
  while (before >= 0 && bare(lines[before]) === '') before -= 1;
  const previous = lines[before];
  return previous?.kind !== 'quoted' && previous?.kind !== 'attribution' && !/[:：]$/.test(bare(previous));
}

/**
 * A block that names an address and says when a mail was sent is one. With one of the two it is one only where something
 * else says that older mail begins there: a travel order and a dictated letter are the sender's own words.
 */
function isHeaderBlock(lines: readonly Line[], index: number, { isReply, isForward }: LabelContext): boolean {
  const block = headerBlockAt(lines.slice(index, index + MAX_BLOCK).map(bare));
  if (block === null) return false;
  const { hasAddress, hasSentDate } = block;
  if (hasAddress && hasSentDate) return true;
  const isParted = isRule(bare(lines[index - 1]));
  if (!hasAddress && !hasSentDate) return isParted && hasKnownLabels(lines.slice(index, index + block.lines));
  return (hasSentDate && isReply) || isForward || isParted;
}

/** From, to, when and about what, in a language that is known: below a drawn line that is enough. */
const hasKnownLabels = (rows: readonly Line[]): boolean =>
  new Set(rows.flatMap((row) => copiedField(bare(row)) ?? [])).size >= 3;

const MAX_BLOCK = 16;

/** With a colon, or between two drawn lines: "---- On Monday Ada wrote ----". */
const ENDS_ATTRIBUTION = /[:：]$|^-{2,10}[^-].{0,380}[^-]-{2,10}$/u;

function labelAttributions(lines: Line[], { isReply }: LabelContext): void {
  for (const [index, line] of lines.entries()) {
    const text = line.kind === 'new' ? bare(line) : '';
    if (!ENDS_ATTRIBUTION.test(text) || text.length > MAX_LINE) continue;
    const next = lines.slice(index + 1, index + 4).find((each) => bare(each) !== '');
    const beforeQuote = next?.kind === 'quoted';
    const start = attributionStart(lines, index, !beforeQuote);
    if (start === null || !(beforeQuote || isReply)) continue;
    for (const each of lines.slice(start, index + 1)) each.kind = 'attribution';
    if (beforeQuote) continue;
    // No quote signs follow: everything below is the older mail.
    for (const each of lines.slice(index + 1)) each.kind = 'older';
    return;
  }
}

/** A program that breaks long lines loses the quote sign of the rest: what goes on in the middle of a sentence was quoted, too. */
function labelWrapped(lines: readonly Line[]): void {
  for (const [index, line] of lines.entries()) {
    const [before, after] = [lines[index - 1], lines[index + 1]];
    if (line.kind !== 'new' || before?.kind !== 'quoted' || after?.kind !== 'quoted') continue;
    const goesOn = before.text.length >= MIN_WRAPPED && /[^\s.?!:;。？！]\s?$/u.test(before.text);
    if (goesOn && /^\p{Ll}/u.test(line.text)) line.kind = 'quoted';
  }
}

/** Programs break lines at 72 characters or more. */
const MIN_WRAPPED = 60;

/** An attribution may be wrapped over up to three lines: take as many as it needs to have its date. */
function attributionStart(lines: readonly Line[], end: number, sure: boolean): number | null {
  let joined = '';
  for (let start = end; start > end - 3 && start >= 0; start -= 1) {
    const line = lines[start];
    const text = bare(line);
    if (line?.kind !== 'new' || text === '' || joined.length + text.length > MAX_LINE) break;
    joined = joined === '' ? text : `${text} ${joined}`;
    if (isAttribution(joined, sure) && hasDate(joined)) return start;
  }
  return isAttribution(bare(lines[end]), sure) ? end : null;
}

/** Without quote signs, and without the stars that some programs put around bold words. */
function bare(line: Line | undefined): string {
  const text = line?.text ?? '';
  return text
    .slice(0, 4000)
    .replace(/^[>\s]+/, '')
    .trim();
}
