import { describe, expect, it } from 'vitest';
import { QueryError } from '../../../engine/tables/query-error.ts';
import { csvTable } from '../../../engine/tables/source/csv.ts';
import { markdownTables } from '../../../engine/tables/source/markdown.ts';

const LINES = 20_000;
const wide = ','.repeat(LINES);

describe('rows of different lengths', () => {
  it('end in empty cells', () => {
    expect(csvTable('a,b,c\n1,2\n', 'x', ',')?.rows).toEqual([
      ['a', 'b', 'c'],
      ['1', '2', null],
    ]);
  });

  it('are refused where they would be little else, however small the text', () => {
    expect(() => csvTable(`${wide}\n${'a\n'.repeat(LINES)}`, 'x', ',')).toThrow(QueryError);
    const table = `a|b\n-|-\n${wide.replaceAll(',', '|')}\n${'|\n'.repeat(LINES)}`;
    expect(() => markdownTables(table)).toThrow(QueryError);
    const small = `a|b\n-|-\n${'|'.repeat(1000)}\n${'|\n'.repeat(1000)}\n`;
    expect(markdownTables(small)).toHaveLength(1);
    expect(() => markdownTables(small.repeat(3))).toThrow(QueryError);
  });
});
