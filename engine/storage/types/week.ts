/** What a persona did within a time, as its owners are told of it. */
export interface Week {
  /** Mails whose runs ended within it with an answer that is whole, and of how many people they were. */
  readonly answered: number;
  readonly people: number;
  /** Mails whose runs ended without one; the newest of them, `MOST_OPEN` at most, by who wrote them and their subjects. */
  readonly incomplete: number;
  readonly unfinished: readonly { readonly from: string; readonly subject: string }[];
  readonly tasks: number;
  /** What owners were asked within it, and what they have said of that by now; `words`: a question that is answered in words. */
  readonly asked: Record<'all' | 'yes' | 'no' | 'words' | 'open', number>;
  /** What is kept since, the newest first, `MOST_FACTS` at most. */
  readonly facts: { readonly count: number; readonly newest: readonly string[] };
  /** Kinds of mail that have another way of working since. */
  readonly playbooks: number;
}
