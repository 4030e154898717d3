import { expect, it } from 'vitest';
import { yearRun } from '../../scripts/lib/soak/year/year-run.ts';

it('H-9: a year of mail takes playbooks through all modes by how runs went, at a fifth of the cost, and down again', async () => {
  const { problems, ...report } = await yearRun({ seed: 1, size: 'small', by: 'owner', say() {} });
  expect(problems).toEqual([]);
  expect(report).toMatchObject({ ok: true, runs: 91, by: 'owner' });
  const [answers] = report.kinds;
  expect(answers?.calls_share).toBeLessThanOrEqual(0.2);
  expect(answers?.tokens_share).toBeLessThanOrEqual(0.2);
  expect(answers?.change?.fell_after).toBeLessThanOrEqual(10);
  expect(answers?.change?.back_on).toBeGreaterThan(212);
});
