import { beginsDrawn, drawnWords } from '../drawn-lines.ts';
import { headerBlockAt, isRow, isSentDate } from '../header-block.ts';
import { isFull } from '../lines.ts';
import { atEnds, copiedField, isForwardMark, isOriginalMark, isRule, namesAddress } from '../phrases.ts';
import { labelColon } from './heads.ts';
import {
  bare,
  type LabelContext,
  type Line,
  type LineKind,
  labelAll,
  labelDoubted,
  MOST_LONG,
  MOST_WRAPPED,
} from './line.ts';

/** Lines, and each without quote signs: what is asked of them is asked many times. */
interface Read {
  readonly lines: readonly Line[];
  readonly texts: readonly string[];
}

interface Cut {
  readonly index: number;
  readonly kind: LineKind;
  /** No line of a program stands above the copied header. */
  readonly isBlock: boolean;
}

/** Labels what is not indented: from a separator or a copied header block on, and what of that may stand above it. */
export function labelOlder(lines: readonly Line[], context: LabelContext): void {
  const cut = olderFrom({ lines, texts: lines.map(bare) }, context);
  if (cut === null) return;
  labelAll(lines.slice(cut.index), cut.kind);
  labelAboveCut(lines, cut, context);
}

/** Where older mail begins that is not indented: a separator or a copied header block. Null when there is none. */
function olderFrom(mail: Read, context: LabelContext): Cut | null {
  const { lines, texts } = mail;
  for (const [index, line] of lines.entries()) {
    const text = texts[index] ?? '';
    if (text === '' || !startsSomething(lines, index)) continue;
    if (isForwardMark(text)) return { index, kind: 'forwarded', isBlock: false };
    const cut = line.kind === 'new' ? cutAt(mail, index, text, context) : null;
    if (cut !== null) return cut;
  }
  return null;
}

function cutAt(mail: Read, index: number, text: string, context: LabelContext): Cut | null {
  // Pasted into a mail that answers nothing, it is somebody else's mail handed on.
  const kind = context.isForward || !context.isReply ? 'forwarded' : 'older';
  if (isOriginalMark(text)) return { index, kind, isBlock: false };
  const drawn = drawnMark(mail, index, context);
  if (drawn !== null) return { index, kind: drawn === 'mark' ? kind : drawn, isBlock: false };
  if (!isHeaderBlock(mail, index, context)) return null;
  const isParted = isRule(mail.texts[index - 1] ?? '');
  return { index: isParted ? index - 1 : index, kind, isBlock: !isParted };
}

/**
 * A drawn line with words in it says in any language that older mail follows, where it names an address, or stands above a copied
 * header. Where only a row or two of one can be seen, nobody can say.
 */
function drawnMark(mail: Read, index: number, context: LabelContext): 'mark' | 'unknown' | null {
  const { lines, texts } = mail;
  const { words, end } = drawnAt(lines, index) ?? {};
  if (words === undefined || end === undefined) return null;
  // With a date as well it is the attribution of an answer.
  if (namesAddress(words) && /\s/u.test(words) && !(context.isReply && isSentDate(words))) return 'mark';
  const below = texts[end + 1] === '' ? end + 2 : end + 1;
  if (isHeaderBlock(mail, below, context, true) || saysWhoAndWhen(lines, below)) return 'mark';
  return context.isForward || (context.isReply && isRow(texts[below] ?? '')) ? 'unknown' : null;
}

/** A copied header whose labels have no colons, or that is a table, still names an address and a time up to the next blank line. */
function saysWhoAndWhen(lines: readonly Line[], begin: number): boolean {
  const after = lines.slice(begin, begin + MOST_ROWS);
  const blank = after.findIndex((line) => bare(line) === '');
  const rows = after.slice(0, blank < 0 ? after.length : blank).map(bare);
  return rows.length > 1 && rows.some(namesAddress) && rows.some(isSentDate);
}

/** Each of a label and its value, with those of a long list. */
const MOST_ROWS = 16;

/** The words of the drawn line that begins there, also where a program has broken it. */
function drawnAt(lines: readonly Line[], begin: number): { readonly words: string; readonly end: number } | null {
  let joined = bare(lines[begin]);
  if (!beginsDrawn(joined)) return null;
  for (let end = begin; end < begin + MOST_LONG; end += 1) {
    const words = drawnWords(atEnds(joined));
    if (words !== null) return { words, end };
    const next = lines[end + 1];
    if (next?.kind !== 'new' || bare(next) === '' || !isFull(lines[end]?.text ?? '', next.text)) return null;
    joined = atEnds(`${joined} ${bare(next)}`);
  }
  return null;
}

/**
 * Full lines directly above older mail may be the beginning of what names its sender, also where his name looks like a mark of a
 * program. So may rows above a block, and a line of an answer with a colon says who wrote it.
 */
function labelAboveCut(lines: readonly Line[], { index, isBlock }: Cut, context: LabelContext): void {
  let from = index;
  while (from > 0 && index - from < MOST_WRAPPED) {
    const [above, line] = [lines[from - 1], lines[from]];
    const text = bare(above);
    const mayBelong = isFull(above?.text ?? '', line?.text ?? '') || (isBlock && isRow(text));
    if (above?.kind !== 'new' || text === '' || !mayBelong) break;
    from -= 1;
  }
  labelDoubted(lines.slice(from, index));
  if (!isBlock) return;
  let end = from - 1;
  while (end > from - 4 && end >= 0 && bare(lines[end]) === '') end -= 1;
  if (context.isReply && lines[end]?.kind === 'new' && /[:：]$/u.test(bare(lines[end])))
    labelColon(lines, end, context);
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
function isHeaderBlock(
  { lines, texts }: Read,
  index: number,
  { isReply, isForward }: LabelContext,
  isParted = isRule(texts[index - 1] ?? ''),
): boolean {
  if (!isRow(texts[index] ?? '')) return false;
  const block = headerBlockAt(texts.slice(index, index + MAX_BLOCK));
  if (block === null) return false;
  const { hasAddress, hasSentDate } = block;
  if (hasAddress && hasSentDate) return true;
  if (!hasAddress && !hasSentDate) return isParted && hasKnownLabels(lines.slice(index, index + block.lines));
  return (hasSentDate && isReply) || isForward || isParted;
}

/** From, to, when and about what, in a language that is known: below a drawn line that is enough. */
const hasKnownLabels = (rows: readonly Line[]): boolean =>
  new Set(rows.flatMap((row) => copiedField(bare(row)) ?? [])).size >= 3;

const MAX_BLOCK = 64;
