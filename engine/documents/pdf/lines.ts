/** A run of characters of a page, as pdf.js gives it. */
export interface Glyphs {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

interface Run {
  readonly text: string;
  readonly isRtl: boolean;
  readonly left: number;
  readonly right: number;
  /** Baseline; up is more. */
  readonly y: number;
  readonly height: number;
}

interface Line {
  readonly runs: Run[];
  readonly y: number;
  height: number;
  left: number;
  right: number;
  isRtl: boolean;
}

/** A gap this wide, in heights of the letters, parts two cells of a row. */
const CELL_GAP = 1;
const SPACE_GAP = 0.15;
/** A page whose lines go back up more often than this was not written in the order of reading. */
const MOST_JUMPS = 0.15;

/**
 * The text of a page. Programs write a page in the order of reading, columns included, so that order is kept; a page
 * whose lines jump about is put in order by where they stand. Cells of one row are parted by a tab.
 */
export function pageText(glyphs: readonly Glyphs[]): string {
  const written = linesOf(glyphs.flatMap(runOf));
  const lines = isOrderly(written) ? written : inOrder(written.flatMap(({ runs }) => runs));
  const out: string[] = [];
  let last: Line | undefined;
  for (const line of lines) {
    const text = lineText(line.runs);
    if (text === '') continue;
    // More than a line's own room above it: a paragraph begins.
    if (last && last.y - line.y > 1.8 * Math.max(last.height, line.height)) out.push('');
    out.push(text);
    last = line;
  }
  return out.join('\n').trim();
}

function runOf({ str, dir, transform, width, height }: Glyphs): Run[] {
  const [a = 0, b = 0, , , x = 0, y = 0] = transform;
  if (str === '' || (str.trim() === '' && width === 0)) return [];
  // Text that stands on its side keeps its place in the order and is a line of its own by its own baseline.
  const isTurned = Math.abs(b) > Math.abs(a);
  const size = height > 0 ? height : Math.hypot(a, b);
  return [{ text: str, isRtl: dir === 'rtl', left: x, right: x + (isTurned ? 0 : width), y, height: size || 1 }];
}

/** Runs on one baseline that follow each other. */
function linesOf(runs: readonly Run[]): Line[] {
  const lines: Line[] = [];
  for (const run of runs) {
    const line = lines.at(-1);
    if (line && Math.abs(line.y - run.y) < 0.5 * Math.max(line.height, run.height) && isNear(line, run)) {
      add(line, run);
    } else if (run.text.trim() !== '') {
      lines.push(lineOf(run));
    }
  }
  return lines;
}

/** Back to the left on the same height is another column's line, but where text runs from the right. */
const isNear = (line: Line, run: Run): boolean => run.isRtl || line.isRtl || run.left > line.left - 1;

const lineOf = (run: Run): Line => ({ ...run, runs: [run] });

function add(line: Line, run: Run): void {
  line.runs.push(run);
  if (run.text.trim() === '') return;
  line.height = Math.max(line.height, run.height);
  line.left = Math.min(line.left, run.left);
  line.right = Math.max(line.right, run.right);
  line.isRtl ||= run.isRtl;
}

function isOrderly(lines: readonly Line[]): boolean {
  let jumps = 0;
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (!before || line.y <= before.y + 0.5 * line.height) continue;
    // Up and to the right of everything before is the next column.
    if (line.left < before.right) jumps += 1;
  }
  return jumps <= Math.max(1, MOST_JUMPS * lines.length);
}

/** By where they stand: down the page, each line from left to right. */
function inOrder(runs: readonly Run[]): Line[] {
  const rows: Run[][] = [];
  for (const run of runs.toSorted((one, other) => other.y - one.y)) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    if (row && first && Math.abs(first.y - run.y) < 0.5 * Math.min(first.height, run.height)) row.push(run);
    else rows.push([run]);
  }
  return rows.flatMap((row) => {
    const [first, ...others] = row.toSorted((one, other) => one.left - other.left);
    if (!first) return [];
    const line = lineOf(first);
    for (const run of others) add(line, run);
    return [line];
  });
}

function lineText(runs: readonly Run[]): string {
  const rtl = runs.filter(({ isRtl, text }) => isRtl && text.trim() !== '').length;
  const isRtl = rtl > 0 && rtl * 2 >= runs.filter(({ text }) => text.trim() !== '').length;
  const ordered = isRtl ? fromTheRight(runs) : runs;
  let text = '';
  let before: Run | undefined;
  for (const run of ordered) {
    if (before) text += gapBetween(before, run, text);
    text += run.text;
    before = run;
  }
  const line = text.replace(/[ \t]+/g, (blanks) => (blanks.includes('\t') ? '\t' : ' ')).trim();
  // Programs write the joined letters of the Arabic article before a hamza the wrong way round.
  return isRtl ? line.replace(/ا([إأآ])ل/g, 'ال$1') : line;
}

function gapBetween(before: Run, run: Run, text: string): string {
  const gap = run.left >= before.left ? run.left - before.right : before.left - run.right;
  const height = Math.max(before.height, run.height);
  // pdf.js writes a gap as a run of one blank as wide as the gap.
  if (run.text.trim() === '') return run.right - run.left > CELL_GAP * height ? '\t' : '';
  if (gap > CELL_GAP * height) return '\t';
  return gap > SPACE_GAP * height && !/\s$/.test(text) && !/^\s/.test(run.text) ? ' ' : '';
}

/** Runs of a line that is read from the right; what is written from the left within it keeps its order. */
function fromTheRight(runs: readonly Run[]): Run[] {
  const sorted = runs.toSorted((one, other) => other.left - one.left);
  const out: Run[] = [];
  let ltr: Run[] = [];
  for (const run of sorted) {
    if (run.isRtl) {
      out.push(...ltr, run);
      ltr = [];
    } else {
      ltr.unshift(run);
    }
  }
  return [...out, ...ltr];
}
