/** What is put into a list and what is left out of it. */
export interface ListChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** The list without some, and with others before the first of `before` that stands in it, else at its end. */
export function changedList(
  base: readonly string[],
  { add, remove }: ListChange,
  before: readonly string[],
): readonly string[] {
  const found = before.map((name) => base.indexOf(name)).find((index) => index >= 0) ?? base.length;
  const left = (names: readonly string[]) => names.filter((name) => !remove.includes(name));
  return [...left(base.slice(0, found)), ...add, ...left(base.slice(found))];
}
