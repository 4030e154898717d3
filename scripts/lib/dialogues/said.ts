/** What people of one language write: `{e}` stands for a place, `{v}` for what is told of it, `{n}` for a name. */
export interface Said {
  readonly language: string;
  readonly people: readonly string[];
  /** Names of places are one of each. */
  readonly syllables: { readonly first: readonly string[]; readonly last: readonly string[] };
  readonly subjects: readonly string[];
  readonly greetings: readonly string[];
  readonly closings: readonly string[];
  /** Sentences that tell nothing that is asked for later. */
  readonly chat: readonly string[];
  readonly aspects: readonly Aspect[];
}

/** One thing that can be told of a place, told in several ways and asked for in another. */
export interface Aspect {
  readonly says: readonly string[];
  /** The same told in two mails: the second names neither the place nor the thing. */
  readonly asked: string;
  readonly answered: string;
  /** Words in angle brackets may be said otherwise. */
  readonly question: string;
  readonly values: readonly string[];
}
