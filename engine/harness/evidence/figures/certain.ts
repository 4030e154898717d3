import type { Declared } from '../../../record/declared.ts';
import { placeName, tablesWith } from './cells.ts';
import type { FigureVerdict } from './figures.ts';
import { isShownAs, readingsOf, standsIn, valuesIn } from './match.ts';
import type { Shown } from './shown.ts';
import { type Reading, tokensOf } from './tokens.ts';

type Figure = Declared['figures'][number];

/** A sign may stand in words ("an expense of"), and a unit in the heading of a column. */
const bare = (one: Reading): Reading =>
  one.kind === 'number' ? { ...one, value: Math.abs(one.value), unit: null } : one;

/** What is less than nothing may be shown without its sign, which then stands in words; never the other way round. */
const unsigned = (one: Reading): Reading => (one.kind === 'number' ? { ...one, value: Math.abs(one.value) } : one);

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
export function standsSomewhere(shown: string, sources: readonly Shown[], mail: string): boolean {
  const wanted = readingsOf(shown);
  if (wanted.length === 0) return [...sources.map(({ whole }) => whole), mail].some((text) => standsIn(shown, text));
  const there = [...sources.flatMap(valuesIn), ...tokensOf(mail).flatMap(({ readings }) => readings)].map(bare);
  return wanted.every((readings) => readings.some((one) => there.some((other) => isShownAs(bare(one), other))));
}

/** What was worked out of a table says of its columns where they come from: its own cells have other addresses. */
const isWorkedOut = ({ places, fields }: Shown): boolean =>
  places.size > 0 || [...fields.keys()].some((path) => /^(?:result\.)?columns\./.test(path));

/**
 * Whether an address can mean one cell alone: of one table, or, in what was worked out of a table, of that table. `a2!B2` says
 * in which source it stands.
 */
function isOneCell(address: string, shown: Shown, by: ReadonlyMap<string, Shown>): boolean {
  const [prefix = '', inside] = address.split(/!(?=[^!]*$)/);
  const named = inside === undefined ? undefined : by.get(prefix.trim());
  if (named && inside !== undefined) return isOneCell(inside, named, by);
  const placed = (shown.places.get(placeName(address)) ?? []).length;
  const inTables = tablesWith(address, shown);
  return isWorkedOut(shown) ? placed === 1 && inTables === 0 : inTables === 1;
}

/** A formula over one table that is no result of another one is as certain as its cells. */
function isCertain({ cells, formula }: Figure, all: Shown, by: ReadonlyMap<string, Shown>): boolean {
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
  given: { readonly all: Shown; readonly by: ReadonlyMap<string, Shown>; readonly mail: string },
): FigureVerdict | { readonly verdict: 'unchecked' } {
  if (verdict.verdict === 'supported') return verdict;
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
