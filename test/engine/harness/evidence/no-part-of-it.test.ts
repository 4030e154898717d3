import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { AT, resultsOf } from './evidence-of.ts';

// A part of a sentence, of a word or of a number bears out nothing: the rest may say the opposite, or be another number.

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const RESULTS = {
  t1: {
    tool: 'read_file',
    result: asJson({
      path: 'notes.txt',
      text: [
        'The boat of Mr Grice is in the shed. It is not true that',
        'the berth of Mrs Skelhorn is paid. Is the crane inspected on Friday?',
        '- The slew ring squeaks at low speed.',
        'Wir zahlen nicht, z. B. Rechnung und Mahnung bleiben offen.',
        'She paid 1,250 and 12 500 kr by 12 May 2026, at -15 degrees, on 12/05/2026.',
      ].join('\n'),
    }),
  },
  t2: { tool: 'read_file', result: asJson({ path: 'states.csv', text: 'boat;state\nSelkie;not paid\nLass;in work' }) },
  t3: {
    tool: 'read_file',
    result: asJson({
      path: 'offers.txt',
      text: '3. Angebot: 250 Euro\n28 people, 12 beds\nThe 3rd pump has 40 bar.\nBeds: 2, 12 December',
    }),
  },
  t4: { tool: 'query_table', result: asJson({ rows: [{ due: '2026-12-28', people: 16 }] }) },
};

function judged(
  claims: readonly object[],
  figures: readonly object[] = [],
  newer: { readonly enclosed?: [] } = { enclosed: [] },
): string | undefined {
  const read = readAnswer({ id: 'x', name: 'answer', arguments: asJson({ text: 'So [1].', figures, claims }) });
  if (!read.ok) throw new Error(read.message);
  const around = { evidence: resultsOf(RESULTS), limitations: [], drifted: new Set<string>(), now: AT };
  return judgeDeclared(read.declared, { ...around, mail: 'How many?', ...newer })[0]?.verdict;
}
const claimed = (text: string, ...evidence: readonly string[]) => judged([{ text, evidence }]);
const shown = (text: string, from: string) => judged([], [{ shown: text, from }]);

describe('an answer of an older version', () => {
  it('is judged as it was then, or it would not be replayed as it left', () => {
    const text = 'It says "the berth of Mrs Skelhorn is paid".';
    expect(judged([{ text, evidence: ['t1'] }], [], {})).toBe('supported');
    expect(judged([], [{ shown: 'the berth of Mrs Skelhorn is paid', from: 't1' }], {})).toBe('supported');
    expect([claimed(text, 't1'), shown('the berth of Mrs Skelhorn is paid', 't1')]).toEqual(['unchecked', 'unchecked']);
  });
});

describe('words that stand in a longer sentence', () => {
  it.each([
    ['The berth of Mrs Skelhorn is paid', 't1'],
    ['It says "the berth of Mrs Skelhorn is paid".', 't1'],
    ['The crane is inspected on Friday', 't1'],
    ['Rechnung und Mahnung bleiben offen', 't1'],
    ['The state is "paid".', 't2'],
  ])('bear out nothing, and are not called wrong: %s', (text, name) => expect(claimed(text, name)).toBe('unchecked'));

  it.each([
    ['The boat of Mr Grice is in the shed.', 't1'],
    ['Boat of Mr Grice is in the shed', 't1'],
    ['It says "The boat of Mr Grice is in the shed".', 't1'],
    ['Slew ring squeaks at low speed', 't1'],
    ['The state is "not paid".', 't2'],
    ['The state is "in work".', 't2'],
  ])('bear it out where they are the whole of it: %s', (text, name) => expect(claimed(text, name)).toBe('supported'));

  it('are no figure either', () => {
    expect(shown('paid', 't2')).toBe('unchecked');
    expect(shown('not paid', 't2')).toBe('supported');
    expect(shown('unpaid', 't2')).toBe('unsupported');
  });
});

describe('a quotation that begins or ends in a number', () => {
  it.each(['"250"', '"500 kr"', '"2 May 2026"', '"1"', '"15 degrees"', '"05/2026"', '"12/05"'])(
    'is not found in a longer one: %s',
    (text) => expect(shown(text, 't1')).toBe('unsupported'),
  );

  it('is found where it stands by itself', () => {
    for (const text of ['"12 May 2026"', '"12 500 kr by 12 May 2026"', '"1,250 and 12 500"'])
      expect(shown(text, 't1')).toBe('unchecked');
    expect(shown('"250 Euro"', 't3')).toBe('unchecked');
  });

  it('is no number by itself where it may be the end of another', () => {
    expect(shown('500', 't1')).toBe('unchecked');
    expect(claimed('She paid 500 kr.', 't1')).toBe('unchecked');
    expect(claimed('She paid 12 500 kr.', 't1')).toBe('supported');
    expect(claimed('She paid 600 kr.', 't1')).toBe('unsupported');
  });
});

describe('an ordinal', () => {
  it.each(['Due on the 28th.', 'Fällig am 28., es sind 12 Betten.', 'It is due on the 3rd, 250 Euro.'])(
    'is borne out by no number: %s',
    (text) => expect(claimed(text, 't3')).toBe('unchecked'),
  );

  it.each([
    'The 4th item costs 250 Euro.',
    'Das 7. Angebot kostet 250 Euro.',
    'La 4ª oferta: 250 Euro',
    '第4日 250 Euro',
  ])('is called no wrong day: %s', (text) => expect(claimed(text, 't3')).toBe('unchecked'));

  it('is borne out by a date that has that day, and with the word behind it', () => {
    expect(claimed('Am 28. waren es 16.', 't4')).toBe('supported');
    expect(claimed('The 3rd pump has 40 bar.', 't3')).toBe('supported');
    expect(claimed('Das 3. Angebot liegt bei 250 Euro.', 't3')).toBe('supported');
    expect(claimed('The 3rd pump has 50 bar.', 't3')).toBe('unsupported');
  });

  it('shares the month of a day to which it is joined, and is then that day alone', () => {
    expect(claimed('12 beds from 28 to 30 December', 't3')).toBe('unsupported');
    expect(claimed('28 people and 12 beds, 3. und 12. Dezember', 't3')).toBe('unchecked');
    expect(claimed('On 2 December there are 12 beds.', 't3')).toBe('unchecked');
    expect(claimed('Beds: 2, 12 December', 't3')).toBe('supported');
  });
});
