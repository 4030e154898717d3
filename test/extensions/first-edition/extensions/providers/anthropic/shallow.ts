/** No vendor nests deeper; zod and JSON.stringify recurse, and would overflow the stack on a hostile answer. */
const MAX_DEPTH = 200;

/** Whether a parsed answer is safe to walk. Level by level, without recursion. */
export function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    if (level.length === 0) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
