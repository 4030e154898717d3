import { cellText, isFromTheRight, isWord, linesFromTop, type PlacedSpan, type PlacedTable } from './placed-table.ts';
import type { RuledLine } from './rules.ts';
import type { Run } from './runs.ts';

/** Lines so near to each other are one: the double borders of cells. */
const SAME = 3;
/** Of a side of a cell, so much has to be drawn; else it is open, and the cell goes on behind it. */
const DRAWN = 0.6;
const MAX_CELLS = 10_000;
/** More stands in no cell: something else is framed. */
const MAX_CHARACTERS = 600;

/** The tables of a page whose columns are drawn. Their cells are as they are drawn, also where one spans several. */
export function ruledTables(runs: readonly Run[], rules: readonly RuledLine[]): PlacedTable[] {
  const words = runs.filter(isWord);
  return bandsOf(rules.filter(({ isUpright }) => isUpright)).flatMap((band) => {
    const flat = rules.filter(({ isUpright, at }) => !isUpright && at > band.from - SAME && at < band.to + SAME);
    const upright = rules.filter((rule) => rule.isUpright && rule.to > band.from && rule.from < band.to);
    const grid = gridOf(upright, flat);
    const table = grid && tableIn(grid, words);
    return table ? [table] : [];
  });
}

/** Heights that upright lines cover without a gap. */
function bandsOf(upright: readonly RuledLine[]): PlacedSpan[] {
  const bands: { from: number; to: number }[] = [];
  for (const { from, to } of upright.toSorted((one, other) => one.from - other.from)) {
    const band = bands.at(-1);
    if (band && from <= band.to + SAME) band.to = Math.max(band.to, to);
    else bands.push({ from, to });
  }
  return bands;
}

interface Grid {
  /** Where columns begin and end, from the left. */
  readonly xs: readonly number[];
  /** Where rows begin and end, from the top. */
  readonly ys: readonly number[];
  hasWall(row: number, column: number): boolean;
  hasFloor(row: number, column: number): boolean;
}

/** Null: fewer than two columns of two rows, or more than a page has. */
function gridOf(upright: readonly RuledLine[], flat: readonly RuledLine[]): Grid | null {
  const xs = places([...upright.map(({ at }) => at), ...outer(upright, flat)]);
  const ys = places([...flat.map(({ at }) => at), ...outer(flat, upright)]).toReversed();
  if (xs.length < 3 || ys.length < 3 || xs.length * ys.length > MAX_CELLS) return null;
  const walls = xs.map((x) => upright.filter(({ at }) => Math.abs(at - x) <= SAME));
  const floors = ys.map((y) => flat.filter(({ at }) => Math.abs(at - y) <= SAME));
  return {
    xs,
    ys,
    hasWall: (row, column) => isCovered(walls[column + 1] ?? [], ys[row + 1] ?? 0, ys[row] ?? 0),
    hasFloor: (row, column) => isCovered(floors[row + 1] ?? [], xs[column] ?? 0, xs[column + 1] ?? 0),
  };
}

/** Tables without an outer frame end where the lines across them do. */
function outer(own: readonly RuledLine[], across: readonly RuledLine[]): number[] {
  const places = own.map(({ at }) => at);
  const [first, last] = [Math.min(...across.map(({ from }) => from)), Math.max(...across.map(({ to }) => to))];
  return [
    ...(first < Math.min(...places) - SAME ? [first] : []),
    ...(last > Math.max(...places) + SAME ? [last] : []),
  ].filter(Number.isFinite);
}

function places(numbers: readonly number[]): number[] {
  const groups: number[][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const group = groups.at(-1);
    if (group && number - (group[0] ?? 0) <= SAME) group.push(number);
    else groups.push([number]);
  }
  return groups.map((group) => group.reduce((sum, one) => sum + one, 0) / group.length);
}

const isCovered = (rules: readonly RuledLine[], from: number, to: number): boolean =>
  rules.some((rule) => Math.min(rule.to, to) - Math.max(rule.from, from) >= DRAWN * (to - from));

