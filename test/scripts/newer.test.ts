import { describe, expect, it } from 'vitest';
import { newerGroups, whatPasses } from '../../scripts/lib/newer.ts';

const LISTED = JSON.stringify({
  '@types/node': { current: '24.1.0', wanted: '24.1.0', latest: '26.0.0' },
  '@vitest/coverage-v8': { current: '5.1.1', wanted: '5.1.1', latest: '5.1.2', location: 'x' },
  imapflow: { current: '2.1.2', wanted: '2.1.2', latest: '2.10.2' },
  vitest: { current: '5.1.1', wanted: '5.1.1', latest: '5.1.2' },
});

describe('newer pins', () => {
  it('move a package together with what is released with it, and leave the types of Node to Node', () => {
    const names = newerGroups(LISTED).map((group) => group.map(({ name }) => name));
    expect(names).toEqual([['@vitest/coverage-v8', 'vitest'], ['imapflow']]);
    expect(newerGroups('')).toEqual([]);
  });

  it('are all kept where all pass, and else those that pass beside the others', async () => {
    const tried: string[] = [];
    const without = (bad: string) => (some: readonly string[]) => {
      tried.push(some.join('+'));
      return !some.includes(bad);
    };
    expect(await whatPasses(['a', 'b', 'c'], without('none'))).toEqual(['a', 'b', 'c']);
    expect(tried.splice(0)).toEqual(['a+b+c']);
    expect(await whatPasses(['a', 'b', 'c'], without('b'))).toEqual(['a', 'c']);
    expect(tried).toEqual(['a+b+c', 'a', 'a+b', 'a+c']);
    expect(await whatPasses(['b'], without('b'))).toEqual([]);
  });
});
