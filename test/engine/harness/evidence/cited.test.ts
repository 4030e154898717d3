import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '#contract';
import { namesOfMails, withNames } from '../../../../engine/harness/evidence/cited.ts';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { evidenceOf } from '../../../../engine/harness/evidence/evidence.ts';
import { limitationsOf } from '../../../../engine/harness/evidence/limitations.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { SIZE } from '../../../size.ts';
import { type CitedCase, citedCases } from './cited-corpus.ts';
import { AT } from './evidence-of.ts';

const SEED = Number(process.env.EPISTLE_TEST_SEED ?? 20261130);
/** 600 at full size. */
const CASES = 30 * SIZE;

function messagesOf(results: CitedCase['results']): readonly ModelMessage[] {
  const shown = results.map(({ tool: name, result, more = {} }, n) => {
    const content = JSON.stringify({
      ok: true,
      result,
      source: { tool: name },
      ...more,
      observed_at: '2026-11-21T12:00:00Z',
    });
    return { callId: `call_${n}`, name, content, isError: false };
  });
  return [{ role: 'tool', results: shown }];
}

function judged({ results, mail, figure, claim, drifted: isDrifted }: Omit<CitedCase, 'name' | 'isWrong'>) {
  const declares = { figures: figure ? [figure] : [], claims: claim ? [claim] : [] };
  const read = readAnswer({
    ...{ id: 'x', name: 'answer' },
    arguments: JSON.parse(JSON.stringify({ text: 'So it is [1].', ...declares })),
  });
  if (!read.ok) throw new Error(read.message);
  const messages = messagesOf(results);
  const evidence = evidenceOf(messages, () => 'read');
  const drifted = new Set(isDrifted ? evidence.map(({ id }) => id) : []);
  const limitations = limitationsOf(evidence, { now: AT, drifted });
  return judgeDeclared(read.declared, {
    evidence,
    limitations,
    now: AT,
    drifted,
    mail,
    enclosed: [],
    mails: namesOfMails(messages),
  })[0];
}

describe('what is cited by the names that results have', () => {
  it('is called wrong where it is, and only there', async () => {
    const cases = (await citedCases(SEED, CASES)).map((one) => ({ one, found: judged(one) }));
    const said = cases.filter(({ found }) => found?.verdict === 'contradicted');
    const wrong = cases.filter(({ one }) => one.isWrong);
    const hits = said.filter(({ one }) => one.isWrong).length;
    const figures = {
      seed: SEED,
      cases: cases.length,
      wrong: wrong.length,
      precision: hits / said.length,
      recall: hits / wrong.length,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    const inWords = ({ one, found }: (typeof cases)[number]) =>
      `${one.name}: ${found?.verdict} (${found?.why ?? ''}) ${JSON.stringify(one.figure ?? one.claim)}`;
    const isRemark = (verdict: string | undefined) => verdict === 'contradicted' || verdict === 'unsupported';
    expect(cases.filter(({ one, found }) => !one.isWrong && isRemark(found?.verdict)).map(inWords)).toEqual([]);
    // Whoever says nothing at all is never wrong.
    const right = cases.filter(({ one }) => !one.isWrong);
    const borneOut = right.filter(({ found }) => found?.verdict === 'supported' || found?.verdict === 'drifted');
    expect(borneOut.length / right.length).toBeGreaterThanOrEqual(0.7);
    expect(figures).toMatchObject({ precision: 1 });
    const missed = wrong.filter(({ found }) => found?.verdict !== 'contradicted').map(inWords);
    expect(figures.recall, missed.join('\n')).toBeGreaterThanOrEqual(0.95);
  });

  it('has names that stay as they are while results are added, and are shown with them', () => {
    const hits = (...ids: number[]) => ({
      messages: ids.map((id) => ({ message_id: `<${id}@member.example>`, date: 'x' })),
    });
    const results = [
      { tool: 'search_mail', result: hits(1, 2) },
      { tool: 'read_file', result: { path: 'a.txt', text: 'It says "message_id":"<9@member.example>" here.' } },
      { tool: 'search_mail', result: hits(2, 3) },
    ];
    const all = results.flatMap((one) => messagesOf([one]));
    const shown = withNames(all, all).map((message) => (message.role === 'tool' ? message.results[0]?.content : ''));
    expect(shown.map((content) => content?.match(/"cite":"\w+"/g))).toEqual([
      ['"cite":"t1"', '"cite":"m1"', '"cite":"m2"'],
      ['"cite":"t2"'],
      ['"cite":"t3"', '"cite":"m2"', '"cite":"m3"'],
    ]);
    expect(shown.slice(0, 1)).toEqual(
      withNames(all.slice(0, 1), all.slice(0, 1)).map((message) =>
        message.role === 'tool' ? message.results[0]?.content : '',
      ),
    );
    const mail = 'What came?';
    const of = (cite: string, value: string) =>
      judged({ results: [], mail, claim: { text: `It came to ${value}.`, evidence: [cite] } })?.verdict;
    expect(of('t7', '12')).toBe('unsupported');
  });

  const CSV = {
    tool: 'read_file',
    result: { path: 'a.csv', text: 'item;eur;share\nA;12,99;0,5\nB;47,50;0,25\nC;1.250,00;0,25\n' },
  };
  const NET = {
    tool: 'query_table',
    result: {
      ...{ source: 'att_1', columns: { item: 'A', Net: 'C - D' } },
      rows: [
        { row: 3, item: 'A', Net: 97.5 },
        { row: 4, item: 'B', Net: -12.25 },
      ],
    },
  };
  it.each(['mail.csv', 't1.csv', 'm1.csv'])('are not taken for files that are called so: %s', (path) => {
    const results = [CSV, { ...CSV, result: { path, text: 'item;eur\nA;88,00\n' } }].map((one) => ({
      ...one,
      more: { source: { tool: 'read_file', path: one.result.path } },
    }));
    const figure = { shown: '88.00', from: path, cells: ['B2'] };
    expect(judged({ results, mail: 'So what?', figure })).toMatchObject({ verdict: 'supported', sources: [path] });
  });

  it.each([
    ['a cell of a file', 't1.B2', '12.99', 'supported'],
    ['another value of it', 't1.B2', '13.99', 'contradicted'],
    ['a row that may be counted without the headings', 't1.r1.eur', '12.99', 'unchecked'],
    ['a row that is neither', 't1.r1.eur', '1.250,00', 'unchecked'],
    ['what was left off behind the point', 't1.B2', '12', 'unchecked'],
    ['a share in percent', 't1.C2', '50 %', 'supported'],
    ['a row by its number', 't2.r4.Net', '−12.25', 'supported'],
    ['a row by its number, as an expense', 't2.r4.Net', '12.25', 'unchecked'],
    ['the row with that number, where the next in the list is meant', 't2.r3.Net', '97.50 EUR', 'supported'],
    ['a value of the other row', 't2.r3.Net', '12.26', 'contradicted'],
    ['less than nothing that is more', 't2.r3.Net', '−97.50', 'contradicted'],
    ['words', 't1.A2', 'the first item', 'unchecked'],
  ] as const)('are judged as far as it is certain: %s', (_what, cite, shown, verdict) => {
    const figure = { shown, from: cite.split('.')[0], cells: [cite] };
    expect(judged({ results: [CSV, NET], mail: 'So what?', figure })?.verdict).toBe(verdict);
  });
});
