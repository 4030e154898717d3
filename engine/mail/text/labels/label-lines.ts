import { atEnds, hasDate, isAttribution } from '../phrases.ts';
import { MARKS, QUOTE_SIGN } from '../quote-marks.ts';
import { looksQuoted, signedRuns } from '../quote-signs.ts';
import { labelHeads } from './heads.ts';
import {
  bare,
  type LabelContext,
  type Line,
  type LineKind,
  labelAll,
  labelDoubted,
  MOST_LONG,
  MOST_WRAPPED,
  wrappedFrom,
} from './line.ts';
import { labelOlder } from './older.ts';
import { labelWrapped } from './wrapped.ts';

/** What the mailbox format makes of a line that begins with "From ", and some programs of a quoted one (RFC 4155). */
const ESCAPED = /^>From /;

const SIGNS = new Set<string>(Object.values(MARKS));

/** Says of every line who wrote it. Lines that hold only a mark are gone from the result. */
export function labelLines(text: string, context: LabelContext): Line[] {
  const lines = readMarks(text, context);
  labelOlder(lines, context);
  labelEscaped(lines, context);
  labelSigned(lines, context);
  labelAttributions(lines, context);
  labelHeads(lines, context);
  labelWrapped(lines);
  return lines;
}

/** How far the marks of the HTML have opened. */
interface Open {
  quotes: number;
  indents: number;
  kind: LineKind;
}

/** Of these nothing is a line of its own beside a mark: the item of a list may begin with a quotation. */
const BEFORE_MARK = /^(?:[>\s]|(?:[-*•◦▪]|\d+[.)])(?=\s))*$/u;
const MARK = new RegExp(`([${[...SIGNS].join('')}])`);

/**
 * First pass: `>` signs and the marks of the HTML. A mark counts wherever it stands in a line: were that of a beginning not seen, the
 * one of its end would end the quotation around it.
 */
function readMarks(text: string, context: LabelContext): Line[] {
  const lines: Line[] = [];
  const open: Open = { quotes: 0, indents: 0, kind: 'new' };
  const take = (line: string): void => {
    lines.push({ text: line, kind: kindOf(line, open, context), marked: open.quotes > 0 || open.kind !== 'new' });
  };
  for (const line of text.split('\n')) {
    const [first = '', ...others] = line.split(MARK);
    if (others.length === 0 || !BEFORE_MARK.test(first)) take(first);
    const signs = QUOTE_SIGN.test(line) ? '> ' : '';
    for (const part of others) {
      if (SIGNS.has(part)) passMark(part, open, context);
      else if (!BEFORE_MARK.test(part)) take(signs + part.trim());
    }
  }
  return lines;
}

function passMark(sign: string, open: Open, context: LabelContext): void {
  if (sign === MARKS.quoteStart) open.quotes += 1;
  else if (sign === MARKS.quoteEnd) open.quotes = Math.max(0, open.quotes - 1);
  else if (sign === MARKS.indentStart) open.indents += 1;
  else if (sign === MARKS.indentEnd) open.indents = Math.max(0, open.indents - 1);
  else if (sign === MARKS.unclear) open.quotes += context.isReply || context.isForward ? 1 : 0;
  else open.kind = kindAfter(sign, open.kind, context);
}

function kindOf(line: string, { quotes, indents, kind }: Open, { isReply, isForward }: LabelContext): LineKind {
  if (kind !== 'new') return kind;
  if (quotes > 0) return 'quoted';
  // What people indent in a mail of their own is theirs.
  return QUOTE_SIGN.test(line) && (isReply || isForward || indents === 0) ? 'quoted' : 'new';
}

/** Where nothing else is quoted, nobody can say who wrote such a line. */
function labelEscaped(lines: readonly Line[], { isReply }: LabelContext): void {
  if (isReply) return;
  const alone = lines.filter(({ kind, text }) => kind === 'quoted' && text.trim() !== '');
  if (alone.every(({ text }) => ESCAPED.test(text))) for (const line of alone) line.kind = 'unknown';
}

