import { expect, it } from 'vitest';
import { citationsOf, driftedSources } from '../../../../engine/harness/evidence/citations.ts';
import { limitationsOf } from '../../../../engine/harness/evidence/limitations.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { AT, resultsOf } from './evidence-of.ts';

const section = (id: string, path: string, text: string) => ({
  id,
  path: `knowledge:${path}`,
  title: '',
  text,
  sha256: path,
});
const PRICE = section('k1', 'a.md', 'The annual service contract costs 480 EUR and ends on 30 June.');
const HOURS = section('k2', 'b.md', 'The office is open from nine to five.');
const evidence = resultsOf({ c1: { tool: 'read_knowledge', result: { sections: [PRICE, HOURS] } } });

const declaredIn = (given: object) => {
  const read = readAnswer({ id: 'a', name: 'answer', arguments: { text: 'x', ...given } });
  if (!read.ok) throw new Error(read.message);
  return read.declared;
};
const graded = (text: string, more: { declared?: object; drifted?: readonly string[] } = {}) =>
  citationsOf({
    text,
    evidence,
    drifted: new Set(more.drifted ?? []),
    declared: more.declared === undefined ? null : declaredIn(more.declared),
  }).map(({ id, source, grade }) => [id, source, grade].join(' '));

it.each([
  ['What we pay: the annual service contract costs 480 EUR [k1].', 'paraphrase'],
  ['The annual service contract costs 480 EUR and ends on 30 June. [k1]', 'quote'],
  ['It says “ends on 30 June” (k1).', 'quote'],
  ['Hello Mia.\nWe pay 480 a year [k1, k2].', 'paraphrase'],
  ['We pay 480 a year.', 'uncited'],
  ['A word k1 in no brackets.', 'uncited'],
])('%s: %s', (text, grade) => {
  expect(graded(text)[0]).toBe(`k1 knowledge:a.md ${grade}`);
});

it('says of a section that nobody opened that there is none, and of one that has changed since that it has', () => {
  expect(graded('The office is open from nine to five [k2] and k9 says so, too [k9].', { drifted: ['k2'] })).toEqual([
    'k1 knowledge:a.md uncited',
    'k2 knowledge:b.md drifted',
    'k9  none',
  ]);
});

it.each([
  [{ figures: [{ shown: '480 EUR', from: 'k1' }] }, 'quote', 'uncited'],
  [{ claims: [{ text: 'We pay half a thousand.', evidence: ['[k1]'] }] }, 'paraphrase', 'uncited'],
  [{ claims: [{ text: 'The office is open from nine to five.', evidence: ['knowledge:b.md'] }] }, 'uncited', 'quote'],
  [{ claims: [{ text: 'The office is open from nine to five.', evidence: ['c1'] }] }, 'paraphrase', 'quote'],
])('reads what an answer declares: %j', (declared, first, second) => {
  expect(graded('See there.', { declared })).toEqual([`k1 knowledge:a.md ${first}`, `k2 knowledge:b.md ${second}`]);
});

it('knows which file of one call has changed', async () => {
  const drifted = await driftedSources(evidence, async (path) => (path === 'knowledge:b.md' ? 'other' : 'a.md'));
  expect([...drifted]).toEqual(['k2']);
  expect(limitationsOf(evidence, { now: AT, drifted })).toEqual([
    { call_id: 'c1', source: 'knowledge:b.md', kind: 'drifted', detail: null },
  ]);
});
