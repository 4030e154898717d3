import { isFull, withoutMiddle } from './lines.ts';

/** What stands in a copied header block, whatever its labels are called. */
interface HeaderBlock {
  /** How many lines it has. */
  readonly lines: number;
  readonly hasAddress: boolean;
  /** Year and time: when a mail was sent. */
  readonly hasSentDate: boolean;
}

const LABEL =
  /^[*_\s]{0,4}\p{L}[\p{L}\p{M}'’.-]{0,24}(?:[ \u00a0][\p{L}\p{M}'’.-]{1,16}){0,2}\s?[*_]{0,2}\s?[:：][*_]{0,2}(?<value>\s.{0,1900}|\S.{0,1900}|)$/u;
const ADDRESS = /[^\s<>@"(),;:]{1,64}@[^\s<>@"(),;:]{1,190}/u;
const MIN_ROWS = 3;
const MAX_ROWS = 8;
/** A long list of recipients. */
const MAX_FOLDED = 4;
/** A long name or subject that a program has broken. */
const MAX_BROKEN = 60;

/**
 * The header block that begins with the first of these lines: three rows `word: …` or more, in any language and order. Null
 * where there is none.
 */
export function headerBlockAt(lines: readonly string[]): HeaderBlock | null {
  const values: string[] = [];
  let end = 0;
  while (end < lines.length && values.length < MAX_ROWS) {
    const value = rowValue(lines[end] ?? '');
    const folded: number = value === null ? foldedLines(lines, end, values.at(-1)) : 0;
    if (value === null && folded === 0) break;
    if (value !== null) values.push(value);
    else values.push(`${values.pop()} ${lines.slice(end, end + folded).join(' ')}`);
    end += value === null ? folded : 1;
  }
  return values.length < MIN_ROWS
    ? null
    : { lines: end, hasAddress: values.some((value) => ADDRESS.test(value)), hasSentDate: values.some(isSentDate) };
}

const rowValue = (line: string): string | null =>
  LABEL.exec(withoutMiddle(line.trim(), MAX_ROW))?.groups?.value ?? null;

const MAX_ROW = 1600;

/** Whether the line is one of a header block by its shape. */
export const isRow = (line: string): boolean => rowValue(line) !== null;

/** Lines that go on with a list of addresses, or where the one above is full, up to another row. */
function foldedLines(lines: readonly string[], begin: number, before: string | undefined): number {
  if (before === undefined) return 0;
  let end = begin;
  let [areAddresses, areBroken] = [/[,;]\s?$/.test(before), true];
  while (end < lines.length && end - begin <= MAX_BROKEN && !isRow(lines[end] ?? '')) {
    const line = lines[end] ?? '';
    areAddresses &&= ADDRESS.test(line);
    areBroken &&= isFull(lines[end - 1] ?? '', line);
    if (!areAddresses && !areBroken) return 0;
    end += 1;
  }
  const count = end - begin;
  return end < lines.length && count <= (areBroken ? MAX_BROKEN : MAX_FOLDED) ? count : 0;
}

const YEAR = /(?<!\d)(?:19|20|24|25)\d{2}(?!\d)|(?<!\d)\d{1,2}[./-]\d{1,2}[./-]\d{2}(?!\d)/u;
const CLOCK = /(?<!\d)\d{1,2}\s?[:h]\s?\d{2}(?!\d)|(?<!\d)\d{1,2}\s?[時时點点시]/u;
/** Finland and Denmark part the hours from the minutes by a dot. */
const DOTTED = /(?<![\d.])\d{1,2}\.\d{2}(?![\d.])/u;

/** Pure. Whether a text holds a full date as programs write when a mail was sent: its year and its time. */
export function isSentDate(text: string): boolean {
  const digits = withPlainDigits(withoutMiddle(text, 400));
  return YEAR.test(digits) && (CLOCK.test(digits) || DOTTED.test(digits));
}

/** Zeros of the scripts that have digits of their own. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xff10];

export const withPlainDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((each) => code >= each && code < each + 10);
    return zero === undefined ? digit : String(code - zero);
  });