function tableIn(grid: Grid, words: readonly Run[]): PlacedTable | null {
  const { xs, ys } = grid;
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
  const middle = ({ y, height }: Run) => y + 0.3 * height;
  const inside = words.filter(
    (run) => run.left > left - SAME && run.left < right && middle(run) < top && middle(run) > bottom,
  );
  const home = homesOf(grid);
  const pieces = inside.flatMap((run) => partedAt(xs, run));
  const cells = new Map<number, Run[]>();
  const width = xs.length - 1;
  for (const run of pieces) {
    const column = Math.max(
      0,
      xs.findLastIndex((x) => x <= run.left + 1),
    );
    const row = ys.findLastIndex((y) => y > middle(run));
    const cell = home[row * width + Math.min(column, width - 1)] ?? 0;
    cells.set(cell, [...(cells.get(cell) ?? []), run]);
  }
  const strips = Array.from({ length: ys.length - 1 }, (_, row) =>
    Array.from({ length: width }, (_cell, column) => cells.get(row * width + column) ?? []),
  );
  const lines = strips.flatMap(linesOfStrip).filter((line) => line.some((cell) => cell.length > 0));
  const rows = lines.map((line) => line.map(cellText));
  if (!isTable(rows)) return null;
  const turned = isFromTheRight(lines.map((line) => writtenOrder(line, pieces)));
  const columns = xs.slice(1).map((to, index) => ({ from: xs[index] ?? 0, to }));
  return {
    rows: turned ? rows.map((row) => row.toReversed()) : rows,
    runs: new Set(inside),
    columns,
    left,
    right,
    top,
    bottom,
  };
}

/** pdf.js takes cells that are near to each other for one run: it is two where a blank stands at the wall. */
function partedAt(xs: readonly number[], run: Run): Run[] {
  const { text, left, right, height } = run;
  const wall = xs.find((x) => x > left + 1 && x < right - 1);
  if (wall === undefined) return [run];
  const placeOf = (index: number) => left + ((right - left) * index) / text.length;
  const blanks = [...text.matchAll(/\s/g)].map(({ index }) => index);
  const [blank] = blanks.toSorted((one, other) => Math.abs(placeOf(one) - wall) - Math.abs(placeOf(other) - wall));
  if (blank === undefined || Math.abs(placeOf(blank) - wall) > height) return [run];
  const rest = { ...run, text: text.slice(blank + 1), left: wall + 1 };
  return [{ ...run, text: text.slice(0, blank), right: wall - 1 }, ...partedAt(xs, rest)];
}

/** Of each cell, the first of those that it is one with. */
function homesOf({ xs, ys, hasWall, hasFloor }: Grid): number[] {
  const [width, height] = [xs.length - 1, ys.length - 1];
  const home = Array.from({ length: width * height }, (_, cell) => cell);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const cell = row * width + column;
      if (column > 0 && !hasWall(row, column - 1)) home[cell] = home[cell - 1] ?? cell;
      else if (row > 0 && !hasFloor(row - 1, column)) home[cell] = home[cell - width] ?? cell;
    }
  }
  return home;
}

/**
 * The rows between two lines across: one, unless several rows stand there without a line between them, which is so where
 * most columns have something in most of its lines of text. What was broken into lines has fewer in its other columns.
 */
function linesOfStrip(strip: readonly Run[][]): Run[][][] {
  const lines = linesFromTop(strip.flat());
  if (lines.length < 3) return [[...strip]];
  const parted = lines.map((line) => strip.map((cell) => cell.filter((run) => line.includes(run))));
  const used = strip.flatMap((cell, column) => (cell.length > 0 ? [column] : []));
  const isFull = (column: number) =>
    parted.filter((line) => (line[column]?.length ?? 0) > 0).length >= DRAWN * lines.length;
  return used.length > 1 && used.every(isFull) ? parted : [[...strip]];
}

/** The first run of each cell, in the order in which they were written. */
function writtenOrder(line: readonly Run[][], inside: readonly Run[]): Run[] {
  const first = line.flatMap(([run]) => (run ? [run] : []));
  return first.length < 2 ? first : inside.filter((run) => first.includes(run));
}

/** Two rows and two columns at least have something in them, and no cell holds a page. */
function isTable(rows: PlacedTable['rows']): boolean {
  const filled = rows.filter((row) => row.filter((cell) => cell !== null).length > 1).length;
  return filled > 1 && rows.every((row) => row.every((cell) => (cell ?? '').length <= MAX_CHARACTERS));
}
