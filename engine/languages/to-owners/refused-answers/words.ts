/** What owners are told of how to answer about senders who were refused, and of what became of it. */
export interface RefusedAnswerWords {
  /** What an answer says of a sender; each is understood where answers are read. */
  readonly verbs: Readonly<Record<'allow' | 'once' | 'block', string>>;
  readonly buttons: Readonly<Record<'allow' | 'once' | 'block', string>>;
  /** `several`: the digest lists more than one. */
  how(several: boolean): string;
  kept(days: number): string;
  /** Why nothing was done; `{detail}`: a word of the answer. */
  readonly why: Readonly<Record<'nothing' | 'more_words' | 'which' | 'unknown_sender' | 'pattern', string>>;
  allowed(sender: string, persona: string): string;
  once(sender: string, persona: string): string;
  blocked(sender: string, persona: string): string;
  /** How much of what they wrote was taken in. */
  taken(mails: number): string;
  open(sender: string): string;
  /** Somebody's answer came before. */
  settled(sender: string, verb: string, by: string, at: string): string;
  expired(sender: string): string;
  needsProof(sender: string): string;
  isOwner(sender: string): string;
  denied(sender: string, persona: string): string;
  notYours(sender: string, persona: string): string;
  notWritten(sender: string, persona: string): string;
  /** An address that as a rule would fit others, too. */
  isPattern(sender: string): string;
}
