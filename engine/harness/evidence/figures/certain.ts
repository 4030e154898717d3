import type { Declared } from '../../../record/declared.ts';
import { type MeantCell, placeName, tablesWith } from './cells.ts';
import type { FigureVerdict } from './figures.ts';
import { evaluate, FormulaError } from './formula.ts';
import { cellShows, isRounded, isShownAs, type Numeric, readingsOf, standsAmong, standsIn, valuesIn } from './match.ts';
import type { ShownCell, ShownResult } from './shown.ts';
import { shownIn } from './tables.ts';
import { type ReadValue, tokensOf } from './tokens.ts';

type Figure = Declared['figures'][number];

/** A sign may stand in words ("an expense of"), and a unit in the heading of a column. */
const bare = (one: ReadValue): ReadValue =>
  one.kind === 'number' ? { ...one, value: Math.abs(one.value), unit: null } : one;

/** What is less than nothing may be shown without its sign, which then stands in words; never the other way round. */
const unsigned = (one: ReadValue): ReadValue => (one.kind === 'number' ? { ...one, value: Math.abs(one.value) } : one);

/** Whether what the cell says differs in its sign alone. */
const isButSign = ({ shown }: Figure, says: string): boolean => {
  const there = readingsOf(says).flat().map(unsigned);
  const wanted = readingsOf(shown);
  return (
    wanted.length > 0 &&
    wanted.every((readings) => readings.every(({ kind }) => kind === 'number')) &&
    wanted.every((readings) => readings.some((one) => there.some((other) => isShownAs(one, other))))
  );
};

/** Whether what is shown stands in a source or in the mail, wherever that is. Pure. */
export function standsSomewhere(shown: string, sources: readonly ShownResult[], mail: string): boolean {
  const wanted = readingsOf(shown);
  if (wanted.length === 0) return [...sources.map(({ whole }) => whole), mail].some((text) => standsIn(shown, text));
  const there = [...sources.flatMap(valuesIn), ...tokensOf(mail).flatMap(({ readings }) => readings)].map(bare);
  return wanted.every((readings) => readings.some((one) => there.some((other) => isShownAs(bare(one), other))));
}

/** By so much one unit is more than another of the same kind: a heading may say which it is. */
const SCALES = [7, 12, 24, 60, 100, 365, 1000, 1024, 1440, 3600, 86_400, 1_000_000, 1_000_000_000];
const isScaled = (one: number, other: number): boolean =>
  SCALES.some((by) => [one * by, one / by].some((value) => Math.abs(value - other) <= 1e-9 * Math.abs(other)));

/** 12,000 of 12,345: it ends in zeros, and is the other to the last digit before them. */
function isRoundly(shown: number, there: number): boolean {
  const zeros = /[1-9](0+)$/.exec(String(Math.abs(shown)))?.[1]?.length ?? 0;
  return zeros >= 2 && Math.abs(Math.abs(there) - Math.abs(shown)) <= 10 ** zeros / 2;
}

/** 12 of 12.99: what stands behind its last digit was left off. */
const isCutOff = (shown: Numeric, there: Numeric): boolean =>
  shown.step > there.step && Math.abs(Math.abs(there.value) - Math.abs(shown.value)) < shown.step;

/**
 * Whether a cell certainly says something else than is shown: both are one value of the same kind, and neither a sign, nor a unit,
 * nor rounding makes the one out of the other.
 */
function saysOtherwise(shown: string, cell: ShownCell): boolean {
  const [wanted = [], ...more] = readingsOf(shown);
  const [there = [], ...others] = readingsOf(cell);
  if (wanted.length === 0 || there.length === 0 || more.length + others.length > 0) return false;
  return wanted.every((one) =>
    there.every((other) => {
      if (one.kind !== other.kind) return false;
      if (one.kind !== 'number' || other.kind !== 'number') return !isShownAs(one, other);
      if (isShownAs(one, unsigned(other))) return false;
      return !isScaled(one.value, other.value) && !isRoundly(one.value, other.value) && !isCutOff(one, other);
    }),
  );
}

/** What is shown against the one cell that is cited by its id. Pure. */
export function judgeCited(shown: string, { cell, mayBe }: MeantCell, where: string): FigureVerdict {
  if (cellShows(shown, cell)) return { verdict: 'supported', stands: true };
  if (!saysOtherwise(shown, cell) || mayBe.some((other) => !saysOtherwise(shown, other) && cellShows(shown, other)))
    return { verdict: 'unchecked' };
  const says = String(cell).slice(0, 120);
  return { verdict: 'contradicted', detail: says, why: `${where} says ${says}` };
}

