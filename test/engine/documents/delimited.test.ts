import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../engine/documents/read.ts';
import { tablesIn } from '../../../engine/tables/source/tables-in.ts';
import { computedMs } from '../../computed.ts';

const LINES = 20_000;
const wide = ','.repeat(LINES);

/** As the reader of documents and the tool for tables see the same bytes: they see the same. */
async function rowsOf(text: string, name = 'table.csv') {
  const bytes = Buffer.from(text);
  const read = await readDocument({ bytes, name, type: '' });
  const ofDocument = read.ok ? read.document.tables.map(({ rows }) => rows) : [];
  const asked = (await tablesIn({ bytes, name, type: '' })).map(({ rows }) => rows);
  expect(ofDocument).toEqual(asked);
  return asked[0];
}

describe('delimited text', () => {
  it.each([
    [
      'shorter rows end in empty cells',
      'a,b,c\n1,2\n',
      [
        ['a', 'b', 'c'],
        ['1', '2', null],
      ],
    ],
    [
      'blanks around a cell are none of it',
      'a, b\n 1 , 2 \n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'unless they are quoted',
      'a,b\n" 1 ","2"\n',
      [
        ['a', 'b'],
        [' 1 ', '2'],
      ],
    ],
    [
      'a quoted cell may stand behind a blank',
      'a, b\n1, "x, y"\n',
      [
        ['a', 'b'],
        ['1', 'x, y'],
      ],
    ],
    [
      'a quoted cell holds lines and quotes',
      'a;b\n1;"x\n""y"""\n',
      [
        ['a', 'b'],
        ['1', 'x\n"y"'],
      ],
    ],
    [
      'a mark that closes nowhere is one',
      'a,b,c\n"x,1,2\ny,3,4\n',
      [
        ['a', 'b', 'c'],
        ['"x', '1', '2'],
        ['y', '3', '4'],
      ],
    ],
    [
      'inches are inches',
      'a,b\n"5" pipe,3\n6" pipe,4\n',
      [
        ['a', 'b'],
        ['"5" pipe', '3'],
        ['6" pipe', '4'],
      ],
    ],
    [
      'a blank line is a row',
      'a,b\n\n1,2\n\n\n',
      [
        ['a', 'b'],
        [null, null],
        ['1', '2'],
      ],
    ],
    [
      'decimal commas are no delimiters',
      'a;b\n1,5;2,5\n3,5;4,5\n',
      [
        ['a', 'b'],
        ['1,5', '2,5'],
        ['3,5', '4,5'],
      ],
    ],
    [
      'titles above do not choose the delimiter',
      'Report, all\n\na;b;c\n1;2;3\n',
      [
        ['Report, all', null, null],
        [null, null, null],
        ['a', 'b', 'c'],
        ['1', '2', '3'],
      ],
    ],
    [
      'the first line may name it',
      'sep=|\r\na|b,c\r\n1|2\r\n',
      [
        ['a', 'b,c'],
        ['1', '2'],
      ],
    ],
    [
      'tabs, and the ends of lines of old programs',
      'a\tb\r1\t2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'an end in a delimiter is an empty cell',
      'a,b\n1,\n',
      [
        ['a', 'b'],
        ['1', null],
      ],
    ],
  ])('%s', async (_what, text, rows) => {
    expect(await rowsOf(text)).toEqual(rows);
  });

  it('is read in a time that grows with it, whatever its quotation marks do', async () => {
    for (const text of ['"a,'.repeat(60_000), '"""a,'.repeat(60_000), '""a,'.repeat(60_000), '"\n'.repeat(60_000)]) {
      const began = computedMs();
      await tablesIn({ bytes: Buffer.from(`a,b\n${text}`), name: 'x.csv', type: '' }).catch(() => null);
      expect(computedMs() - began).toBeLessThan(2000);
    }
  });
});

describe('tables of Markdown', () => {
  it('keep cells that no heading names, and end where the next one begins', async () => {
    const text = '| a | b |\n| --- | --- |\n| 1 \\| 2 | 3 | 4 |\n| c |\n| --- |\n| 5 |\n';
    const tables = await tablesIn({ bytes: Buffer.from(text), name: 'x.md', type: '' });
    expect(tables.map(({ rows }) => rows)).toEqual([
      [
        ['a', 'b', null],
        ['1 | 2', '3', '4'],
      ],
      [['c'], ['5']],
    ]);
    expect(await rowsOf(text, 'x.md')).toEqual(tables[0]?.rows);
  });
});

describe('rows of different lengths', () => {
  it('are refused where they would be little else, however small the text', async () => {
    const asked = (text: string, name: string) => tablesIn({ bytes: Buffer.from(text), name, type: '' });
    await expect(asked(`${wide}\n${'a\n'.repeat(LINES)}`, 'x.csv')).rejects.toThrow('too different in length');
    const table = `a|b\n-|-\n${wide.replaceAll(',', '|')}\n${'|\n'.repeat(LINES)}`;
    await expect(asked(table, 'x.md')).rejects.toThrow('too different in length');
    const small = `a|b\n-|-\n${'|'.repeat(1000)}\n${'|\n'.repeat(1000)}\n`;
    expect(await asked(small, 'x.md')).toHaveLength(1);
    await expect(asked(`${small}\n`.repeat(3), 'x.md')).rejects.toThrow('too different in length');
  });
});
