/** How much of what runs by number is run; 20 is the full size. */
export const SIZE = Number(process.env.EPISTLE_TEST_SIZE ?? 1);

/** All of them at full size, otherwise `count` of them, spread evenly, the first and the last among them. */
export function someOf<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (SIZE >= 20 || items.length <= count) return items;
  const chosen = Array.from({ length: count }, (_, n) => Math.round((n * (items.length - 1)) / (count - 1)));
  return items.filter((_, index) => chosen.includes(index));
}
