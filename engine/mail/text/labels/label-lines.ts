import { headerBlockAt, isRow, isSentDate } from '../header-block.ts';
import { columnsOf, firstWord, isFull, MIN_WRAPPED, withoutMiddle } from '../lines.ts';
import {
  atEnds,
  beginsDrawn,
  copiedField,
  drawnWords,
  hasDate,
  isAttribution,
  isFooter,
  isForwardMark,
  isOriginalMark,
  isRule,
  namesAddress,
} from '../phrases.ts';
import { looksQuoted, MARKS, QUOTE_SIGN, signedRuns } from '../quote-marks.ts';

/** What the mailbox format makes of a line that begins with "From ", and some programs of a quoted one (RFC 4155). */
const ESCAPED = /^>From /;

const SIGNS = new Set<string>(Object.values(MARKS));

/** Says of every line who wrote it. Lines that hold only a mark are gone from the result. */
export function labelLines(text: string, context: LabelContext): LabelLine[] {
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
function readMarks(text: string, context: LabelContext): LabelLine[] {
  const lines: LabelLine[] = [];
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
function labelEscaped(lines: readonly LabelLine[], { isReply }: LabelContext): void {
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
function labelSigned(lines: readonly LabelLine[], { isReply }: LabelContext): void {
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

function hasAttributionAbove(lines: readonly LabelLine[], begin: number, most: number): boolean {
  let above = begin - 1;
  while (above > begin - 4 && above >= 0 && bare(lines[above]) === '') above -= 1;
  const text = bare(lines[above]);
  if (lines[above]?.kind === 'quoted') return false;
  return ENDS_ATTRIBUTION.test(atEnds(text)) && attributionStart(lines, above, { sure: false, most }) !== null;
}

/** With a colon, or at the second of two drawn lines: "---- On Monday Ada wrote ----". */
const ENDS_ATTRIBUTION = /[:：]$|[^-–—][-–—]{2,10}$/u;

function labelAttributions(lines: LabelLine[], { isReply }: LabelContext): void {
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
function headFrom(lines: readonly LabelLine[], start: number, end: number): number {
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
  lines: readonly LabelLine[],
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

/** Lines, and each without quote signs: what is asked of them is asked many times. */
interface Read {
  readonly lines: readonly LabelLine[];
  readonly texts: readonly string[];
}

interface Cut {
  readonly index: number;
  readonly kind: LineKind;
  /** No line of a program stands above the copied header. */
  readonly isBlock: boolean;
}

/** Labels what is not indented: from a separator or a copied header block on, and what of that may stand above it. */
function labelOlder(lines: readonly LabelLine[], context: LabelContext): void {
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
function saysWhoAndWhen(lines: readonly LabelLine[], begin: number): boolean {
  const after = lines.slice(begin, begin + MOST_ROWS);
  const blank = after.findIndex((line) => bare(line) === '');
  const rows = after.slice(0, blank < 0 ? after.length : blank).map(bare);
  return rows.length > 1 && rows.some(namesAddress) && rows.some(isSentDate);
}

/** Each of a label and its value, with those of a long list. */
const MOST_ROWS = 16;

/** The words of the drawn line that begins there, also where a program has broken it. */
function drawnAt(lines: readonly LabelLine[], begin: number): { readonly words: string; readonly end: number } | null {
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
function labelAboveCut(lines: readonly LabelLine[], { index, isBlock }: Cut, context: LabelContext): void {
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
function startsSomething(lines: readonly LabelLine[], index: number): boolean {
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
const hasKnownLabels = (rows: readonly LabelLine[]): boolean =>
  new Set(rows.flatMap((row) => copiedField(bare(row)) ?? [])).size >= 3;

const MAX_BLOCK = 64;

/**
 * A program that breaks long lines loses the quote sign of the rest: what goes on in the middle of a sentence was quoted, too.
 * Of another line that would not have fitted behind the one above it, nobody can say, and of none up to the next blank one where the
 * quote breaks off in the middle of a sentence.
 */
function labelWrapped(lines: readonly LabelLine[]): void {
  labelBetween(lines);
  const longest = longestQuoted(lines);
  let isRest = false;
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const isBroken =
      before?.kind === 'quoted' && before.text.length >= MIN_WRAPPED && /[^\s.?!:;。？！]\s?$/u.test(before.text);
    const isBelow = before?.kind === 'quoted' && !before.marked && line.kind === 'new' && line.text.trim() !== '';
    const wouldBe = isBelow ? columnsOf(before.text) + 1 + columnsOf(firstWord(line.text).trim()) : 0;
    // Behind the end of a sentence as well, where no quoted line shows that the program leaves such long ones whole.
    const mayBeBroken = wouldBe > FULL_LINE && wouldBe > longest && !isLeftWhole(before?.text ?? '');
    isRest = line.kind === 'new' && line.text.trim() !== '' && (isRest || isBroken || mayBeBroken);
    if (isRest) line.kind = 'unknown';
  }
}

/** How long the quoted lines of several words are that the program has not broken. */
const longestQuoted = (lines: readonly LabelLine[]): number =>
  lines.reduce(
    (most, { kind, text }) =>
      kind === 'quoted' && text.length > most && /^\s*[>＞]/u.test(text) && / \S{1,40}$/u.test(text.slice(-42))
        ? text.length
        : most,
    0,
  );

/** A line that could have been broken further to the left than any program leaves it; servers break those of a thousand signs. */
const isLeftWhole = (text: string): boolean => text.trimEnd().lastIndexOf(' ') > WIDEST && text.length < MOST_SERVED;

const WIDEST = 90;
const MOST_SERVED = 900;

function labelBetween(lines: readonly LabelLine[]): void {
  for (const [index, line] of lines.entries()) {
    const [before, after] = [lines[index - 1], lines[index + 1]];
    if (line.kind !== 'new' || before?.kind !== 'quoted' || after?.kind !== 'quoted' || line.text.trim() === '')
      continue;
    const wouldNotFit = isFull(before.text, line.text, FULL_LINE);
    if (before.text.length < MIN_WRAPPED && !wouldNotFit) continue;
    const goesOn = /[^\s.?!:;。？！]\s?$/u.test(before.text);
    if (goesOn && /^\p{Ll}/u.test(line.text)) line.kind = 'quoted';
    else if (wouldNotFit) line.kind = 'unknown';
  }
}

/** With the next word. */
const FULL_LINE = 70;

const COLON = /[:：]\s?[*_]{0,2}$/u;
/** A head that a program has broken goes on for so many lines. */
const MOST_BROKEN = 40;

/**
 * What stands directly above the first quotation says who wrote it, in any language: no list of verbs is ever whole, and the name
 * in it is chosen by whoever is quoted.
 */
function labelHeads(lines: readonly LabelLine[], context: LabelContext): void {
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

const isEmpty = (line: LabelLine | undefined): boolean => line !== undefined && bare(line) === '';

/**
 * The line of an answer that ends in a colon above older mail, with full ones above it: with a date it is an attribution; without
 * one nobody can say.
 */
function labelColon(lines: readonly LabelLine[], end: number, { isReply }: LabelContext): void {
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
function labelBroken(lines: readonly LabelLine[], first: number, context: LabelContext): void {
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
function endOfBroken(lines: readonly LabelLine[], begin: number, mayGoOn: boolean) {
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

function isQuotedBelow(lines: readonly LabelLine[], index: number): boolean {
  const next = lines.slice(index + 1, index + 4).find((line) => !isEmpty(line));
  return next?.kind === 'quoted';
}

/** Where nothing is marked below its head, all of it may be older mail. */
const labelBelow = (lines: readonly LabelLine[], end: number, isOlder: boolean): void =>
  labelAll(
    lines.slice(end + 1).filter(({ kind }) => isOlder || kind === 'new' || kind === 'signature'),
    isOlder ? 'older' : 'unknown',
  );

/** `>>> Ada <ada@example.org> 3/2/2026 10:00 >>>`, broken or not, above mail without marks, as GroupWise quotes. */
function labelBetweenSigns(lines: readonly LabelLine[], first: number, { isReply, isForward }: LabelContext): void {
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

function endBetweenSigns(lines: readonly LabelLine[], first: number): number {
  for (let end = first; end < first + MOST_BROKEN && !isBlank(lines[end]); end += 1)
    if (/[^>＞\s]\s?[>＞]{2,}$/u.test(bare(lines[end]).slice(-200))) return end;
  return -1;
}

type LineKind = 'new' | 'quoted' | 'attribution' | 'signature' | 'older' | 'forwarded' | 'unknown';

export interface LabelLine {
  readonly text: string;
  kind: LineKind;
  /** Inside a quote that the HTML marks: surely not written now. */
  readonly marked: boolean;
}

export interface LabelContext {
  readonly isReply: boolean;
  readonly isForward: boolean;
}

/** Of a line, for what it is. */
const MOST_READ = 16_000;
const ODD_BLANK = /[^\S ]|\s\s/;

/** Without quote signs. */
function bare(line: LabelLine | undefined): string {
  const text = withoutMiddle(line?.text ?? '', MOST_READ);
  // Blanks in a row mean no more than one: whoever has the mail can put as many there as he likes.
  const plain = ODD_BLANK.test(text) ? text.replace(/\s+/g, ' ') : text;
  return plain.replace(/^[>\s]+/, '').trim();
}

const labelAll = (lines: readonly LabelLine[], kind: LineKind): void => {
  for (const line of lines) line.kind = kind;
};

/** Nobody can say who wrote these lines; what a telephone puts below a mail stands there, too. */
const labelDoubted = (lines: readonly LabelLine[]): void => {
  for (const line of lines) line.kind = isFooter(bare(line)) ? 'signature' : 'unknown';
};

const isBlank = (line: LabelLine | undefined): boolean => (line?.text ?? '').trim() === '';

/** So many lines of one head are looked at where there are many, or where it is drawn. */
const MOST_LONG = 20;

/** Of a name of thousands of letters. */
const MOST_WRAPPED = 200;

/**
 * A program breaks a line where the next word does not fit: lines above an attribution that are full may be its beginning, with a
 * name in it that looks like one. Nobody can say whether they are.
 */
function wrappedFrom(lines: readonly LabelLine[], start: number): number {
  let from = start;
  while (from > 0 && start - from < MOST_WRAPPED) {
    const above = lines[from - 1];
    if (above?.kind !== 'new' || isBlank(above) || !isFull(above.text, lines[from]?.text ?? '')) break;
    from -= 1;
  }
  return from;
}
