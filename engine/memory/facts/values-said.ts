// Values in what a model wants to remember that its author has to have written. No word of a sentence is judged: a value
// is looked for in the mail, as the digits or the address that it is.

import { digitOf } from '../../lib/text/digits.ts';

const isPlace = (token: string): boolean => token.includes('@') || token.includes('://') || token.startsWith('www.');
const AROUND = new Set('<>()[]"\'.,;:!?');
function bare(token: string): string {
  let [from, end] = [0, token.length];
  while (from < end && AROUND.has(token[from] ?? '')) from += 1;
  while (end > from && AROUND.has(token[end - 1] ?? '')) end -= 1;
  return token.slice(from, end).toLowerCase();
}

/** Where mail or people could be led to by what is remembered, its author has to have written it. */
export function addressesAreSaid(text: string, newText: string): boolean {
  const places = text.split(/\s+/).filter(isPlace).map(bare);
  if (places.length === 0) return true;
  const said = new Set(newText.split(/\s+/).map(bare));
  return places.every((place) => said.has(place));
}

/** In a text of the model: digits with the marks that group them, or part their decimals. */
const NUMBER = /\d+(?:[.,'’\u00a0\u202f ]\d+)*/g;
/** In the mail, where accounts and telephone numbers are grouped by more. */
const ROW = /\d+(?:[^\p{L}\p{N}\n]{1,2}\d+)*/gu;
const GROUPS = /\d+/g;
const DATE = /(?<!\d)(?:(\d{4})-\d\d-\d\d|\d{1,2}\. ?\d{1,2}\. ?(\d{4})|(\d{4}))(?!\d)/g;
/** Shorter ones count things, days and hours, which mail says in words as well. */
const SHORTEST = 3;
/** A date that a model has found for `tomorrow` is no further from the mail. */
const YEARS = 2;
/** So many groups make one number; an account has nine at most. */
const MOST_GROUPS = 10;

/**
 * Amounts, accounts, telephone and order numbers have to stand in the mail digit by digit, however either groups them:
 * nobody would see of a wrong one that it was never said. `at`: when the mail came, Unix ms; a model is asked to write
 * dates for words such as tomorrow, so those around that time need not stand there.
 */
export function numbersAreSaid(text: string, newText: string, at: number): boolean {
  const year = new Date(at).getUTCFullYear();
  const isNear = (written: string | undefined) => written !== undefined && Math.abs(Number(written) - year) <= YEARS;
  const undated = inDigits(text).replaceAll(DATE, (date, iso, dotted, alone) =>
    isNear(iso ?? dotted ?? alone) ? ' ; ' : date,
  );
  const wanted = [...undated.matchAll(NUMBER)]
    .map(([one]) => one.match(GROUPS) ?? [])
    .filter((groups) => groups.join('').length >= SHORTEST);
  if (wanted.length === 0) return true;
  const said = numbersOf(newText);
  return wanted.every(
    (groups) =>
      said.has(groups.join('')) ||
      // Decimals that are none, and numbers that merely stand side by side.
      (/^0+$/.test(groups.at(-1) ?? '') && said.has(groups.slice(0, -1).join(''))) ||
      groups.every((group) => group.length < SHORTEST || said.has(group)),
  );
}

/** All that the digits of a mail can be read as: each group, and those that stand in a row as one. */
function numbersOf(text: string): ReadonlySet<string> {
  const said = new Set<string>();
  for (const [row] of inDigits(text).matchAll(ROW)) {
    const groups = row.match(GROUPS) ?? [];
    for (let from = 0; from < groups.length; from += 1)
      for (let many = 1; many <= MOST_GROUPS && from + many <= groups.length; many += 1)
        said.add(groups.slice(from, from + many).join(''));
  }
  return said;
}

/** With the digits of every script as ASCII digits. */
const inDigits = (text: string): string =>
  text.normalize('NFKC').replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => String(digitOf(digit)));
