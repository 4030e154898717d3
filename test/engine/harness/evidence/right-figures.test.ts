import { expect, it } from 'vitest';
import type { Json } from '#contract';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { sourceList } from '../../../../engine/harness/evidence/gate.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { ask } from '../../tables/ask.ts';
import { AT, resultsOf } from './evidence-of.ts';

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const german = (value: number): string =>
  new Intl.NumberFormat('de-DE', { minimumFractionDigits: 2 }).format(value).replace('-', '−');

/** An amount each, some below zero; no two alike. */
const AMOUNTS = Array.from({ length: 15 }, (_, n) => (n % 3 === 2 ? -1 : 1) * (1000.4 + n * 377.13));
const TABLE = ['Class,Price,Paid', ...AMOUNTS.map((amount, n) => `K${n},${(600 + n).toFixed(2)},${amount.toFixed(2)}`)];
const MAIL = `Please check this.\n\n${TABLE.join('\n')}\n\nThe room costs 600 € and 45 people come on 3 March 2027.`;

const NET = asJson({
  source: 'mail',
  columns: { Class: 'A', Net: 'B - C' },
  rows: AMOUNTS.map((amount, n) => ({ row: n + 2, Class: `K${n}`, Net: Number((600 + n - amount).toFixed(2)) })),
});

const RESULTS = {
  q1: { tool: 'query_table', result: NET },
  s1: { tool: 'read_attachment', result: { id: 'att_1', path: 'bank.csv', text: TABLE.join('\n') } },
  m1: {
    tool: 'search_mail',
    result: asJson({
      results: AMOUNTS.map((amount, n) => ({ message_id: `<${n}@x>`, text: `K${n}: ${german(amount)} EUR` })),
    }),
  },
};

type Figure = { shown: string; from: string[]; cells?: string[]; formula?: string };

/** As careful models write them: with and without a sign or a unit, by cells of the source and by what a result shows. */
const FIGURES: readonly Figure[] = AMOUNTS.flatMap((amount, n): Figure[] => {
  const net = (600 + n - amount).toFixed(2);
  const row = n + 2;
  return [
    { shown: amount.toFixed(2), from: ['s1'], cells: [`C${row}`] },
    { shown: german(amount), from: ['s1'], cells: [`C${row}`] },
    { shown: german(Math.abs(amount)), from: ['bank.csv'], cells: [`C${row}`] },
    { shown: `${german(amount)} €`, from: ['s1'], cells: [`K${n}/Paid`] },
    { shown: amount.toFixed(2), from: ['s1'] },
    { shown: net, from: ['q1'], cells: [`C${row}`] },
    { shown: net, from: ['mail'], cells: [`B${row} - C${row}`] },
    { shown: net, from: ['mail'], formula: `B${row} - C${row}` },
    { shown: `${net} EUR`, from: ['q1'], cells: [`K${n}/Net`] },
    { shown: net, from: ['query_table'] },
    { shown: amount.toFixed(2), from: ['mail'], cells: [`C${row}`] },
    { shown: (600 + n).toFixed(2), from: ['mail'], cells: [`B${row}`] },
    { shown: '600', from: ['mail'] },
    { shown: '45', from: ['q1'] },
    { shown: '3 March 2027', from: ['mail'] },
    { shown: german(amount), from: ['m1'] },
    { shown: `${german(Math.abs(amount))} EUR`, from: ['m1'] },
    { shown: amount.toFixed(2), from: ['m1'] },
    { shown: german(amount), from: [`<${n}@x>`] },
    { shown: '600', from: ['the mail'] },
  ];
});

function judged(figures: readonly object[], claims: readonly object[] = []) {
  const read = readAnswer({ id: 'x', name: 'answer', arguments: asJson({ text: 'So [1].', figures, claims }) });
  if (!read.ok) throw new Error(read.message);
  const given = {
    evidence: resultsOf(RESULTS),
    limitations: [],
    drifted: new Set<string>(),
    now: AT,
    mail: MAIL,
    enclosed: [],
  };
  return judgeDeclared(read.declared, given);
}

it('calls none of three hundred right figures false, over mail, sheets, CSV and earlier mail', async () => {
  expect(FIGURES).toHaveLength(300);
  const wrong = FIGURES.flatMap((figure) => {
    const [one] = judged([figure]);
    const isSilent = one?.verdict === 'supported' || one?.verdict === 'unchecked';
    return isSilent ? [] : [`${one?.verdict} (${one?.why}) ${JSON.stringify(figure)}`];
  });
  expect(wrong).toEqual([]);
});

it('still says so where the one cell that is meant says otherwise', async () => {
  expect(judged([{ shown: '1,999.99', from: ['s1'], cells: ['C2'] }])).toMatchObject([
    { verdict: 'contradicted', detail: '1000.40' },
  ]);
  const rows = asJson({ source: 'att_1', ...(await ask(TABLE.join('\n'), { limit: 3 })) });
  expect(rows).toMatchObject({ source: 'att_1' });
});

it('prints no source beside a claim of which nothing was compared', () => {
  const claims = judged([], [{ text: 'The mayor has resigned.', evidence: ['s1'] }]);
  expect(claims).toMatchObject([{ verdict: 'unchecked' }]);
  expect(sourceList('He has resigned [1].', claims, 'en')).toBe('Sources:\n[1] not compared with a source');
});
