/** What a permission names as its reason where an owner's own mail is the yes to a call. */
export const OWN_WORDS = 'own words';

/** What an owner's own words can be the yes to. */
export type OwnWordsKind = 'stays' | 'undoable' | 'mail';

/** Why they are not, the first reason that holds. */
export type WhyAsked =
  /** No mail of theirs began the run, or it is one that is worked once more. */
  | 'begun'
  /** An owner has said no to something in this run. */
  | 'denied'
  /** Nobody proved by DMARC, a signature or a login that an owner wrote it, who is one still. */
  | 'proof'
  /** A piece of the mail may be somebody else's. */
  | 'unknown'
  /** A rule, or an entry of a tool, says by name that it is to be asked about. */
  | 'policy'
  | 'kind'
  /** It would reach somebody whom they did not name. */
  | 'recipient'
  /** It takes a file, a thread or another thing along that they did not name. */
  | 'name'
  | 'money'
  | 'secret'
  /** An address, a link or a host that they did not write. */
  | 'value'
  /** The run has read what others wrote: that somebody is named says by then no more who wants the mail. */
  | 'exposed'
  /** Ten of the kind within an hour, or five deletions in a run. */
  | 'often';

export type OwnWords =
  | { readonly verdict: 'counts'; readonly kind: OwnWordsKind; readonly words: readonly string[] }
  | { readonly verdict: 'asks'; readonly why: WhyAsked };
