/** No vendor and no tool nests deeper; zod and JSON.stringify recurse, and would overflow the stack on a hostile value. */
const MAX_DEPTH = 200;

/** Whether a parsed value is at most 200 levels deep, and so safe to walk by recursion. Itself it walks level by level. */
export function isShallow(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    if (level.length === 0) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
