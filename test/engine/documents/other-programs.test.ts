import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readDocument } from '../../../engine/documents/read.ts';
import type { Document, Table } from '../../../engine/documents/types.ts';

const cell = z.tuple([z.string(), z.number(), z.number(), z.union([z.string(), z.number(), z.boolean(), z.null()])]);
const texts = z.array(z.string()).default([]);
/** What has to come out of each file, as the program that wrote it was told. Rows and columns count from 1. */
const expectations = z.array(
  z.object({
    file: z.string(),
    /** In this order; all white space aside. */
    contains: texts,
    anywhere: texts,
    words: texts,
    never: texts,
    cells: z.array(cell).default([]),
    dates: z.array(cell).default([]),
    sheets: texts,
    pages: z.number().optional(),
    parts: texts,
    refused: z.string().optional(),
    /** Null: it may as well be read. */
    refused_any: z.array(z.string().nullable()).optional(),
  }),
);
type Expected = z.output<typeof expectations>[number];

const path = (name: string) => new URL(name, import.meta.url);
/** By hand, and by `corpus.py`. */
const all = ['expected.json', 'files/made.json'].flatMap((name) =>
  expectations.parse(JSON.parse(readFileSync(path(`./${name}`), 'utf8'))),
);
const bare = (text: string) => text.normalize('NFKC').replace(/\s+/g, '');

function missing(document: Document, { contains, anywhere, words, never }: Expected): string[] {
  const text = bare(document.text);
  const wanted = [...anywhere, ...words].filter((each) => !text.includes(bare(each)));
  let at = 0;
  for (const each of contains) {
    const found = text.indexOf(bare(each), at);
    if (found < 0) wanted.push(each);
    else at = found + bare(each).length;
  }
  return [...wanted, ...never.filter((each) => text.includes(bare(each)))];
}

const isCell = (found: unknown, wanted: unknown): boolean =>
  wanted === '' || wanted === null ? found === null : String(found).startsWith(String(wanted));

const wrongCells = (tables: readonly Table[], { cells, dates }: Expected) =>
  [...cells, ...dates].filter(
    ([name, row, column, value]) =>
      !tables.some(
        (table) => (name === '*' || table.name === name) && isCell(table.rows[row - 1]?.[column - 1] ?? null, value),
      ),
  );

describe('a document of another program', () => {
  it.each(all.map((expected) => [expected.file, expected] as const))(
    '%s is read as it was written',
    async (file, expected) => {
      const bytes = new Uint8Array(readFileSync(path(`./files/${file}`)));
      const outcome = await readDocument({ bytes, name: file, type: '' });
      const refusals = expected.refused === undefined ? expected.refused_any : [expected.refused];
      if (refusals) expect(refusals).toContain(outcome.ok ? null : outcome.refusal.code);
      else if (expected.contains.length + expected.cells.length > 0) expect(outcome).toMatchObject({ ok: true });
      if (!outcome.ok) return expect(outcome.refusal.message.length).toBeGreaterThan(10);
      const { document } = outcome;
      expect(missing(document, expected)).toEqual([]);
      expect(wrongCells(document.tables, expected)).toEqual([]);
      if (expected.pages !== undefined) expect(document.totals.pages).toBe(expected.pages);
      expect(document.tables.map(({ name }) => name)).toEqual(expect.arrayContaining(expected.sheets));
      const names = document.parts.map(({ name }) => name);
      expect(expected.parts.filter((part) => !names.some((name) => name.endsWith(part)))).toEqual([]);
    },
  );
});
