import { QUOTE_SIGN } from './quote-marks.ts';

/** Signs that a program may put before quoted lines instead of `>`; what people begin the lines of a list with is none. */
const OTHER_SIGN = /^\s{0,8}(?<sign>(?:[|¦│┃▏▎▍║‖:;»›⟩〉》}\]%#~=/\\$&!]\s?){1,8})(?:\s|$)/u;
/** Those of them that mean nothing else at the beginning of two lines of a mail. */
const CITES = /^(?:[|¦│┃▏▎▍║‖:»›]+|.*[>＞])$/u;
/** The name or the letters of who is quoted, as Supercite puts them: `Mallory> `, `MM>> `. */
const NAMED_SIGN =
  /^\s{0,8}(?<sign>[\p{L}\p{N}][\p{L}\p{M}\p{N}._'’+-]{0,30}(?: [\p{L}\p{M}\p{N}._'’+-]{1,30}){0,3}[>＞]{1,8})(?:\s|$)/u;
const TABLE_END = /[|¦│┃║‖]\s*$/u;

/** The sign that a program may have put before this quoted line, where it is another one than `>`. */
export function otherSign(line: string): string | null {
  const begin = line.slice(0, 200);
  const other = OTHER_SIGN.exec(begin)?.groups?.sign;
  return other?.replace(/\s+/gu, '') ?? NAMED_SIGN.exec(begin)?.groups?.sign ?? null;
}

/** Whether a name of one word is the sign: nobody begins a line of his own so. */
const isNamedSign = (sign: string): boolean => /^\S+[>＞]$/u.test(sign);

/** Whether lines with this sign look quoted by themselves: two of them with words, or one with a name of one word for its sign. */
export function looksQuoted(sign: string, lines: readonly string[]): boolean {
  const filled = lines.filter((line) => /[\p{L}\p{N}]/u.test(line)).length;
  return CITES.test(sign) && (filled > 1 || isNamedSign(sign)) && !lines.every(isTableRow);
}

/** A line with any sign of a quote. */
export const isSigned = (line: string): boolean => QUOTE_SIGN.test(line) || otherSign(line) !== null;

/** A line without its sign, as far as that is made of letters: they would be words of it. */
export function withoutNamedSign(line: string): string {
  const [whole = ''] = NAMED_SIGN.exec(line.slice(0, 200)) ?? [];
  return line.slice(whole.length);
}

/** A table has the sign at the ends of its lines, too. */
const isTableRow = (line: string): boolean => /^\s*[|¦│┃║‖]/u.test(line) && TABLE_END.test(line.slice(-80));

/** Lines in a row that carry one sign. */
export interface SignedRun {
  readonly begin: number;
  /** Behind the last of them. */
  readonly end: number;
  readonly sign: string;
}

/** The runs of lines that carry the same sign; deeper quotations carry it several times. Pure. */
export function signedRuns(lines: readonly string[]): SignedRun[] {
  const runs: { begin: number; end: number; sign: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const sign = otherSign(line);
    if (sign === null) continue;
    const last = runs.at(-1);
    const isSame = last?.end === index && (last.sign.startsWith(sign) || sign.startsWith(last.sign));
    if (last && isSame) {
      last.end = index + 1;
      if (sign.length < last.sign.length) last.sign = sign;
    } else runs.push({ begin: index, end: index + 1, sign });
  }
  return runs;
}
