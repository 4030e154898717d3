import type { Added } from '../schema/persona.ts';

/** A file of the persona's `knowledge/` as it was last read. */
export interface KnowledgeFile extends Added<'knowledge_files'> {
  /** Below `knowledge/`. */
  readonly path: string;
  readonly bytes: number;
  /** When the file was changed, as the file system says; ms. */
  readonly changed_at: number;
  /** Of its bytes. */
  readonly sha256: string;
  /** Of its text; 0 where there is none. */
  readonly characters: number;
  /** Why it cannot be read, in words; null where it was. */
  readonly unreadable: string | null;
  readonly indexed_at: number;
  /** When a fifth of it or more was found to say something else than before; null where that never was. */
  readonly rewritten_at: number | null;
}

export interface NewSection {
  /** Headings above it, or the page. */
  readonly title: string;
  /** All sections of a file in their order are its text. */
  readonly text: string;
}

export interface KnowledgeSection extends NewSection {
  /** Never used again for other words. */
  readonly id: number;
  readonly path: string;
  readonly sha256: string;
  readonly changed_at: number;
  readonly rewritten_at: number | null;
}

export interface KnowledgeHit extends Omit<KnowledgeSection, 'text'> {
  /** On one line, around what was looked for. */
  readonly snippet: string;
}
