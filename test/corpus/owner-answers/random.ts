/** Chance that comes out the same each time (mulberry32). */
export interface Chance {
  /** From 0 up to 1. */
  next(): number;
  below(count: number): number;
  of<Item>(items: readonly Item[]): Item;
  shuffled<Item>(items: readonly Item[]): Item[];
}

export function chance(seed: number): Chance {
  const state = { value: seed >>> 0 };
  const next = (): number => {
    state.value = (state.value + 0x6d2b79f5) >>> 0;
    const once = Math.imul(state.value ^ (state.value >>> 15), state.value | 1);
    const twice = once ^ (once + Math.imul(once ^ (once >>> 7), once | 61));
    return ((twice ^ (twice >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    of<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to choose from');
      return item;
    },
    shuffled<Item>(items: readonly Item[]): Item[] {
      return items
        .map((item) => ({ item, place: next() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ item }) => item);
    },
  };
}

/** A number for a text, to begin chance with (FNV-1a). */
export const seedOf = (text: string): number =>
  [...Buffer.from(text)].reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
