/** Why an answer is asked back about. */
export type WhyKey =
  | 'nothing'
  | 'praise'
  | 'too_long'
  | 'question'
  | 'condition'
  | 'both'
  | 'more_words'
  | 'beside'
  | 'reaction'
  | 'another_mail'
  | 'which'
  | 'unknown_item'
  | 'contradiction'
  | 'other_act'
  | 'edit_form'
  | 'edit_hidden'
  | 'edit_below'
  | 'edit_unknown_key'
  | 'edit_refused'
  | 'plan_edit'
  | 'plan_parts'
  | 'closed_item'
  | 'undo_which'
  | 'undo_more'
  | 'no_words';

/** What became of something that was asked about. */
export type OutcomeKey =
  | 'running'
  | 'done'
  | 'failed'
  | 'unknown'
  | 'denied'
  | 'answered'
  | 'expired'
  | 'edited'
  | 'stale'
  | 'undone'
  | 'waiting';

export interface ClarifyWords {
  readonly subject: string;
  /** It is not known whether yes or no is meant. */
  readonly unsure: string;
  /** Something else is not known, and nothing was done either. */
  readonly nothingDone: string;
  /** `{detail}`: a word of the answer, or a number. */
  readonly why: Readonly<Record<WhyKey, string>>;
  /** Above the question. */
  readonly again: string;
  /** `{at}`: the time. */
  readonly outcome: Readonly<Record<OutcomeKey, string>>;
}
