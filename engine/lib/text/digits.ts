const DIGIT = /^\p{Nd}$/u;
/** Each is looked for once: a text may be made of them. */
const known = new Map<string, number>();

/**
 * How much a decimal digit of whichever script is worth. Those of a script stand in a row from zero to nine, and of some
 * scripts several such rows follow each other (The Unicode Standard, section 4.6).
 */
export function digitOf(digit: string): number {
  const worth = known.get(digit) ?? worthOf(digit.codePointAt(0) ?? 0);
  known.set(digit, worth);
  return worth;
}

function worthOf(code: number): number {
  let first = code;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}
