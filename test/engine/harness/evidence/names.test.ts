import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { nameForPeople } from '../../../../engine/harness/evidence/names.ts';
import { resultsOf } from './evidence-of.ts';

const named = (result: Json): string => {
  const [item] = resultsOf({ t1: { tool: 'query_table', result } });
  if (!item) throw new Error('no result');
  return nameForPeople({ ...item, source: 'att_1e16a9d20570' }, null, { language: 'en', attachments: new Map() });
};

describe('who reads it', () => {
  const readBy = (tool: string, source: string, readers: 'insiders' | 'outsiders'): string => {
    const [item] = resultsOf({ t1: { tool, result: { text: 'a' } } });
    if (!item) throw new Error('no result');
    const attachments = new Map([['att_1e16a9d20570', 'slip.pdf']]);
    return nameForPeople({ ...item, source }, null, { language: 'en', attachments, readBy: readers });
  };

  it.each([
    ['ask_owner', 'ask_owner', 'an answer of the owner', 'an answer of the owner'],
    ['calculate', 'calculate', 'a calculation', 'a calculation'],
    ['read_file', 'plans/surgery.md', 'surgery.md', 'our own records'],
    ['crm_lookup', 'crm_lookup', 'crm lookup', 'our own records'],
    ['read_attachment', 'att_1e16a9d20570', 'slip.pdf', 'slip.pdf'],
    ['web_fetch', 'https://example.com/a', 'example.com', 'example.com'],
    ['thread', 'thread', 'an earlier mail of this conversation', 'an earlier mail of this conversation'],
  ])('decides how %s is called', (tool, source, inside, outside) => {
    expect(readBy(tool, source, 'insiders')).toBe(inside);
    expect(readBy(tool, source, 'outsiders')).toBe(outside);
  });
});

describe('a question over a file of an earlier mail', () => {
  it('is named by that file where its one table is called so', () => {
    expect(named({ table: 'events.csv', rows: [] })).toBe('events.csv');
  });

  it('is named an attachment where nothing says how the file is called', () => {
    expect(named({ table: 'Sheet1', rows: [] })).toBe('an attachment');
  });
});
