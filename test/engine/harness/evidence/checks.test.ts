import { describe, expect, it } from 'vitest';
import { CHECKS, verdictOf } from '../../../../engine/harness/evidence/checks.ts';
import { readPage, tableUnder } from '../../../docs/markdown.ts';

const contract = { required: ['answer'], missing: [], not_done: [] };

describe('the checks of an answer', () => {
  it('are those of docs/decisions.md, in the same order', () => {
    const written = tableUnder(readPage('docs/decisions.md'), 'What checks an answer').map(([name]) => name);
    expect(CHECKS.map(({ name }) => name)).toEqual(written);
  });

  it('find nothing in an answer that lacks nothing and claims nothing', () => {
    expect(verdictOf({ contract, claims: [], found: [] })).toEqual({ gaps: [], isIncomplete: false });
  });

  it('name what the model can still bring, and not what was refused', () => {
    const found = verdictOf({
      contract: { ...contract, missing: ['answer'], not_done: ['mail:create'] },
      claims: [],
      found: [],
    });
    expect(found).toEqual({ gaps: [{ check: 'contract', text: 'It was empty.' }], isIncomplete: true });
    expect(verdictOf({ contract: { ...contract, not_done: ['mail:create'] }, claims: [], found: [] })).toEqual({
      gaps: [],
      isIncomplete: true,
    });
  });

  it('name at most ten claims that are not so', () => {
    const claim = { kind: 'claim', claim: 'All is well', verdict: 'unsupported', why: 'nothing says so' } as const;
    const claims = Array.from({ length: 12 }, (_, at) => ({ ...claim, n: at + 1, sources: [] }));
    const { gaps } = verdictOf({
      contract,
      found: [],
      claims: [...claims, { ...claim, n: 13, sources: [], verdict: 'supported' }] as never,
    });
    expect(gaps).toHaveLength(10);
    expect(gaps[0]).toEqual({ check: 'claims', text: 'claim [1] "All is well": nothing says so.' });
  });

  it('name what hooks found, and call the answer incomplete as long as they do', () => {
    const found = [{ by: 'hook prices', code: 'no_price_list', text: 'It offers a discount.' }];
    expect(verdictOf({ contract, claims: [], found })).toEqual({
      gaps: [{ check: 'hooks', text: 'It offers a discount.' }],
      isIncomplete: true,
    });
  });
});
