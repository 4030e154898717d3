import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeValue } from '../../../../../engine/harness/evidence/figures/figures.ts';
import { standsIn } from '../../../../../engine/harness/evidence/figures/match.ts';
import { shownIn } from '../../../../../engine/harness/evidence/figures/tables.ts';
import { tokensOf } from '../../../../../engine/harness/evidence/figures/tokens.ts';
import { readAnswer } from '../../../../../engine/record/declared.ts';

const firstOf = (text: string) => tokensOf(text).map(({ readings }) => readings[0]);

describe('a value as people write it', () => {
  it.each([
    ['37,890.10', 37_890.1],
    ['37.890,10 €', 37_890.1],
    ['37 890,10', 37_890.1],
    ["CHF 1'234.50", 1234.5],
    ['1.234.567', 1_234_567],
    ['12,34,567.50', 1_234_567.5],
    ['（１，２３４．５０）', -1234.5],
    ['-€500', -500],
    ['−5.5 %', -5.5],
    ['1.2 Mio. €', 1_200_000],
    ['3万円', 30_000],
    ['1,234.50-', -1234.5],
  ])('%s', (text, value) => {
    expect(firstOf(text)).toMatchObject([{ kind: 'number', value }]);
  });

  it.each(['sk-1044-2026', 'v1.2.3', 'Q3', 'INV-17'])('is no number inside %s', (text) => {
    expect(firstOf(text)).toEqual([{ kind: 'word', word: text.toLowerCase() }]);
  });

  it.each([
    '3. März 2027',
    'March 3, 2027',
    '3 mars 2027',
    '3 de marzo de 2027',
    '3 marca 2027',
    '2027年3月3日',
    '2027-03-03',
    '03.03.2027',
  ])('is a day: %s', (text) => {
    expect(firstOf(text)).toEqual([{ kind: 'date', year: 2027, month: 3, day: 3 }]);
  });

  it('is read of any text, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const tokens = tokensOf(text);
        expect(tokens.every(({ start, end }, at) => start < end && start >= (tokens[at - 1]?.end ?? 0))).toBe(true);
        shownIn([{ text: `${text}\n${text}` }]);
        standsIn(text, text);
      }),
    );
  });
});

describe('a formula', () => {
  const source = shownIn([{ text: 'name;amount;status\nAnna;10,5;open\nBea;20,5;closed\nCleo;30;open' }]);
  const judged = (shown: string, formula: string | null, cells: readonly string[] = []) =>
    judgeValue({ shown, from: ['s'], cells: [...cells], formula }, { by: new Map([['s', source]]), all: source })
      .verdict;

  it.each([
    ['61', 'sum(amount)'],
    ['2', 'countif(status; "open")'],
    ['40.5', 'sumif(status, "open", amount)'],
    ['17.2 %', 'share(Anna/amount, sum(B2:B4))'],
    ['2', 'count(unique(status))'],
    ['20.3', 'round(avg(amount), 1)'],
    ['-10', '"Anna/amount" - "Bea/amount"'],
  ])('%s is %s', (shown, formula) => {
    expect(judged(shown, formula, formula.startsWith('share') ? ['Anna/amount'] : [])).toBe('supported');
  });

  it.each([
    '1/0',
    '((',
    'sum(',
    'nothing(1)',
    '61',
    '30.5 + 30.5',
    '',
    ')',
    'B2:',
    '#9',
    '-'.repeat(200),
    '('.repeat(300),
  ])('that is none bears nothing out: %s', (formula) => {
    expect(judged('61', formula)).not.toBe('supported');
  });

  it('of any kind ends, and gives a verdict', () => {
    const signs = fc.constantFrom(
      'sum',
      '(',
      ')',
      '+',
      '/',
      'B2',
      ':',
      '"Anna/amount"',
      '#1',
      ',',
      '1',
      ' ',
      '%',
      'amount',
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 30 }), (parts) => {
        expect(['supported', 'unsupported', 'contradicted']).toContain(judged('7', parts.join(''), ['B2']));
      }),
    );
  });
});

describe('the arguments of an answer', () => {
  it('are read however they are wrong', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(typeof readAnswer({ id: 'a', name: 'answer', arguments: value as never }).ok).toBe('boolean');
      }),
    );
    expect(
      readAnswer({ id: 'a', name: 'answer', arguments: undefined, rawArguments: '```json\n{"text":"Hi"}\n```' }),
    ).toMatchObject({
      ok: true,
    });
  });
});
