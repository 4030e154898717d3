import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { AT, resultsOf } from './evidence-of.ts';

// Right answers whose days, hours and percentages are written in another way than in their evidence.

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

const NIGHTS = [
  ...['2026-12-28', '2026-12-29', '2026-12-30', '2026-12-31'].map((night, n) => ({
    night,
    guests: [16, 11, 8, 29][n],
  })),
];
const RESULTS = {
  t1: { tool: 'query_table', result: asJson({ rows: [...NIGHTS, { total: 64 }] }) },
  t2: {
    tool: 'query_table',
    result: asJson({ rows: ['2026-11-27', '2026-11-28', '2026-11-29'].map((day) => ({ day })), sum: 1025 }),
  },
  t3: {
    result: asJson({
      path: 'notice.txt',
      text: 'Days: 12, 13, 19 e 20 dicembre\nPitch: 35 euro a day\nFor associations: 20 % off the pitch\nOpens at 11 am on Monday',
    }),
  },
};

function judged(claims: readonly object[], figures: readonly object[] = []): readonly string[] {
  const read = readAnswer({ id: 'x', name: 'answer', arguments: asJson({ text: 'So [1].', figures, claims }) });
  if (!read.ok) throw new Error(read.message);
  const around = { evidence: resultsOf(RESULTS), limitations: [], drifted: new Set<string>(), now: AT };
  return judgeDeclared(read.declared, { ...around, mail: 'How many?', enclosed: [] }).map(({ verdict }) => verdict);
}
const claimed = (text: string, ...evidence: readonly string[]) => judged([{ text, evidence }])[0];
const worked = (shown: string, formula: string) => judged([], [{ shown, from: ['t3'], formula }])[0];

describe('a count and a day with the German "am" between them', () => {
  it.each([
    '64 Essen, 16 am 28., 11 am 29., 8 am 30. und 29 am 31. Dezember.',
    'Am 28. waren es 16, am 29. dann 11.',
    'Es waren 11 am Montag, 29 am 31. Dezember.',
  ])('is no time: %s', (text) => expect(claimed(text, 't1')).toBe('supported'));

  it.each(['15 am 28. Dezember', '64 Essen, 16 am 27., 11 am 29. Dezember.', '7 am 31. Dezember'])(
    'is looked for in the evidence: %s',
    (text) => expect(claimed(text, 't1')).toBe('unsupported'),
  );

  it('stays a time where nothing speaks for a day', () => {
    expect(claimed('It opens at 11 am.', 't3')).toBe('supported');
    expect(claimed('It opens at 11:00.', 't3')).toBe('supported');
    expect(claimed('It opens at 10 am.', 't3')).toBe('unsupported');
    expect(claimed('They met at 8 am.', 't1')).toBe('unsupported');
  });
});

describe('days that share a month', () => {
  it.each([
    'Zusammen 1025 vom 27. bis 29. November.',
    '1025 vom 27. bis zum 29.11.2026.',
    '1025, 27.–29. November 2026',
    '1025 from 27 to 29 November',
    '1025 from the 27th to the 29th of November',
    '1025 on November 27–29, 2026',
    '1025 on 27, 28 and 29 November',
    '1025 du 27 au 29 novembre',
    '1025 del 27 al 29 de noviembre de 2026',
    '1025 dal 27 al 29 novembre',
    '1025 van 27 t/m 29 november',
    '1025 de 27 a 29 de novembro',
    '1025 od 27 do 29 listopada',
    '11月27日至29日共1025',
    '11月27日から29日まで1025',
  ])('are dates: %s', (text) => expect(claimed(text, 't2')).toBe('supported'));

  it.each([
    '1025 vom 26. bis 29. November.',
    '1025 from 27 to 30 November',
    '1025 on November 27–30',
    '1025 du 26 au 29 novembre',
    '11月26日至29日共1025',
    '1025 vom 27. bis 29. Oktober',
  ])('are looked for in the evidence: %s', (text) => expect(claimed(text, 't2')).toBe('unsupported'));

  it('share it in the evidence as well', () => {
    expect(claimed('Il mercatino è il 12 dicembre.', 't3')).toBe('supported');
    expect(claimed('Il mercatino è il 14 dicembre.', 't3')).toBe('unsupported');
  });
});

describe('a percentage of the source', () => {
  it('stands for its decimal forms in a formula', () => {
    expect(worked('112 euro', '4 * 35 * 0.8')).toBe('supported');
    expect(worked('28 euro', '4 * 35 * 0.2')).toBe('supported');
    expect(worked('168 euro', '4 * 35 * 1.2')).toBe('supported');
  });

  it('stands for no other number, and the formula has to give what is shown', () => {
    expect(worked('126 euro', '4 * 35 * 0.9')).toBe('unsupported');
    expect(worked('113 euro', '4 * 35 * 0.8')).not.toBe('supported');
  });
});
