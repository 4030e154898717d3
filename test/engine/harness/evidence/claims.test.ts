import { describe, expect, it } from 'vitest';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { limitationsOf } from '../../../../engine/harness/evidence/limitations.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { SIZE } from '../../../size.ts';
import { type Case, casesOf } from './claims-corpus.ts';
import { AT, resultsOf } from './evidence-of.ts';

function verdictOf({ results, claims, figures, failed, drifted = [], hoursLater = 0 }: Case) {
  const read = readAnswer({
    id: 'x',
    name: 'answer',
    arguments: JSON.parse(JSON.stringify({ text: 'So it is [1].', claims, figures })),
  });
  if (!read.ok) throw new Error(read.message);
  const evidence = resultsOf(results).map((item) => (item.id === failed ? { ...item, ok: false } : item));
  const now = AT + hoursLater * 3_600_000;
  const changed = new Set(drifted);
  const limitations = limitationsOf(evidence, { now, drifted: changed });
  return judgeDeclared(read.declared, {
    evidence,
    limitations,
    now,
    drifted: changed,
    enclosed: [],
    mail: 'What did it cost?',
  })[0];
}

describe('declared claims and figures in six languages', () => {
  it('get the verdict that a careful person would give', () => {
    const cases = Array.from({ length: Math.max(1, Math.min(SIZE, 20)) }, (_, n) => casesOf(n + 1)).flat();
    const judged = cases.map((one) => ({ one, found: verdictOf(one) }));
    const wrong = judged.filter(({ one, found }) => found?.verdict !== one.expected);
    const isFlagged = (verdict: string | undefined) => verdict !== 'supported' && verdict !== 'unchecked';
    const flagged = judged.filter(({ found }) => isFlagged(found?.verdict));
    const due = judged.filter(({ one }) => isFlagged(one.expected));
    const hits = flagged.filter(({ one }) => isFlagged(one.expected)).length;
    const figures = {
      cases: cases.length,
      precision: hits / flagged.length,
      recall: hits / due.length,
      exact: 1 - wrong.length / cases.length,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(cases.length).toBeGreaterThanOrEqual(300);
    expect(
      wrong.map(
        ({ one, found }) =>
          `${one.name}: ${found?.verdict} (${found?.why ?? ''}), not ${one.expected} ${JSON.stringify(one.figures ?? one.claims)}`,
      ),
    ).toEqual([]);
    expect(figures.precision).toBeGreaterThanOrEqual(0.99);
    expect(figures.recall).toBeGreaterThanOrEqual(0.95);
  });
});
