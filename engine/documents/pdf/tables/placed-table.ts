import { lineText, type Run } from './runs.ts';

/** The text of a cell; null where nothing stands. */
export type PlacedCell = string | null;

export interface PlacedSpan {
  readonly from: number;
  readonly to: number;
}

/** A table where it stands on its page. */
export interface PlacedTable {
  /** Of one length. */
  readonly rows: readonly (readonly PlacedCell[])[];
  /** All that stands in it. */
  readonly runs: ReadonlySet<Run>;
  readonly columns: readonly PlacedSpan[];
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** What may stand in a cell of a table: nothing blank, nothing on its side. */
export const isWord = ({ text, isTurned }: Run): boolean => !isTurned && text.trim() !== '';

/** Runs in lines, from the top, each from the left. */
export function linesFromTop(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [];
  for (const run of runs.toSorted((one, other) => other.y - one.y)) {
    const line = lines.at(-1);
    const [first] = line ?? [];
    if (line && first && Math.abs(first.y - run.y) < 0.5 * Math.min(first.height, run.height)) line.push(run);
    else lines.push([run]);
  }
  return lines.map((line) => line.toSorted((one, other) => one.left - other.left));
}

/** A number with what stands around one, and nothing else. */
const FIGURE = /^[-+(]?\s?(?:\p{Sc}|[A-Z]{3})?\s?\d[\d.,'’\u00a0\u202f ]{0,20}\s?(?:%|\p{Sc}|[A-Z]{3})?\)?-?$/u;
export const isFigure = (cell: PlacedCell): boolean => cell !== null && FIGURE.test(cell);

/** All that stands in one cell, its lines one after the other. */
export function cellText(runs: readonly Run[]): PlacedCell {
  const lines = linesFromTop(runs).map((line) => lineText(line).replace(/\s+/g, ' '));
  const joined = lines.join('');
  // A column that is too narrow breaks a number behind its point: `1,234.` and `50`.
  const isBroken = lines.length > 1 && lines.slice(0, -1).every((line) => /\d[.,]$/.test(line)) && isFigure(joined);
  return (isBroken ? joined : lines.join(' ')).trim() || null;
}

/** Whether the cells of a row were written from the right, as tables in Hebrew and Arabic are. */
export function isFromTheRight(rows: readonly (readonly Run[])[]): boolean {
  const turns = rows
    .filter(({ length }) => length > 1)
    .map((row) => Math.sign((row.at(-1)?.left ?? 0) - (row[0]?.left ?? 0)));
  return turns.reduce((sum, turn) => sum + turn, 0) < 0;
}
