import type { Registry } from './types.ts';

export function createRegistry<Entry extends { readonly name: string }>(entries: readonly Entry[]): Registry<Entry> {
  const sorted = [...entries]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((entry) => Object.freeze(entry));
  const byName = new Map(sorted.map((entry) => [entry.name, entry]));
  Object.freeze(sorted);
  return Object.freeze({
    get: (name: string) => byName.get(name),
    names: Object.freeze([...byName.keys()]),
    all: () => sorted,
    size: byName.size,
  });
}
