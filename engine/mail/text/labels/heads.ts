import { isSentDate } from '../header-block.ts';
import { isFull } from '../lines.ts';
import { atEnds, hasDate, isAttribution, namesAddress } from '../phrases.ts';
import {
  bare,
  isBlank,
  type LabelContext,
  type Line,
  labelAll,
  labelDoubted,
  MOST_WRAPPED,
  wrappedFrom,
} from './line.ts';

const COLON = /[:：]\s?[*_]{0,2}$/u;
/** A head that a program has broken goes on for so many lines. */
const MOST_BROKEN = 40;

/**
 * What stands directly above the first quotation says who wrote it, in any language: no list of verbs is ever whole, and the name
 * in it is chosen by whoever is quoted.
 */
export function labelHeads(lines: readonly Line[], context: LabelContext): void {
  const first = lines.findIndex(({ kind, text }) => kind === 'quoted' && text.trim() !== '');
  if (first < 0) return;
  labelBetweenSigns(lines, first, context);
  let end = first - 1;
  while (end > first - 4 && isEmpty(lines[end])) end -= 1;
  if (lines[end]?.kind !== 'new') return;
  if (COLON.test(bare(lines[end]))) labelColon(lines, end, context);
  // Where the HTML marks a quotation, no sign does.
  else if (end === first - 1 && !lines[first]?.marked) labelBroken(lines, first, context);
}

const isEmpty = (line: Line | undefined): boolean => line !== undefined && bare(line) === '';

/**
 * The line of an answer that ends in a colon above older mail, with full ones above it: with a date it is an attribution; without
 * one nobody can say.
 */
export function labelColon(lines: readonly Line[], end: number, { isReply }: LabelContext): void {
  let start = end;
  let isDated = hasDate(bare(lines[end]));
  while (!isDated && start > 0 && end - start < MOST_WRAPPED) {
    const above = lines[start - 1];
    const text = bare(above);
    if (above?.kind !== 'new' || text === '') break;
    if (!isFull(above.text, lines[start]?.text ?? '') && !isSentDate(text)) break;
    start -= 1;
    isDated = hasDate(text);
  }
  const head = lines.slice(start, end + 1);
  if (!isReply && !head.some((line) => isSentDate(bare(line)))) return;
  labelAll(head, isDated ? 'attribution' : 'unknown');
  labelDoubted(lines.slice(wrappedFrom(lines, start), start));
}

/** A name with a quote sign in it, broken before that, makes its rest look quoted: what stands directly above is the beginning of it. */
function labelBroken(lines: readonly Line[], first: number, context: LabelContext): void {
  const above = first - 1;
  const mayGoOn = isFull(lines[above]?.text ?? '', lines[first]?.text ?? '') || isSentDate(bare(lines[above]));
  const { end, isSure } = endOfBroken(lines, above, mayGoOn);
  if (!mayGoOn && !isSure) return;
  labelAll(
    lines.slice(above, Math.max(end, above) + 1).filter(({ kind }) => kind === 'new'),
    'unknown',
  );
  labelDoubted(lines.slice(wrappedFrom(lines, above), above));
  if (end >= 0 && !isQuotedBelow(lines, end)) labelBelow(lines, end, isSure && context.isReply);
}

/** The line with the colon of an attribution that begins with this line; -1 for its place where there is none. */
function endOfBroken(lines: readonly Line[], begin: number, mayGoOn: boolean) {
  let [joined, rest] = [bare(lines[begin]), ''];
  for (let end = begin + 1; end < begin + MOST_BROKEN && !isBlank(lines[end]); end += 1) {
    const text = bare(lines[end]);
    [joined, rest] = [atEnds(`${joined} ${text}`), atEnds(`${rest} ${text}`)];
    if (!COLON.test(text)) continue;
    // Some programs quote the whole attribution: nothing of it stands above.
    const isSure = isAttribution(joined, true) && (mayGoOn || !hasDate(rest));
    if (isSure || (mayGoOn && hasDate(joined))) return { end, isSure };
    break;
  }
  return { end: -1, isSure: false };
}

function isQuotedBelow(lines: readonly Line[], index: number): boolean {
  const next = lines.slice(index + 1, index + 4).find((line) => !isEmpty(line));
  return next?.kind === 'quoted';
}

/** Where nothing is marked below its head, all of it may be older mail. */
const labelBelow = (lines: readonly Line[], end: number, isOlder: boolean): void =>
  labelAll(
    lines.slice(end + 1).filter(({ kind }) => isOlder || kind === 'new' || kind === 'signature'),
    isOlder ? 'older' : 'unknown',
  );

/** `>>> Ada <ada@example.org> 3/2/2026 10:00 >>>`, broken or not, above mail without marks, as GroupWise quotes. */
function labelBetweenSigns(lines: readonly Line[], first: number, { isReply, isForward }: LabelContext): void {
  const begins = /^\s*[>＞]{2,}\s?[^>＞\s]/u.test(lines[first]?.text.slice(0, 200) ?? '');
  const end = begins ? endBetweenSigns(lines, first) : first;
  const head = lines.slice(first, end + 1).map(bare);
  const text = atEnds(head.join(' '));
  const isHead = begins ? end >= first : /[:：>＞]$/u.test(text) && lines[first - 1]?.kind !== 'attribution';
  if (!isHead || lines[first]?.marked) return;
  const isNamed = namesAddress(text) && (begins ? hasDate(text) : isSentDate(text));
  if (!isNamed && !(begins && isSentDate(text))) return;
  if (!begins && isQuotedBelow(lines, end)) return;
  labelAll(lines.slice(first, end + 1), 'attribution');
  // Whoever is quoted there may have put signs before lines of his own.
  labelBelow(lines, end, (isReply || isForward) && begins && !isQuotedBelow(lines, end));
}

function endBetweenSigns(lines: readonly Line[], first: number): number {
  for (let end = first; end < first + MOST_BROKEN && !isBlank(lines[end]); end += 1)
    if (/[^>＞\s]\s?[>＞]{2,}$/u.test(bare(lines[end]).slice(-200))) return end;
  return -1;
}
