import type { Table } from '../../documents/types.ts';
import { evenRows, MAX_CELLS } from './even-rows.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 64 * 1024;

/** Delimited text as it stands, cell by cell (RFC 4180); `other` is what it is where its lines have no columns in common. */
export function csvTable(text: string, name: string, other: ',' | null): Table | null {
  const [, given] = /^sep=(.)\r?\n/.exec(text) ?? [];
  const body = given ? text.slice(text.indexOf('\n') + 1) : text;
  const delimiter = given ?? delimiterOf(body) ?? other;
  if (delimiter === null) return null;
  const rows = recordsOf(body, delimiter, MAX_CELLS);
  return { name, rows: evenRows(rows) };
}

/** The one by which most cells stand in rows of one length. */
function delimiterOf(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS);
  const scored = DELIMITERS.map((delimiter) => {
    const widths = recordsOf(sample, delimiter, MAX_CELLS)
      .filter((row) => row.length > 1 || row[0] !== '')
      .map(({ length }) => length);
    const groups = [...Map.groupBy(widths, (width) => width)].filter(([width]) => width > 1);
    return {
      delimiter,
      score: Math.max(0, ...groups.map(([width, all]) => (width * all.length ** 2) / widths.length)),
    };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score === 0 ? null : best.delimiter;
}

function recordsOf(text: string, delimiter: string, most: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  let at = 0;
  const end = (cell: string) => {
    row.push(cell);
    cells += 1;
  };
  while (at < text.length && cells < most) {
    if (text[at] === '"') {
      const [cell, next] = quotedFrom(text, at);
      const rest = endOf(text, next, delimiter);
      end(cell + text.slice(next, rest));
      at = rest;
    } else {
      const rest = endOf(text, at, delimiter);
      end(text.slice(at, rest));
      at = rest;
    }
    if (text[at] === delimiter) {
      at += 1;
      if (at === text.length) end('');
      if (text[at] === '\n' || text[at] === '\r') end('');
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    if (text[at] === '\n' || text[at] === '\r') {
      rows.push(row);
      row = [];
      at += 1;
    }
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

function endOf(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

/** The field and where it ends; two quotation marks are one. */
function quotedFrom(text: string, from: number): readonly [string, number] {
  let field = '';
  let at = from + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return [field + text.slice(at), text.length];
    field += text.slice(at, close);
    if (text[close + 1] !== '"') return [field, close + 1];
    field += '"';
    at = close + 2;
  }
}
