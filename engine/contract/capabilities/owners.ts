/** Words of an owner that a run has, and that are for something else than it works on. */
export interface OwnersCapability {
  /**
   * Hands them on as they stand. `question` is the name of the question that they answer, or `none`: then a run of the owner's own
   * is begun with their mail. Throws `invalid_arguments`: they are no owner's words, or are not for this run to hand on.
   */
  passOn(said: { readonly question: string; readonly words: string }): Promise<{ readonly passed_on: true }>;
}
