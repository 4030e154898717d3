import type { StoredAttachment, StoredMessage, Tier } from '../types/mail.ts';

// Mails of one sender that come before the first of them is answered, and that one run answers.

/** A mail that was taken into the run of an earlier one. */
export interface TakenMail {
  readonly message: StoredMessage;
  readonly attachments: readonly StoredAttachment[];
}

/** One that may be, with its own run, which has not begun. */
export interface FurtherMail extends TakenMail {
  readonly runId: string;
}

/** What a mail has to have in common with the run that may take it in. */
export interface FurtherOf {
  readonly threadId: string;
  /** Of the run. */
  readonly seq: number;
  readonly sender: string;
  readonly tier: Tier;
  readonly createdAt: number;
  readonly now: number;
  readonly most: number;
  /** What else the mail itself says; pure. */
  mayBeTakenIn(mail: TakenMail): boolean;
}

/** What becomes of it. */
export interface TakenIn {
  /** Its own run; null where that is over: an earlier run that answers with it is worked once more. */
  readonly runId: string | null;
  /** `messages.id` */
  readonly message: string;
  /** As the model was shown it, for later runs of the thread. */
  readonly rendered: string;
}

/** A mail has come that the run is to answer as well, or one that it was to take in is not there any more: nothing was written. */
export class FurtherMailError extends Error {
  override readonly name = 'FurtherMailError';
}

export interface FurtherMailStore {
  furtherMail(of: FurtherOf): Promise<readonly FurtherMail[]>;
  /** Of a run that is over: what another one for the same mail has to answer as well. */
  takenInBy(runId: string): Promise<readonly TakenMail[]>;
}
