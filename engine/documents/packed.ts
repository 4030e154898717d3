import type { Document, DocumentKind, DocumentPart, DocumentRefusal, DocumentTotals } from './types.ts';

/** What a document is and how much there is of it, without its text. */
export interface DocumentFacts {
  readonly kind: DocumentKind;
  readonly title: string | null;
  readonly note: string | null;
  readonly totals: DocumentTotals;
  /** Where in the text each page begins. */
  readonly pages: readonly number[];
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly columns: number }[];
  /** The first thousand. */
  readonly parts: readonly DocumentPart[];
  /** Rows of its tables were left out: nothing can be worked out of the others. */
  readonly tables_cut: boolean;
}

/** A document as it leaves its thread: bytes that are written as they are, and never read as a whole to be asked about. */
export type Packed =
  | {
      readonly ok: true;
      readonly facts: DocumentFacts;
      /** UTF-8. */
      readonly text: Uint8Array<ArrayBuffer>;
      /** JSON of `readonly Table[]`; null where there are none. */
      readonly tables: Uint8Array<ArrayBuffer> | null;
    }
  | { readonly ok: false; readonly refusal: DocumentRefusal };

const MAX_LISTED_PARTS = 1000;
const MAX_LISTED_TABLES = 1000;

export function packed({ kind, title, note, totals, pages, text, tables, parts, tablesCut }: Document): Packed {
  let at = 0;
  const starts = pages.map((page) => {
    const start = Math.min(at, text.length);
    at += page.text.length + PAGE_BREAK.length;
    return start;
  });
  const encoder = new TextEncoder();
  return {
    ok: true,
    facts: {
      kind,
      title: title ?? null,
      note: note ?? null,
      totals,
      pages: starts,
      tables: tables
        .slice(0, MAX_LISTED_TABLES)
        .map(({ name, rows }) => ({ name, rows: rows.length, columns: rows[0]?.length ?? 0 })),
      parts: parts.slice(0, MAX_LISTED_PARTS),
      tables_cut: tablesCut,
    },
    text: encoder.encode(text),
    tables: tables.length === 0 ? null : encoder.encode(JSON.stringify(tables)),
  };
}

/** Between the pages of the whole text. */
export const PAGE_BREAK = '\n\n';
