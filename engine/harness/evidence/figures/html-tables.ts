import type { Table } from './shown.ts';

/** Enough for any result that a model was shown. */
const MAX_CHARS = 200_000;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', euro: '€' };

/** The tables of a page that a tool gives as it is: rows and cells by their tags. */
export function htmlTablesIn(text: string): readonly Table[] {
  if (!/<table\b/i.test(text)) return [];
  return text
    .slice(0, MAX_CHARS)
    .split(/<table\b/i)
    .slice(1)
    .map((table) =>
      table
        .split(/<\/table\b/i, 1)
        .flatMap((body) => body.split(/<tr\b/i).slice(1))
        .map(cellsOf)
        .filter((row) => row.length > 0),
    )
    .filter((table) => table.length > 1);
}

/** What stands between the tag of a cell and the next tag of the table. */
const cellsOf = (row: string): string[] =>
  row
    .split(/<t[dh]\b/i)
    .slice(1)
    .map((cell) => {
      const [inner = ''] = cell.slice(cell.indexOf('>') + 1).split(/<\/?t[dhr]\b/i, 1);
      return wordsOf(inner);
    });

const wordsOf = (html: string): string =>
  html
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/&(?:#(\d{1,6})|(\w{2,6}));/g, (whole, code, name) =>
      code === undefined ? (ENTITIES[name] ?? whole) : (characterOf(Number(code)) ?? whole),
    )
    .replace(/\s+/g, ' ')
    .trim();

const characterOf = (code: number): string | null => (code <= 0x10ffff ? String.fromCodePoint(code) : null);
