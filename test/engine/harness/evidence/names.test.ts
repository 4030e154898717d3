import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { nameForPeople } from '../../../../engine/harness/evidence/names.ts';
import { resultsOf } from './evidence-of.ts';

const named = (result: Json): string => {
  const [item] = resultsOf({ t1: { tool: 'query_table', result } });
  if (!item) throw new Error('no result');
  return nameForPeople({ ...item, source: 'att_1e16a9d20570' }, null, { language: 'en', attachments: new Map() });
};

describe('a question over a file of an earlier mail', () => {
  it('is named by that file where its one table is called so', () => {
    expect(named({ table: 'events.csv', rows: [] })).toBe('events.csv');
  });

  it('is named an attachment where nothing says how the file is called', () => {
    expect(named({ table: 'Sheet1', rows: [] })).toBe('an attachment');
  });
});
