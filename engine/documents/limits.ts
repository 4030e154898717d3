/** What one document may take; docs/limits.md has the same table. Beyond it is refused, or cut and said so. */
export interface DocumentLimits {
  /** Of the file. */
  readonly maxBytes: number;
  /** Of all that is unpacked on the way, together. */
  readonly maxUnpackedBytes: number;
  /** In an archive. */
  readonly maxEntries: number;
  /** Files within files. */
  readonly maxNesting: number;
  /** Of elements within elements. */
  readonly maxXmlDepth: number;
  readonly maxPages: number;
  readonly maxCharacters: number;
  /** Of all tables together. */
  readonly maxCells: number;
  /** Of one row; more are not read. */
  readonly maxColumns: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxUnpackedBytes: 256 * 1024 * 1024,
  maxEntries: 10_000,
  maxNesting: 4,
  maxXmlDepth: 256,
  maxPages: 2000,
  maxCharacters: 2_000_000,
  maxCells: 1_000_000,
  maxColumns: 1000,
};

/** How long a thread may compute for one document. */
export const DOCUMENT_DEADLINE_MS = 20_000;
/** What a thread may hold. */
export const DOCUMENT_HEAP_MB = 384;
