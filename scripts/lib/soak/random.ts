export interface Random {
  /** 0 ≤ r < 1. */
  next(): number;
  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
  chance(probability: number): boolean;
}

/** The same numbers for the same seed (mulberry32), so that a run that broke something can be made again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (values) => values[between(0, values.length - 1)] ?? values[0],
    chance: (probability) => next() < probability,
  };
}
