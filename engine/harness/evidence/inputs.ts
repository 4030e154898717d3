import type { Evidence } from './evidence.ts';
import { judgeValue } from './figures/figures.ts';
import { CONSTANTS } from './figures/formula.ts';
import { isShownAs, readingsOf, valuesIn } from './figures/match.ts';
import type { Shown } from './figures/shown.ts';
import { type Reading, tokensOf } from './figures/tokens.ts';

/** A value that a calculation was given, and where it stands, as the model says: `call id!C4`. */
interface Input {
  readonly value: string | number;
  readonly from: string | null;
}

interface Around {
  /** The source of that name; null where nothing of the run is called so. */
  sourceNamed(name: string): { readonly by: ReadonlyMap<string, Shown>; readonly all: Shown } | null;
  /** All that was read, without results of calculations. */
  readonly read: Shown;
  readonly mail: string;
}

/**
 * What is wrong with the values that a calculation was made of: a result is worth what went into it. Null where each stands
 * in its source or, where none is named, in anything that was read. Numbers by which figures are converted need none.
 */
export function wrongInput(items: readonly Evidence[], around: () => Around): string | null {
  const inputs = items.flatMap(inputsOf);
  if (inputs.length === 0) return null;
  const known = around();
  for (const input of inputs) {
    const why = wrongWith(input, known);
    if (why !== null) return `the calculation rests on ${input.value}: ${why}`;
  }
  return null;
}

export const isCalculation = (item: Evidence): boolean => inputsOf(item).length > 0;

function inputsOf({ ok, result }: Evidence): readonly Input[] {
  const listed: unknown =
    ok && typeof result === 'object' && result !== null ? Reflect.get(result, 'inputs') : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown): Input[] => {
    const { value, from } = Object(one) as { value?: unknown; from?: unknown };
    const isValue = typeof value === 'number' || typeof value === 'string';
    return isValue ? [{ value, from: typeof from === 'string' ? from : null }] : [];
  });
}

function wrongWith({ value, from }: Input, { sourceNamed, read, mail }: Around): string | null {
  if (from !== null) {
    const [name = '', cell] = from.split(/!(?=[^!]*$)/);
    const source = sourceNamed(name.trim());
    if (source === null) return `nothing of this mail's work is called "${name.slice(0, 100)}"`;
    const cells = cell === undefined ? [] : [cell];
    const { verdict, why } = judgeValue({ shown: String(value), from: [name], cells, formula: null }, source);
    return verdict === 'supported' ? null : (why ?? 'it does not stand there');
  }
  const number = Number(value);
  if (CONSTANTS.has(Math.abs(number))) return null;
  const wanted = readingsOf(value).flat();
  const there = [...valuesIn(read), ...tokensOf(mail).flatMap(({ readings }) => readings)];
  return wanted.some((one) => there.some((other) => isSame(one, other))) ? null : 'nothing that was read has it';
}

/** A loss may be written as an amount that is taken away. */
const isSame = (one: Reading, other: Reading): boolean =>
  isShownAs(one, other) ||
  (one.kind === 'number' && other.kind === 'number' && isShownAs({ ...one, value: -one.value }, other));
