/** A run of characters of a page, as pdf.js gives it. */
export interface Glyphs {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Characters that stand on one baseline. Places are in points; up and right are more. */
export interface Run {
  readonly text: string;
  readonly isRtl: boolean;
  /** It stands on its side. */
  readonly isTurned: boolean;
  readonly left: number;
  readonly right: number;
  /** Of the baseline. */
  readonly y: number;
  readonly height: number;
}

export const runsOf = (glyphs: readonly Glyphs[]): Run[] => glyphs.flatMap(runOf);

function runOf({ str, dir, transform, width, height }: Glyphs): Run[] {
  const [a = 0, b = 0, , , x = 0, y = 0] = transform;
  if (str === '' || (str.trim() === '' && width === 0)) return [];
  // Text that stands on its side keeps its place in the order and is a line of its own by its own baseline.
  const isTurned = Math.abs(b) > Math.abs(a);
  const size = height > 0 ? height : Math.hypot(a, b);
  return [
    { text: str, isRtl: dir === 'rtl', isTurned, left: x, right: x + (isTurned ? 0 : width), y, height: size || 1 },
  ];
}

/** A gap this wide, in heights of the letters, parts two cells of a row. */
export const CELL_GAP = 1;
const SPACE_GAP = 0.15;

/** Runs of one line as text; cells are parted by a tab. */
export function lineText(runs: readonly Run[]): string {
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
