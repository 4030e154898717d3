import { describe, expect, it } from 'vitest';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { limitationsOf } from '../../../../engine/harness/evidence/limitations.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { type HandCase, handCases } from './claims-by-hand.ts';
import { AT, resultsOf } from './evidence-of.ts';

function verdictOf({ sources, claim, figure, beside = [], drifted: changed = [] }: HandCase) {
  const read = readAnswer({
    id: 'x',
    name: 'answer',
    arguments: JSON.parse(
      JSON.stringify({
        text: 'So it is [1].',
        claims: claim ? [claim] : [],
        figures: [...(figure ? [figure] : []), ...beside],
      }),
    ),
  });
  if (!read.ok) throw new Error(read.message);
  const evidence = resultsOf(sources);
  const drifted = new Set(changed);
  const limitations = limitationsOf(evidence, { now: AT, drifted });
  return judgeDeclared(read.declared, {
    evidence,
    limitations,
    now: AT,
    drifted,
    enclosed: [],
    mail: 'What does it say?',
  })[0];
}

const described = (one: HandCase): string => {
  const found = verdictOf(one);
  return `${one.name}: ${found?.verdict} (${found?.why ?? ''} ${found?.detail ?? ''}) ${JSON.stringify(one.figure ?? one.claim)}`;
};

describe('declarations over documents as offices have them', () => {
  it('are judged as a careful person would', () => {
    const flagged = (one: HandCase) => !['supported', 'unchecked'].includes(verdictOf(one)?.verdict ?? '');
    const wrong = handCases.filter((one) => flagged(one) === one.supported);
    const hits = handCases.filter((one) => flagged(one) && !one.supported).length;
    const figures = {
      cases: handCases.length,
      precision: hits / handCases.filter(flagged).length,
      recall: hits / handCases.filter(({ supported }) => !supported).length,
      exact: 1 - wrong.length / handCases.length,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(handCases.length).toBeGreaterThanOrEqual(200);
    expect(wrong.map(described)).toEqual([]);
  });
});
