/** How much owners let a persona do by itself: what it asked, and what became of its drafts, of the newest of each. */
export interface Trust {
  /** What it wanted to do and may not without an owner; not its questions, which are answered in words. */
  readonly calls: {
    readonly asked: number;
    readonly approved: number;
    /** Of those that were approved: after an owner had changed them. */
    readonly changed: number;
    readonly denied: number;
    /** Nobody answered in time. */
    readonly expired: number;
    readonly open: number;
  };
  /** Answers that were put into Drafts; `sent`: as they were. */
  readonly drafts: {
    readonly sent: number;
    /** With other words than ours. */
    readonly edited: number;
    readonly deleted: number;
    /** They lie there still. */
    readonly open: number;
  };
  /** So many questions and drafts are looked at, the newest. */
  readonly of: number;
  /** There are more of them, or more is on record than was looked through for changes. */
  readonly isCut: boolean;
}
