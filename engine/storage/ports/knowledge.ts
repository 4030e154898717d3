import type { KnowledgeFile, KnowledgeHit, KnowledgeSection, NewSection } from '../types/knowledge.ts';

/** What stands in the knowledge of a persona, by sections. All of it can be made again from the files. */
export interface KnowledgeStore {
  knowledgeFiles(): Promise<readonly KnowledgeFile[]>;
  /** Takes the place of what stood under this path. A file with the same bytes keeps its sections and their ids. */
  keepKnowledge(file: KnowledgeFile, sections: readonly NewSection[]): Promise<void>;
  forgetKnowledge(paths: readonly string[]): Promise<void>;
  /** The best first; a query without words finds nothing. */
  findKnowledge(wanted: { readonly query: string; readonly limit: number }): Promise<readonly KnowledgeHit[]>;
  /** In the order of the ids; those that are not there any more are left out. */
  knowledgeSections(ids: readonly number[]): Promise<readonly KnowledgeSection[]>;
  /** Sections of one file, or of all files, by path and place. */
  knowledgeTexts(path: string | null): Promise<readonly KnowledgeSection[]>;
}
