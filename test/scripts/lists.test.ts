import { describe, expect, it } from 'vitest';
import { measureLists } from '../../scripts/benchmark/measure/lists.ts';

describe('looks over all personas', () => {
  // `./scripts/bench --only lists` takes the figures of 2,000. Where each database is opened, 400 take six times as long as 20.
  it('take hardly longer with twenty times as many', async () => {
    const [few, many] = await measureLists({ counts: [20, 400], rounds: 1 });
    if (!few || !many) throw new Error('both were measured');
    for (const what of ['status_ms', 'runs_list_ms', 'approvals_list_ms'] as const)
      expect(many[what], what).toBeLessThan(few[what] * 2.5);
    expect(many.scrape_ms).toBeLessThan(few.scrape_ms * 5);
  });
});
