import {
  cellText,
  isFigure,
  isFromTheRight,
  isWord,
  linesFromTop,
  type PlacedCell,
  type PlacedTable,
} from './placed-table.ts';
import { CELL_GAP, type Run } from './runs.ts';

/** What stands together in a line. */
interface Segment {
  readonly runs: readonly Run[];
  readonly left: number;
  readonly right: number;
}
interface Row {
  readonly segments: readonly Segment[];
  readonly y: number;
  readonly height: number;
}
interface Column {
  left: number;
  right: number;
}

/** Of a page; a page with more lines is a drawing. */
const MAX_LINES = 1000;
/** Lines of one table are no further apart, in heights of the letters. */
const MAX_PITCH = 3.5;
/** Nearer lines are no rows of one table. */
const MIN_PITCH = 0.9;
/** A line as near as that to the lines of a table may be one of them. */
const CLOSE = 1.4;
const MAX_CELL = 80;

/** The tables of a page whose columns nothing but blank strips part. What may be anything else is none. */
export function alignedTables(runs: readonly Run[]): PlacedTable[] {
  const rows = linesFromTop(runs.filter(isWord)).map(rowOf);
  if (rows.length > MAX_LINES) return [];
  const tables: PlacedTable[] = [];
  for (let at = 0; at < rows.length; ) {
    const block = blockAt(rows, at);
    const table = block && tableOf(block.rows, block.columns, runs);
    if (table) tables.push(table);
    at += table && block ? block.rows.length : 1;
  }
  return tables;
}

/** Whether a page has lines of several pieces: else there is no table on it. */
export const mayHoldTables = (runs: readonly Run[]): boolean =>
  linesFromTop(runs.filter(isWord)).filter((line) => rowOf(line).segments.length > 1).length > 1;

function rowOf(line: readonly Run[]): Row {
  const height = Math.max(...line.map((run) => run.height));
  const segments: { runs: Run[]; left: number; right: number }[] = [];
  for (const run of line) {
    const last = segments.at(-1);
    if (last && run.left - last.right <= CELL_GAP * height) {
      last.runs.push(run);
      last.right = Math.max(last.right, run.right);
    } else segments.push({ runs: [run], left: run.left, right: run.right });
  }
  return { segments, y: line[0]?.y ?? 0, height };
}

/** Lines that keep to the same blank strips. */
interface Block {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

/** Those from `start` on; null where there are none, or where a line that does not keep to them stands among them. */
function blockAt(rows: readonly Row[], start: number): Block | null {
  const [first, above] = [rows[start], rows[start - 1]];
  if (!first || first.segments.length < 2) return null;
  const kept: Row[] = [];
  let columns: readonly Column[] = [];
  let closest = Number.POSITIVE_INFINITY;
  for (const row of rows.slice(start)) {
    const pitch = (kept.at(-1)?.y ?? row.y) - row.y;
    if (pitch > MAX_PITCH * row.height) break;
    const fitted = fittedTo(columns, row);
    if (fitted === null) {
      if (mayBelong(row, pitch, closest)) return null;
      break;
    }
    columns = fitted.columns;
    if (kept.length > 0) closest = Math.min(closest, pitch);
    kept.push(fitted.row);
  }
  // A single piece belongs to the table where the table goes on below it.
  const block = kept.slice(0, kept.findLastIndex(({ segments }) => segments.length > 1) + 1);
  const isCutOff = above !== undefined && mayBelong(above, above.y - first.y, closest);
  return block.length > 2 && !isCutOff ? { rows: block, columns: onlyOf(columns, block) } : null;
}

/** A line of several pieces, as near to a table as its own lines are to each other. */
const mayBelong = ({ segments }: Row, pitch: number, closest: number): boolean =>
  segments.length > 1 && pitch <= CLOSE * closest;

/** With the columns as wide as the line needs them. Null where it cannot be said in which column something stands. */
function fittedTo(columns: readonly Column[], row: Row): Fitted | null {
  const widened = columnsWith(columns, row);
  if (widened) return { columns: widened, row };
  const parted = { ...row, segments: row.segments.flatMap((segment) => partedBy(columns, segment)) };
  const apart = columnsWith(columns, parted);
  return apart && { columns: apart, row: parted };
}

interface Fitted {
  readonly columns: readonly Column[];
  readonly row: Row;
}

/** What fills its column stands so near to the next that both were taken for one piece. */
function partedBy(columns: readonly Column[], { runs }: Segment): Segment[] {
  const parts: { home: Column | undefined; runs: Run[] }[] = [];
  for (const run of runs) {
    const home = columns.find((column) => isIn(run, column));
    const last = parts.at(-1);
    if (last && last.home === home) last.runs.push(run);
    else parts.push({ home, runs: [run] });
  }
  return parts.map((part) => ({
    runs: part.runs,
    left: Math.min(...part.runs.map(({ left }) => left)),
    right: Math.max(...part.runs.map(({ right }) => right)),
  }));
}

const onlyOf = (columns: readonly Column[], rows: readonly Row[]): Column[] =>
  columns.filter((column) => rows.some(({ segments }) => segments.some((segment) => isIn(segment, column))));

const isIn = ({ left, right }: Pick<Run, 'left' | 'right'>, column: Column): boolean =>
  left < column.right && right > column.left;

/** Null: a piece of the line lies in two columns, or two of them in one. */
function columnsWith(columns: readonly Column[], { segments }: Row): Column[] | null {
  const widened = columns.map((column) => ({ ...column }));
  const taken = new Set<Column>();
  for (const segment of segments) {
    const [column = null, ...others] = widened.filter((one) => isIn(segment, one));
    if (others.length > 0 || (column && taken.has(column))) return null;
    const own = column ?? { left: segment.left, right: segment.right };
    own.left = Math.min(own.left, segment.left);
    own.right = Math.max(own.right, segment.right);
    taken.add(own);
    if (!column) widened.push(own);
  }
  widened.sort((one, other) => one.left - other.left);
  const isApart = widened.every((one, at) => at === 0 || one.left >= (widened[at - 1]?.right ?? 0));
  return isApart ? widened : null;
}

type Cells = readonly Run[][];

function tableOf(rows: readonly Row[], columns: readonly Column[], runs: readonly Run[]): PlacedTable | null {
  const parted = rows.map(
    (row): Cells =>
      columns.map((column) =>
        row.segments.filter((segment) => isIn(segment, column)).flatMap((segment) => segment.runs),
      ),
  );
  const joined = withContinued(rows, parted);
  const merged = joined && withHeadings(joined, columns);
  if (!merged) return null;
  const texts = merged.cells.map((row) => row.map(cellText));
  if (!isTable(texts)) return null;
  const all = new Set(rows.flatMap(({ segments }) => segments.flatMap((segment) => segment.runs)));
  const written = merged.cells.map((row) => row.flatMap(([run]) => (run ? [run] : [])));
  const order = new Map(runs.map((run, index) => [run, index]));
  const turned = isFromTheRight(
    written.map((row) => row.toSorted((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0))),
  );
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    rows: turned ? texts.map((row) => row.toReversed()) : texts,
    runs: all,
    columns: merged.columns.map(({ left, right }) => ({ from: left, to: right })),
    left: Math.min(...columns.map(({ left }) => left)),
    right: Math.max(...columns.map(({ right }) => right)),
    top: (first?.y ?? 0) + (first?.height ?? 0),
    bottom: last?.y ?? 0,
  };
}

