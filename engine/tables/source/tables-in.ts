import type { Table } from '../../documents/types.ts';
import { pageToReadable } from '../../mail/html/to-text.ts';
import { decodeCharset } from '../../mail/mime/charset.ts';
import { csvTable } from './csv.ts';
import { markdownTables } from './markdown.ts';

/** Bytes with rows in them; `type` as the mail says, `name` of the file. */
export interface Source {
  /** Of a document that has been read; its bytes are then not looked at. */
  readonly tables?: readonly Table[];
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The tables of a file: of HTML and Markdown those that stand in it, of delimited text the one that it is. */
export function tablesIn({ tables: read = [], name, type, bytes }: Source): readonly Table[] {
  if (read.length > 0) return read;
  const text = decodeCharset(bytes, charsetOf(bytes)).text.replace(/^\ufeff/, '');
  if (/\.html?$/i.test(name) || type === 'text/html' || /^\s*<(?:!doctype|html|table)\b/i.test(text)) {
    return markdownTables(pageToReadable(text).text);
  }
  const isDelimited = /\.(?:csv|tsv)$/i.test(name) || /csv|tab-separated/.test(type);
  const tables = isDelimited ? [] : markdownTables(text);
  if (tables.length > 0) return tables;
  const table = csvTable(text, name, isDelimited ? ',' : null);
  return table ? [table] : [];
}

function charsetOf([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}
