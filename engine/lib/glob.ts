/**
 * `*` matches any run of characters. `value` has its ASCII letters in lower case; other letters are compared as they
 * are, so that no look-alike of another alphabet matches an address. Each piece is found at its first place, which is
 * enough, so nothing is ever tried twice.
 */
export function matchesGlob(value: string, pattern: string): boolean {
  const pieces = pattern.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).split('*');
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return value === first;
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  let position = first.length;
  const end = value.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, position);
    if (found < 0 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}