/** Lines that go on with the row above them are part of it. Null where lines are too near to each other to be told apart. */
function withContinued(rows: readonly Row[], parted: readonly Cells[]): Cells[] | null {
  const pitches = rows.map((row, at) => (rows[at - 1]?.y ?? Number.POSITIVE_INFINITY) - row.y);
  if (rows.some((row, at) => (pitches[at] ?? 0) < MIN_PITCH * row.height)) return null;
  const full = pitches.filter(
    (pitch, at) => Number.isFinite(pitch) && (parted[at] ?? []).every((cell) => cell.length > 0),
  );
  const usual = full.toSorted((one, other) => one - other)[Math.floor(full.length / 2)] ?? 0;
  const joined: Run[][][] = [];
  for (const [at, cells] of parted.entries()) {
    const last = joined.at(-1);
    const isPart = cells.some((cell) => cell.length === 0) && (pitches[at] ?? 0) < 0.8 * usual;
    if (last && isPart) for (const [column, cell] of cells.entries()) last[column]?.push(...cell);
    else joined.push(cells.map((cell) => [...cell]));
  }
  return joined;
}

/** A heading that stands beside its figures, as one to the left of figures that end at the right, goes with them. */
function withHeadings(
  rows: readonly Cells[],
  columns: readonly Column[],
): { readonly cells: readonly Cells[]; readonly columns: readonly Column[] } | null {
  const [head = [], ...body] = rows;
  const isBare = (at: number) => (head[at]?.length ?? 0) > 0 && body.every((row) => row[at]?.length === 0);
  const isHeadless = (at: number) => head[at]?.length === 0;
  const into = new Map<number, number>();
  for (const at of columns.keys()) {
    if (!isBare(at)) continue;
    const beside = [at - 1, at + 1].filter((one) => isHeadless(one) && ![...into.values()].includes(one));
    if (beside.length > 1) return null;
    if (beside[0] !== undefined) into.set(at, beside[0]);
  }
  if (into.size === 0) return { cells: rows, columns };
  const kept = [...columns.keys()].filter((at) => !into.has(at));
  const cells = rows.map((row) =>
    kept.map((at) => [...(row[at] ?? []), ...[...into].flatMap(([from, to]) => (to === at ? (row[from] ?? []) : []))]),
  );
  return { cells, columns: kept.flatMap((at) => columns[at] ?? []) };
}

/** Prose in columns, a list with marks and a form are none: short cells, well filled, with a column of figures or three. */
function isTable(rows: readonly (readonly PlacedCell[])[]): boolean {
  const [head = [], ...body] = rows;
  const width = head.length;
  if (width < 2 || body.length < 2) return false;
  const cells = rows.flat().filter((cell) => cell !== null);
  if (cells.length < 0.4 * rows.length * width || cells.some((cell) => cell.length > MAX_CELL)) return false;
  const columns = Array.from({ length: width }, (_, at) => body.flatMap((row) => row[at] ?? []));
  const hasFigures = columns
    .slice(1)
    .some((column) => column.length > 1 && column.filter(isFigure).length >= 0.6 * column.length);
  const mean = cells.reduce<number>((sum, cell) => sum + cell.length, 0) / cells.length;
  return hasFigures || (width > 2 && mean <= 20 && columns.filter((column) => column.length > 1).length > 2);
}
