import type { Json } from '#contract';

/** All texts of a value, so that no escape of JSON stands where a web address ends. */
export const textOf = (value: Json): string => stringsOf(value).join('\n');

const MAX_STRINGS = 20_000;

/** All strings and numbers in a value, in their order; 20,000 at most. */
export function stringsOf(value: Json): string[] {
  const found: string[] = [];
  const open: Json[] = [value];
  for (let seen = 0; open.length > 0 && seen < MAX_STRINGS; seen += 1) {
    const one = open.pop() as Json;
    if (typeof one === 'string') found.push(one);
    else if (typeof one === 'number') found.push(String(one));
    else if (typeof one === 'object' && one !== null) open.push(...Object.values(one).reverse());
  }
  return found;
}
