import { atFirstUse } from '../../lib/kept-value.ts';
import { isQuoteFrame, type QuotedOnes } from '../../mail/text/quote-frame.ts';

/** A mail of the thread that others had no part in: the asker's own words, or an answer of a run that read no others'. */
export interface OnRecord {
  readonly text: string;
  /** Lines that no program has broken: each is one of its writer's. */
  readonly isOurs: boolean;
}

/** What a quotation may hold and still be nobody else's word. */
export interface QuoteRecord extends QuotedOnes {
  readonly mails: readonly OnRecord[];
}

export const NO_RECORD: QuoteRecord = { mails: [], names: [], addresses: [], subjects: [] };

/** Of a longer quotation nobody has looked at all of it. */
const [MAX_QUOTE, MAX_LINES] = [100_000, 3000];
/** So many lines are compared with such of the record. */
const MAX_COMPARED = 200_000;
/** A copied header has so many lines, an attribution fewer. */
const MAX_FRAME_LINES = 8;

/**
 * Whether all that is quoted stands word for word, in whole lines, in mails of the record, but for what programs put above a
 * quotation. One word more, less or in another place makes it somebody's. Pure.
 */
export function quotesOn(record: QuoteRecord): (quote: string) => boolean {
  const known = atFirstUse(() => record.mails.map(knownMail));
  const found = new Map<string, boolean>();
  return (quote) => {
    const isKnown = found.get(quote) ?? isOnRecord(quote, record, known);
    found.set(quote, isKnown);
    return isKnown;
  };
}

function isOnRecord(quote: string, record: QuoteRecord, mails: () => readonly Known[]): boolean {
  if (record.mails.length === 0 || quote.length > MAX_QUOTE) return false;
  const lines = quote.split('\n').filter((line) => !isDrawn(line));
  if (lines.length > MAX_LINES) return false;
  const plain = lines.map(plainLine);
  const known = mails();
  const compared = { lines: 0 };
  for (let at = 0; at < lines.length; ) {
    const covered = Math.max(...known.map((mail) => linesIn(mail, plain, at, compared))) || frameAt(lines, at, record);
    if (covered === 0) return false;
    at += covered;
  }
  return true;
}

/** Nothing, or a line of one sign. */
const isDrawn = (line: string): boolean => {
  const signs = new Set(line.replace(/[\s>＞|]+/gu, ''));
  return (
    signs.size === 0 || (signs.size === 1 && /[-_=*.…]/u.test([...signs].join(''))) || [...signs].join('') === '[…]'
  );
};

/** So many lines from this one on are what a program puts above a quotation; 0: none. */
function frameAt(lines: readonly string[], at: number, record: QuoteRecord): number {
  for (let count = Math.min(MAX_FRAME_LINES, lines.length - at); count > 0; count -= 1)
    if (isQuoteFrame(lines.slice(at, at + count).map(withoutSigns), record)) return count;
  return 0;
}

const withoutSigns = (line: string): string => line.replace(/^[\s>＞|]+/u, '');

/** Without what programs change when they quote: signs of quotes, of lists and of Markdown, and blanks. */
const plainLine = (line: string): string =>
  withoutSigns(line)
    .normalize('NFC')
    .replace(/^(?:[-+•*]\s+|#+\s+)/u, '')
    .replace(/[\s*_`~|[\](){}<>]+/gu, ' ')
    .replace(BETWEEN_UNPARTED, '')
    .trim();

const SIGNS = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\u3000-\\u303f\\uff00-\\uffef';
const UNPARTED = new RegExp(`[${SIGNS}]`, 'u');
const BETWEEN_UNPARTED = new RegExp(`(?<=[${SIGNS}])\\s+(?=[${SIGNS}])`, 'gu');

/** What stands between two lines that are read as one: in scripts without blanks nothing. */
const between = (before: string, line: string): string =>
  before === '' || (UNPARTED.test(before.at(-1) ?? '') && UNPARTED.test(line[0] ?? '')) ? '' : ' ';

interface Known {
  readonly text: string;
  readonly begins: readonly number[];
  readonly ends: ReadonlySet<number>;
}

/** A line that a program may have broken because of its length. */
const MIN_BROKEN = 45;

/** What is quoted begins and ends with lines of its writer: half a sentence may say something else. */
function knownMail({ text, isOurs }: OnRecord): Known {
  const lines = text.split('\n');
  const begins: number[] = [];
  const ends = new Set<number>();
  let [whole, isBegin] = ['', true];
  for (const [index, line] of lines.entries()) {
    const plain = plainLine(line);
    if (plain === '' || isDrawn(line)) {
      isBegin = true;
      continue;
    }
    whole += between(whole, plain);
    if (isBegin) begins.push(whole.length);
    whole += plain;
    isBegin = isOurs || line.trimEnd().length < MIN_BROKEN || (lines[index + 1] ?? '').trim() === '';
    if (isBegin) ends.add(whole.length);
  }
  return { text: whole, begins, ends };
}

/** How many of these lines, from this one on, stand in the mail in a row; the longest run counts. */
function linesIn(
  { text, begins, ends }: Known,
  lines: readonly string[],
  at: number,
  compared: { lines: number },
): number {
  let best = 0;
  for (const begin of begins) {
    let [place, before] = [begin, ''];
    for (let index = at; index < lines.length && compared.lines < MAX_COMPARED; index += 1) {
      compared.lines += 1;
      const line = lines[index] ?? '';
      const next = between(before, line) + line;
      if (!text.startsWith(next, place)) break;
      [place, before] = [place + next.length, line];
      if (ends.has(place)) best = Math.max(best, index - at + 1);
    }
    if (best === lines.length - at) break;
  }
  return best;
}
