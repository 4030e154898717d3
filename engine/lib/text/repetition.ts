/** How often the same words follow each other before it is no way of writing any more. */
const MIN_TIMES = 20;
/** As many words, or sentences of a script without blanks, the repeated piece has at most. */
const MAX_UNITS = 60;
/** Of less a table, a form or a drawing may be made. */
const MIN_LETTERS = 8;
const UNIT = /[^\s。！？]+[。！？]*|[。！？]+/gu;

interface Repetition {
  /** The piece, with one blank between its words. */
  readonly piece: string;
  /** Where the first one of the row ends in the text. */
  readonly firstEnds: number;
}

interface Row {
  readonly from: number;
  readonly units: number;
  readonly length: number;
}

/** The piece of which most of the text is a row, as a model writes that has got stuck; null for any other text. Pure. */
export function repetitionIn(text: string): Repetition | null {
  const found = [...text.matchAll(UNIT)];
  const units = found.map(([unit]) => unit);
  const longest = longestRow(units);
  if (longest === null) return null;
  const { from, units: count, length } = longest;
  const piece = units.slice(from, from + count).join(' ');
  const [start, last] = [found[from], found[from + length - 1]];
  const firstLast = found[from + count - 1];
  if (!start || !last || !firstLast || (piece.match(/\p{L}/gu) ?? []).length < MIN_LETTERS) return null;
  if (last.index + last[0].length - start.index < text.trim().length / 2) return null;
  return { piece, firstEnds: firstLast.index + firstLast[0].length };
}

function longestRow(units: readonly string[]): Row | null {
  let longest: Row | null = null;
  for (let count = 1; count <= Math.min(MAX_UNITS, units.length / MIN_TIMES); count += 1) {
    let from = 0;
    for (let at = count; at <= units.length; at += 1) {
      if (at < units.length && units[at] === units[at - count]) continue;
      const length = at - from;
      if (length >= count * MIN_TIMES && length > (longest?.length ?? 0)) longest = { from, units: count, length };
      from = at - count + 1;
    }
  }
  return longest;
}

/** The text up to the end of the first of the row. */
export const withoutRow = (text: string): string => {
  const row = repetitionIn(text);
  return row === null ? text : text.slice(0, row.firstEnds);
};
