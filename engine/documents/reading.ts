import type { DocumentLimits } from './limits.ts';
import { Refused } from './refused.ts';
import type { DocumentKind, Table } from './types.ts';

/** What is read, as it lies there. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** As its mail declares it. */
  readonly type: string;
  readonly charset: string | null;
}

/** A file within a document. */
export interface OpenPart {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly charset?: string | null;
  /** Rejects with `Refused`. */
  open(): Promise<Uint8Array>;
}

/** What a reader of one kind gives. */
export interface Content {
  readonly kind: DocumentKind;
  readonly title?: string;
  /** `[page 3]` stands above the third; a name is added: `[sheet 3: Costs]`. */
  readonly paged?: { readonly word: 'page' | 'slide' | 'sheet'; readonly pages: readonly NamedText[] };
  readonly text?: string;
  readonly tables?: readonly Table[];
  readonly parts?: readonly OpenPart[];
}

export interface NamedText {
  readonly name?: string;
  readonly text: string;
}

/** What one reading may still take, and what it had to leave out. */
export interface Reading {
  readonly limits: DocumentLimits;
  /** Bytes that were unpacked. Throws `Refused` when they are too many. */
  unpacked(bytes: number): void;
  /** Cells that are left; `take` of them are used up. */
  cells(take: number): number;
  /** A sentence on what was left out; the same one is kept once. */
  note(sentence: string): void;
  /** The same of rows that were left out: what is worked out of the others would be wrong. */
  noteCut(sentence: string): void;
  readonly notes: ReadonlySet<string>;
  hasCutTables(): boolean;
}

export function createReading(limits: DocumentLimits): Reading {
  const notes = new Set<string>();
  let unpackedBytes = 0;
  let cells = limits.maxCells;
  let isCut = false;
  const note = (sentence: string) => void (notes.size < 20 && notes.add(sentence));
  return {
    limits,
    notes,
    unpacked(bytes) {
      unpackedBytes += bytes;
      if (unpackedBytes > limits.maxUnpackedBytes) {
        const mb = Math.floor(limits.maxUnpackedBytes / 1024 / 1024);
        throw new Refused('bomb', `it unpacks to more than ${mb} MB`);
      }
    },
    cells(take) {
      cells -= take;
      return cells;
    },
    note,
    noteCut(sentence) {
      isCut = true;
      note(sentence);
    },
    hasCutTables: () => isCut,
  };
}