/** The same of a formula over such cells, by what each is called in it. Pure. */
export function judgeWorkedOut(shown: string, formula: string, cited: ReadonlyMap<string, MeantCell>): FigureVerdict {
  const addresses = [...cited.keys()];
  const meant = [...cited.values()];
  const [asCited = [], ...otherwise] = [undefined, 0, 1].map((nth) =>
    resultsOf(
      formula,
      addresses,
      meant.map(({ cell, mayBe }) => (nth === undefined ? cell : (mayBe[nth] ?? cell))),
    ),
  );
  const numbers = readingsOf(shown)
    .flat()
    .filter((one) => one.kind === 'number');
  const isGiven = (result: number) =>
    numbers.some((one) => isRounded(one, result) || (one.unit === '%' && isRounded(one, result * 100)));
  if (asCited.some(isGiven)) return { verdict: 'supported' };
  const [first] = asCited;
  const isOther = asCited.every((result) => saysOtherwise(shown, Number(result.toPrecision(12))));
  if (first === undefined || !isOther || otherwise.flat().some(isGiven)) return { verdict: 'unchecked' };
  const says = String(Number(first.toPrecision(12)));
  return { verdict: 'contradicted', detail: says, why: `${formula.slice(0, 120)} gives ${says}` };
}

/** What a formula gives, by each way to read "1.234"; none where it cannot be worked out. */
function resultsOf(formula: string, addresses: readonly string[], cells: readonly ShownCell[]): readonly number[] {
  const source = shownIn([[...cells]]);
  const values = valuesIn(source);
  const given = {
    source,
    addresses,
    listed: cells.map((cell) => [cell]),
    stands: (one: number) => standsAmong(one, values),
  };
  return (['.', ','] as const).flatMap((sign) => {
    try {
      return [evaluate(formula, { ...given, sign })];
    } catch (cause) {
      if (!(cause instanceof FormulaError)) throw cause;
      return [];
    }
  });
}

/** What was worked out of a table says of its columns where they come from: its own cells have other addresses. */
const isWorkedOut = ({ places, fields }: ShownResult): boolean =>
  places.size > 0 || [...fields.keys()].some((path) => /^(?:result\.)?columns\./.test(path));

/**
 * Whether an address can mean one cell alone: of one table, or, in what was worked out of a table, of that table. `a2!B2` says
 * in which source it stands.
 */
function isOneCell(address: string, shown: ShownResult, by: ReadonlyMap<string, ShownResult>): boolean {
  const [prefix = '', inside] = address.split(/!(?=[^!]*$)/);
  const named = inside === undefined ? undefined : by.get(prefix.trim());
  if (named && inside !== undefined) return isOneCell(inside, named, by);
  const placed = (shown.places.get(placeName(address)) ?? []).length;
  const inTables = tablesWith(address, shown);
  return isWorkedOut(shown) ? placed === 1 && inTables === 0 : inTables === 1;
}

/** A formula over one table that is no result of another one is as certain as its cells. */
function isCertain({ cells, formula }: Figure, all: ShownResult, by: ReadonlyMap<string, ShownResult>): boolean {
  const isPlain = all.tables.length === 1 && !isWorkedOut(all);
  if (formula !== null && (isPlain || cells.length === 0)) return isPlain;
  return cells.length > 0 && cells.every((one) => isOneCell(one, all, by));
}

/**
 * What may be said of a figure that was not found where it names: that its source says otherwise only where the cell is
 * certainly the one that is meant, and nothing where the value stands there after all. Pure.
 */
export function asFarAsCertain(
  verdict: FigureVerdict,
  figure: Figure,
  given: { readonly all: ShownResult; readonly by: ReadonlyMap<string, ShownResult>; readonly mail: string },
): FigureVerdict {
  if (verdict.verdict === 'supported' || verdict.verdict === 'unchecked') return verdict;
  const { all, by, mail } = given;
  const isContradicted = verdict.verdict === 'contradicted';
  if (isContradicted && isCertain(figure, all, by))
    return isButSign(figure, verdict.detail ?? '') ? { verdict: 'unchecked' } : verdict;
  // Where there are two ways to name a cell, the other one may be meant.
  const elsewhere = isContradicted || isWorkedOut(all) ? [all] : [];
  if (standsSomewhere(figure.shown, elsewhere, mail)) return { verdict: 'unchecked' };
  if (!isContradicted) return verdict;
  return { verdict: 'unsupported', why: verdict.why ?? `${figure.shown.slice(0, 120)} does not stand in its source` };
}
