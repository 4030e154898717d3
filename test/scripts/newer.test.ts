import { describe, expect, it } from 'vitest';
import { highest, newerGroups, whatPasses } from '../../scripts/lib/newer.ts';

const LISTED = JSON.stringify({
  '@types/node': { current: '24.1.0', wanted: '24.1.0', latest: '26.0.0' },
  '@vitest/coverage-v8': { current: '5.1.1', wanted: '5.1.1', latest: '5.1.2', location: 'x' },
  imapflow: { current: '2.1.2', wanted: '2.1.2', latest: '2.10.2' },
  vitest: { current: '5.1.1', wanted: '5.1.1', latest: '5.1.2' },
});

describe('newer pins', () => {
  it('move a package together with what is released with it, and the types of Node within the major of Node', () => {
    const groups = (newest: string | null) =>
      newerGroups(LISTED, () => newest).map((group) => group.map(({ name, latest }) => `${name} ${latest}`));
    const others = [['@vitest/coverage-v8 5.1.2', 'vitest 5.1.2'], ['imapflow 2.10.2']];
    expect(groups('24.9.3')).toEqual([['@types/node 24.9.3'], ...others]);
    expect(groups('24.1.0')).toEqual(others);
    expect(groups(null)).toEqual(others);
    expect(newerGroups('', () => null)).toEqual([]);
  });

  it('are the highest of a range, in whatever order the registry lists it', () => {
    expect(highest('["24.9.0","24.22.1","24.22.3","24.10.1","25.0.0-rc.1"]')).toBe('24.22.3');
    expect(highest('"24.19.4"')).toBe('24.19.4');
    expect(highest('')).toBe(null);
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
