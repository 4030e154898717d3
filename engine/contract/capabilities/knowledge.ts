/** What the owner put into the persona's `knowledge/`, by sections: text, Markdown, HTML, PDF, office files. */
export interface KnowledgeCapability {
  /**
   * All texts in the order of their paths, where they are short enough to be given whole to every mail; else `texts` is
   * null and `find` leads to what is wanted.
   */
  whole(): Promise<WholeKnowledge>;
  /** Sections that have words of the query, the best first. */
  find(wanted: { readonly query: string; readonly limit: number }): Promise<readonly KnowledgeHitShown[]>;
  /** Sections by the ids that `find` gave, in their order; `gone`: those that do not stand there any more. */
  read(ids: readonly string[]): Promise<{
    readonly sections: readonly KnowledgeText[];
    readonly gone: readonly string[];
  }>;
}

export interface WholeKnowledge {
  readonly texts: readonly WholeText[] | null;
  readonly files: number;
  readonly characters: number;
  /** Paths of files that were not read yet, for want of time. */
  readonly unread: readonly string[];
  readonly unreadable: readonly { readonly path: string; readonly why: string }[];
}

export interface WholeText {
  readonly path: string;
  readonly text: string;
  /** Of a PDF, an office file, a page: others may have written it, whoever put it there. Text and Markdown are the owner's. */
  readonly isDocument: boolean;
}

export interface KnowledgeFound {
  readonly id: string;
  /** `knowledge:` and the path below the folder. */
  readonly path: string;
  /** Headings above it, or the page. */
  readonly title: string;
  /** When the file was changed, ISO 8601. */
  readonly date: string;
  /** When a fifth of the file or more began to say something else than before, ISO 8601; absent where that never was. */
  readonly rewritten?: string;
}

export interface KnowledgeHitShown extends KnowledgeFound {
  readonly snippet: string;
}

export interface KnowledgeText extends KnowledgeFound {
  readonly text: string;
  /** Of the file. */
  readonly sha256: string;
}
