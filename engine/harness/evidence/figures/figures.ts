import type { Declared } from '../../../record/declared.ts';
import { cellsAt, placeName, pointsNowhere } from './cells.ts';
import { evaluate, FormulaError, numberIn } from './formula.ts';
import {
  cellShows,
  isRounded,
  isShownAs,
  type Numeric,
  readingsOf,
  standsAmong,
  standsIn,
  standsWhole,
  sureReadingsOf,
  sureValuesIn,
  valuesIn,
} from './match.ts';
import type { ShownCell, ShownResult } from './shown.ts';
import { decimalSignIn, type FigureDecimalSign, type ReadValue, tokensOf } from './tokens.ts';

export interface FigureVerdict {
  /** `unchecked`: words that stand there as a part of a sentence, which may say the opposite. */
  readonly verdict: 'supported' | 'unchecked' | 'unsupported' | 'contradicted';
  readonly why?: string;
  readonly detail?: string;
  /** It stands in the cell that it names, whatever else the source has. */
  readonly stands?: boolean;
}

type Figure = Declared['figures'][number];
interface Sources {
  /** By the name under which the figure names it. */
  readonly by: ReadonlyMap<string, ShownResult>;
  readonly all: ShownResult;
  /** Of a run of an older version, in which a part of a sentence and any reading of a number bore out what is shown. */
  readonly asOlder?: true;
}

const SUPPORTED: FigureVerdict = { verdict: 'supported' };

/** Holds what is shown against the cells that it names, what the formula makes of them, or the whole source. */
export function judgeValue(figure: Figure, sources: Sources): FigureVerdict {
  if (standsAtPlace(figure, sources.all)) return { verdict: 'supported', stands: true };
  if (figure.formula !== null) return judgeFormula(figure, figure.formula, sources);
  if (figure.cells.length === 0) return judgePresence(figure.shown, sources);
  const named = figure.cells.map((address) => cellsOf(address, sources));
  const unnamed = figure.cells.find((_address, index) => named[index]?.length === 0);
  if (unnamed !== undefined) {
    // It may say in words what cell it means; then the value itself has to be there.
    const present = judgePresence(figure.shown, sources);
    return present.verdict !== 'unsupported' && !pointsNowhere(unnamed, sources.all) ? present : noCell(unnamed);
  }
  const options = named.flat();
  if (options.some((cells) => cells.some((cell) => cellShows(figure.shown, cell))))
    return { verdict: 'supported', stands: true };
  if (
    named.flat(2).length > 1 &&
    ['sum', 'count'].some((name) => judgeFormula(figure, name, sources).verdict === 'supported')
  )
    return SUPPORTED;
  return contradicted(String(options[0]?.[0] ?? ''), figure.cells.join(', '));
}

/**
 * Whether the result of a calculation over a table has this figure for the cells that it names, alone or in a formula of
 * one function: the cells themselves are then not in the result, and need not be.
 */
function standsAtPlace({ shown, cells, formula }: Figure, { places }: ShownResult): boolean {
  if (places.size === 0) return false;
  const [, inner] = /^\s*(?:=\s*)?\w+\s*\(([^()]*)\)\s*$/.exec(formula ?? '') ?? [];
  const named = [...cells, cells.join(','), ...(inner === undefined ? [] : [inner])];
  if (formula !== null && inner === undefined) return false;
  return named.some((address) => (places.get(placeName(address)) ?? []).some((cell) => cellShows(shown, cell)));
}

const contradicted = (says: string, where: string): FigureVerdict => ({
  verdict: 'contradicted',
  detail: says.slice(0, 120),
  why: `${where.slice(0, 120)} says ${says.slice(0, 120)}`,
});

