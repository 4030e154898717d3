import type { PDFPageProxy } from 'unpdf/pdfjs';

/** A line that is drawn from left to right, or from the bottom to the top. */
export interface RuledLine {
  readonly isUpright: boolean;
  /** Its height where it lies, its place from the left where it stands. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

type Matrix = readonly [number, number, number, number, number, number];
type Point = readonly [x: number, y: number];

const AS_IT_IS: Matrix = [1, 0, 0, 1, 0, 0];
/** A drawing, or a map: no table. */
const MAX_OPERATIONS = 50_000;
const MAX_RULES = 4000;
/** What is filled and no thicker is a line as well. */
const THIN = 3;
const SHORT = 4;
/** How pdf.js writes paths. */
const [MOVE, LINE, CURVE, QUADRATIC, CLOSE] = [0, 1, 2, 3, 4];

/** The lines that are drawn on a page; none where it has as many as a drawing. */
export async function rulesOf(page: PDFPageProxy): Promise<readonly RuledLine[]> {
  const { OPS } = await import('unpdf/pdfjs');
  const stroked = new Set<number>([OPS.stroke, OPS.closeStroke, OPS.fillStroke, OPS.eoFillStroke]);
  const filled = new Set<number>([OPS.fill, OPS.eoFill]);
  const { fnArray, argsArray } = await page.getOperatorList();
  if (fnArray.length > MAX_OPERATIONS) return [];
  const rules: RuledLine[] = [];
  const matrix = matrixAlong(OPS);
  for (const [index, operation] of fnArray.entries()) {
    const args: unknown = argsArray[index];
    const current = matrix(operation, args);
    if (operation !== OPS.constructPath || !Array.isArray(args)) continue;
    const paths = pathsOf(args[1], current);
    if (stroked.has(args[0])) rules.push(...paths.flatMap(edgesOf));
    if (filled.has(args[0])) rules.push(...paths.flatMap(thinOf));
    if (rules.length > MAX_RULES) return [];
  }
  return rules;
}

type Operations = typeof import('unpdf/pdfjs').OPS;

/** How the points of each operation become points of the page, when it is asked about all of them in their order. */
function matrixAlong(OPS: Operations): (operation: number, args: unknown) => Matrix {
  const stack: Matrix[] = [];
  let matrix = AS_IT_IS;
  return (operation, args) => {
    if (operation === OPS.save) stack.push(matrix);
    else if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd) matrix = stack.pop() ?? AS_IT_IS;
    else if (operation === OPS.transform) matrix = times(matrix, args);
    else if (operation === OPS.paintFormXObjectBegin) {
      stack.push(matrix);
      matrix = times(matrix, Array.isArray(args) ? args[0] : null);
    }
    return matrix;
  };
}

function times(by: Matrix, given: unknown): Matrix {
  if (!isNumbers(given) || given.length !== 6) return by;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = given;
  const [p, q, r, s, t, u] = by;
  return [p * a + r * b, q * a + s * b, p * c + r * d, q * c + s * d, p * e + r * f + t, q * e + s * f + u];
}

const isNumbers = (value: unknown): value is readonly number[] | Float32Array | Float64Array =>
  Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array;

/** The corners of each path, in points of the page; curves are left out. */
function pathsOf(args: unknown, [a, b, c, d, e, f]: Matrix): Point[][] {
  const [data] = Array.isArray(args) ? args : [null];
  if (!isNumbers(data)) return [];
  const paths: Point[][] = [];
  let at = 0;
  const point = (): Point => {
    const [x, y] = [data[at] ?? 0, data[at + 1] ?? 0];
    at += 2;
    return [a * x + c * y + e, b * x + d * y + f];
  };
  while (at < data.length) {
    const step = data[at];
    at += 1;
    const path = paths.at(-1);
    if (step === MOVE) paths.push([point()]);
    else if (step === LINE) path?.push(point());
    else if (step === CLOSE && path?.[0]) path.push(path[0]);
    else if (step === CURVE || step === QUADRATIC) {
      at += step === CURVE ? 6 : 4;
      paths.push([]);
    } else if (step !== CLOSE) break;
  }
  return paths;
}

const edgesOf = (path: readonly Point[]): RuledLine[] =>
  path.flatMap((to, index) => {
    const from = path[index - 1];
    return from ? ruleBetween(from, to) : [];
  });

function ruleBetween([x0, y0]: Point, [x1, y1]: Point): RuledLine[] {
  const [width, height] = [Math.abs(x1 - x0), Math.abs(y1 - y0)];
  if (width < 0.5 && height > SHORT) return [ruleOf(true, x0, y0, y1)];
  return height < 0.5 && width > SHORT ? [ruleOf(false, y0, x0, x1)] : [];
}

const ruleOf = (isUpright: boolean, at: number, one: number, other: number): RuledLine => ({
  isUpright,
  at,
  from: Math.min(one, other),
  to: Math.max(one, other),
});

/** A thin box is a line; a wide one is the colour behind a cell. */
function thinOf(path: readonly Point[]): RuledLine[] {
  if (path.length < 2) return [];
  const [xs, ys] = [path.map(([x]) => x), path.map(([, y]) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [bottom, top] = [Math.min(...ys), Math.max(...ys)];
  if (right - left <= THIN && top - bottom > SHORT) return [ruleOf(true, (left + right) / 2, bottom, top)];
  return top - bottom <= THIN && right - left > SHORT ? [ruleOf(false, (bottom + top) / 2, left, right)] : [];
}
