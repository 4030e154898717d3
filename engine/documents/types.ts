/** What a document is by its bytes, whatever its name or its mail says. */
export type DocumentKind =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odt'
  | 'ods'
  | 'odp'
  | 'csv'
  | 'html'
  | 'markdown'
  | 'rtf'
  | 'eml'
  | 'msg'
  | 'ics'
  | 'vcf'
  | 'zip'
  | 'text';

/** A date is an ISO 8601 string: `2026-03-01`, `2026-03-01T14:30:00`, `14:30:00`. Null: nothing stands there. */
export type Cell = string | number | boolean | null;

/** Rows as they stand, the row with the headings among them. All rows of a table are of the same length. */
export interface Table {
  /** Of the sheet; else `table 1`, `table 2`, in the order of the document. */
  readonly name: string;
  readonly rows: readonly (readonly Cell[])[];
}

/** A page, a slide or a sheet. */
export interface NumberedPage {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** A file within a document: an entry of an archive, an attachment of a mail. */
export interface DocumentPart {
  /** Unique within the document; `read` takes it as `part`. */
  readonly name: string;
  readonly type: string;
  /** Unpacked. */
  readonly bytes: number;
}

export interface DocumentTotals {
  /** Of what is paged; else 0. */
  readonly pages: number;
  readonly characters: number;
  readonly tables: number;
  /** Of all tables. */
  readonly rows: number;
  readonly parts: number;
}

export interface Document {
  readonly kind: DocumentKind;
  readonly title?: string;
  /** Of what is paged (pages, slides, sheets), in their order; else empty. */
  readonly pages: readonly NumberedPage[];
  /** All of it in reading order: of what is paged, the pages with a line that names each. */
  readonly text: string;
  readonly tables: readonly Table[];
  readonly parts: readonly DocumentPart[];
  /** Rows of its tables were left out. */
  readonly tablesCut: boolean;
  /** What was left out, in words; several sentences when there were several reasons. */
  readonly note?: string;
  readonly totals: DocumentTotals;
}

export type DocumentRefusalCode = 'encrypted' | 'broken' | 'too_large' | 'scanned' | 'bomb' | 'unsupported' | 'timeout';

/** Why a document cannot be read. */
export interface DocumentRefusal {
  readonly code: DocumentRefusalCode;
  /** For people and models, such as `encrypted: it opens with a password`. */
  readonly message: string;
}

export type ReadDocument =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly refusal: DocumentRefusal };