/** The cells at an address, in each source that has them; a value that stands in a source is an address of itself. */
function cellsOf(address: string, sources: Sources): readonly (readonly ShownCell[])[] {
  const { by, all } = sources;
  const [prefix = '', inside] = address.split(/!(?=[^!]*$)/);
  const one = inside === undefined ? undefined : by.get(prefix.trim());
  if (one && inside !== undefined) return [cellsAt(inside, one) ?? []].filter((cells) => cells.length > 0);
  const found = [...by.values()].flatMap((source) => {
    const cells = cellsAt(address, source);
    return cells ? [cells] : [];
  });
  const placed = (all.places.get(placeName(address)) ?? []).map((cell) => [cell]);
  if (placed.length > 0) return [...placed, ...found];
  if (found.length > 0) return found;
  return judgePresence(address, sources).verdict === 'supported' && tokensOf(address).length > 0 ? [[address]] : [];
}

function judgePresence(shown: string, { all: source, asOlder }: Pick<Sources, 'all' | 'asOlder'>): FigureVerdict {
  const partly: FigureVerdict = asOlder ? SUPPORTED : { verdict: 'unchecked' };
  const wanted = readingsOf(shown);
  const isQuote = /^\s*["“„«「『]/.test(shown);
  if (wanted.length === 0 || isQuote) {
    if (standsWhole(shown, source.pieces)) return SUPPORTED;
    return standsIn(shown, source.whole)
      ? partly
      : { verdict: 'unsupported', why: `"${shown.slice(0, 120)}" does not stand in its source` };
  }
  const isIn = (values: readonly ReadValue[], shownBy: typeof wanted) =>
    shownBy.every((readings) => readings.some((one) => values.some((other) => isShownAs(one, other))));
  if (isIn(sureValuesIn(source), sureReadingsOf(shown))) return SUPPORTED;
  return isIn(valuesIn(source), wanted)
    ? partly
    : { verdict: 'unsupported', why: `${shown.slice(0, 120)} does not stand in its source` };
}

function judgeFormula({ shown, cells, from }: Figure, formula: string, sources: Sources): FigureVerdict {
  const wanted = numbersIn(shown);
  if (wanted.length === 0) return { verdict: 'unsupported', why: `there is no number in "${shown.slice(0, 120)}"` };
  const results: number[] = [];
  let error = 'the formula cannot be worked out';
  const listed = cells.map((address) => cellsOf(address, sources)[0] ?? []);
  const unnamed = cells.find((_address, index) => listed[index]?.length === 0);
  if (unnamed !== undefined) return noCell(unnamed);
  const values = valuesIn(sources.all);
  const stands = (value: number) => standsAmong(value, values);
  for (const { source, signs } of variantsOf(sources.all)) {
    for (const sign of signs) {
      try {
        results.push(evaluate(prefixed(formula, from), { source, listed, addresses: cells, sign, stands }));
      } catch (cause) {
        if (!(cause instanceof FormulaError)) throw cause;
        error = cause.message;
      }
    }
  }
  if (results.length === 0) return { verdict: 'unsupported', why: error };
  if (wanted.some((reading) => results.some((result) => gives(result, reading)))) return SUPPORTED;
  return contradicted(String(Number((results[0] ?? 0).toPrecision(12))), formula);
}

function numbersIn(shown: string): readonly Numeric[] {
  const written = readingsOf(shown)
    .flat()
    .filter((reading) => reading.kind === 'number');
  const count = written.length === 0 ? countInWords(shown) : null;
  return count === null ? written : [{ kind: 'number', value: count, step: 1, unit: null, by: null }];
}

/** `a1!C4` in a formula over one source is just C4. */
const prefixed = (formula: string, from: readonly string[]): string =>
  from.length === 1 ? formula.replaceAll(`${from[0]}!`, '') : formula;

function gives(result: number, shown: Numeric): boolean {
  return isRounded(shown, result) || (shown.unit === '%' && isRounded(shown, result * 100));
}

interface Variant {
  readonly source: ShownResult;
  readonly signs: readonly FigureDecimalSign[];
}
const variants = new WeakMap<ShownResult, readonly Variant[]>();

/** A source as it is, and without rows that only sum up; each with how its numbers are to be read. Worked out once. */
function variantsOf(source: ShownResult): readonly Variant[] {
  const made = variants.get(source) ?? makeVariants(source);
  variants.set(source, made);
  return made;
}

const makeVariants = (source: ShownResult): readonly Variant[] => {
  const signs = signsIn(source);
  return [source, withoutTotals(source), ...together(source)].map((each) => ({ source: each, signs }));
};

/** Tables with the same headers as one: a column of two files, or of a file for each month. */
function together(source: ShownResult): readonly ShownResult[] {
  const alike = [...Map.groupBy(withoutTotals(source).tables, ([headers]) => JSON.stringify(headers)).values()];
  if (alike.length === source.tables.length) return [];
  const tables = alike.map(([first = [], ...more]) => [...first, ...more.flatMap((table) => table.slice(1))]);
  return [{ ...source, tables }];
}

/** Which sign stands before decimals in a source; both where it never says. */
function signsIn({ tables, texts }: ShownResult): readonly FigureDecimalSign[] {
  const cells = tables.flat(2).filter((cell) => typeof cell === 'string');
  const written = [...cells, ...(cells.length > 0 ? [] : texts)].flatMap(
    (text) => text.normalize('NFKC').match(/\d[\d.,' ]*\d/g) ?? [],
  );
  const found = new Set(written.flatMap((amount) => decimalSignIn(amount.trim()) ?? []));
  const [sign] = found;
  return found.size === 1 && sign ? [sign] : ['.', ','];
}

/** Tables without a last row that is the sum of those above it. */
const withoutTotals = (source: ShownResult): ShownResult => ({
  ...source,
  tables: source.tables.map((table) => (hasTotal(table) ? table.slice(0, -1) : table)),
});

function hasTotal(table: ShownResult['tables'][number]): boolean {
  const below = table.slice(1);
  const [headers = []] = table;
  return (
    below.length >= 3 &&
    headers.some((_header, column) => {
      const numbers = below.map((row) => numberIn(row[column] ?? '', '.'));
      if (numbers.some((value) => value === null)) return false;
      const parts = numbers.slice(0, -1).reduce<number>((sum, value) => sum + (value ?? 0), 0);
      return parts !== 0 && Math.abs(parts - (numbers.at(-1) ?? 0)) < 0.005;
    })
  );
}

/** Counts as people write them out, from none to twelve, in the languages of the wording; lower case. */
const NAMES = [
  'zero none no null keine kein keinen zéro aucun aucune cero ninguno ninguna nessuno nessuna nul geen nenhum nenhuma żaden żadna żadne 零',
  'one a an ein eine einen un une uno una één een um uma jeden jedna jedno 一',
  'two both zwei beide deux dos due twee dois duas dwa dwie dwóch 二 两 兩',
  'three drei trois tres tre drie três trzy trzech 三',
  'four vier quatre cuatro quattro quatro cztery czterech 四',
  'five fünf cinq cinco cinque vijf pięć pięciu 五',
  'six sechs seis sei zes sześć sześciu 六',
  'seven sieben sept siete sette zeven sete siedem siedmiu 七',
  'eight acht huit ocho otto oito osiem ośmiu 八',
  'nine neun neuf nueve nove negen dziewięć dziewięciu 九',
  'ten zehn dix diez dieci tien dez dziesięć dziesięciu 十',
  'eleven elf onze once undici jedenaście jedenastu 十一',
  'twelve zwölf douze doce dodici twaalf doze dwanaście dwunastu 十二',
];

const VALUES: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, value) => names.split(' ').map((name): [string, number] => [name, value])),
);

/** Chinese and Japanese set a counter right behind it: 三件, 四个. */
const COUNTED = /^[零一二两兩三四五六七八九十]+(?=\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|$)/u;

/** The count in "four", "four errors", "三件"; null where the first word is none. */
function countInWords(shown: string): number | null {
  const [first = ''] = shown.trim().toLowerCase().normalize('NFC').split(/\s+/);
  return VALUES.get(first) ?? VALUES.get(COUNTED.exec(first)?.[0] ?? '') ?? null;
}

const noCell = (address: string): FigureVerdict => ({
  verdict: 'unsupported',
  why: `there is no cell "${address}" in its source`,
});