function kindAfter(sign: string, kind: LineKind, context: LabelContext): LineKind {
  if (kind === 'older' || kind === 'forwarded') return kind;
  if (sign === MARKS.rest) return context.isForward ? 'forwarded' : 'older';
  if (sign === MARKS.attributionStart) return 'attribution';
  return sign === MARKS.signatureStart ? 'signature' : 'new';
}

/**
 * Lines behind another sign than `>`: quoted below a line that says who wrote them. Elsewhere in an answer nobody can say of two lines
 * with one sign, or of one with a name for its sign, whose they are, unless they are a table.
 */
function labelSigned(lines: readonly Line[], { isReply }: LabelContext): void {
  let tried = 0;
  for (const { begin, end, sign } of signedRuns(lines.map(({ kind, text }) => (kind === 'new' ? text : '')))) {
    const run = lines.slice(begin, end);
    tried += 1;
    if (hasAttributionAbove(lines, begin, tried > MOST_LONG ? 3 : MOST_WRAPPED)) labelAll(run, 'quoted');
    else if (
      isReply &&
      looksQuoted(
        sign,
        run.map(({ text }) => text),
      )
    )
      labelAll(run, 'unknown');
  }
}

function hasAttributionAbove(lines: readonly Line[], begin: number, most: number): boolean {
  let above = begin - 1;
  while (above > begin - 4 && above >= 0 && bare(lines[above]) === '') above -= 1;
  const text = bare(lines[above]);
  if (lines[above]?.kind === 'quoted') return false;
  return ENDS_ATTRIBUTION.test(atEnds(text)) && attributionStart(lines, above, { sure: false, most }) !== null;
}

/** With a colon, or at the second of two drawn lines: "---- On Monday Ada wrote ----". */
const ENDS_ATTRIBUTION = /[:：]$|[^-–—][-–—]{2,10}$/u;

function labelAttributions(lines: Line[], { isReply }: LabelContext): void {
  let tried = 0;
  for (const [index, line] of lines.entries()) {
    const text = line.kind === 'new' ? bare(line) : '';
    if (!ENDS_ATTRIBUTION.test(atEnds(text))) continue;
    const next = lines.slice(index + 1, index + 4).find((each) => bare(each) !== '');
    const beforeQuote = next?.kind === 'quoted';
    tried += 1;
    const most = tried > MOST_LONG ? 3 : MOST_WRAPPED;
    const start = attributionStart(lines, index, { sure: !beforeQuote, most });
    if (start === null || !(beforeQuote || isReply)) continue;
    labelAll(lines.slice(start, index + 1), 'attribution');
    labelDoubted(lines.slice(headFrom(lines, start, index), start));
    if (beforeQuote) continue;
    // No quote signs follow: everything below is the older mail.
    labelAll(lines.slice(index + 1), 'older');
    return;
  }
}

/** Some programs write the date in a line of its own, as it came: where an attribution has none, the line above may be that. */
function headFrom(lines: readonly Line[], start: number, end: number): number {
  const isDated = hasDate(
    lines
      .slice(start, end + 1)
      .map(bare)
      .join(' '),
  );
  const above = lines[start - 1];
  const mayBeDate = !isDated && above?.kind === 'new' && bare(above) !== '';
  return wrappedFrom(lines, mayBeDate ? start - 1 : start);
}

/** An attribution may be wrapped over several lines, as with a long name: take as many as it needs to have its date. */
function attributionStart(
  lines: readonly Line[],
  end: number,
  { sure, most }: { readonly sure: boolean; readonly most: number },
): number | null {
  let joined = '';
  for (let start = end; start > end - most && start >= 0; start -= 1) {
    const line = lines[start];
    const text = bare(line);
    if (line?.kind !== 'new' || text === '') break;
    joined = atEnds(joined === '' ? text : `${text} ${joined}`);
    if (isAttribution(joined, sure) && hasDate(joined)) return start;
  }
  return isAttribution(bare(lines[end]), sure) ? end : null;
}
