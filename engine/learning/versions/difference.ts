/** Lines that one text has and the other has not, in their order: `- ` of the first, `+ ` of the second. Pure. */
export function differenceOf(before: string, after: string): readonly string[] {
  const [from, to] = [before.split('\n'), after.split('\n')];
  const common = commonLines(from, to);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  for (const same of [...common, undefined]) {
    while (i < from.length && from[i] !== same) lines.push(`- ${from[i++]}`);
    while (j < to.length && to[j] !== same) lines.push(`+ ${to[j++]}`);
    [i, j] = [i + 1, j + 1];
  }
  return lines;
}

/** The longest row of lines that both have in this order. */
function commonLines(from: readonly string[], to: readonly string[]): readonly string[] {
  // By how many lines of `to` are used up: the longest row so far, and its lines as a chain.
  type Chain = { readonly line: string; readonly before: Chain; readonly length: number } | null;
  let best: Chain[] = new Array<Chain>(to.length + 1).fill(null);
  for (const line of from) {
    const next: Chain[] = [null];
    for (const [j, other] of to.entries()) {
      const before = best[j] ?? null;
      const [above, left] = [best[j + 1] ?? null, next[j] ?? null];
      const longer = (above?.length ?? 0) >= (left?.length ?? 0) ? above : left;
      next.push(line === other ? { line, before, length: (before?.length ?? 0) + 1 } : longer);
    }
    best = next;
  }
  const lines: string[] = [];
  for (let chain = best.at(-1) ?? null; chain !== null; chain = chain.before) lines.unshift(chain.line);
  return lines;
}
