import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { AT, resultsOf } from './evidence-of.ts';

// Right answers that repeat a number of the mail that asks, or write a unit behind a number.

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const asks = (words: string) =>
  `ada@example.com (owner) 30 Nov 10:00:\n<new_text_0a1b2c3d>\n${words}\n</new_text_0a1b2c3d>\nNow: 10:00`;

const RESULTS = {
  t1: { tool: 'query_table', result: asJson({ rows: [{ translator: 'Carol', words: 41_300 }] }) },
  t2: {
    tool: 'read_file',
    result: asJson({
      path: 'berths.csv',
      text: 'boat,length_m,deck,paid\nGrey Selkie,11.8,40,826\nNorthern Lass,12.5,38,875\nBarge,1200000,900,2000000',
    }),
  },
};

function claimed(text: string, name: string, mail: string, isOlder = false): string | undefined {
  const claims = [{ text, evidence: [name] }];
  const read = readAnswer({ id: 'x', name: 'answer', arguments: asJson({ text: 'So [1].', claims }) });
  if (!read.ok) throw new Error(read.message);
  const around = { evidence: resultsOf(RESULTS), limitations: [], drifted: new Set<string>(), now: AT, mail };
  const [judged] = judgeDeclared(read.declared, { ...around, ...(isOlder ? {} : { enclosed: [] }) });
  return judged?.verdict;
}

describe('a number of the mail that asks', () => {
  const mail = asks('Who is above 40 000 words at the moment?');

  it('may be repeated by a claim that has a value of its evidence besides', () => {
    expect(claimed('Carol has 41 300 words, nobody else is above 40 000', 't1', mail)).toBe('supported');
  });

  it('bears nothing out alone, nor beside another value, nor what no one wrote', () => {
    expect(claimed('Carol is above 40 000', 't1', mail)).toBe('unsupported');
    expect(claimed('Carol has 41 400 words, nobody else is above 40 000', 't1', mail)).toBe('unsupported');
    expect(claimed('Carol has 41 300 words, nobody else is above 10', 't1', mail)).toBe('unsupported');
    expect(claimed('Carol has 41 300 of 43 000 words', 't1', asks('Has Carol 41 300 of 43 000 words?'))).toBe(
      'unsupported',
    );
    expect(claimed('Carol has 41 300 words, nobody else is above 40 000', 't1', mail, true)).toBe('unsupported');
  });
});

describe('a unit behind a number', () => {
  it.each([
    'Grey Selkie 11.8 m and Northern Lass 12.5 m',
    'Grey Selkie has 11.8m',
    'Its deck has 40 m²',
    'The barge was paid £2m',
    'The barge has 1.2 M',
  ])('leaves it what it is: %s', (text) => expect(claimed(text, 't2', asks('Which?'))).toBe('supported'));

  it.each(['Grey Selkie 11.9 m', 'Its deck has 41 m²', 'It was paid £826m', 'It was paid 875m €', 'It has 11.8 M'])(
    'does not make it another: %s',
    (text) => expect(claimed(text, 't2', asks('Which?'))).toBe('unsupported'),
  );
});
