/** Times and sizes of the IMAP client. Tests shorten them; nobody else should need to. */
export interface Tuning {
  readonly connectMs: number;
  /** Any one command; past it the connection is destroyed. */
  readonly commandMs: number;
  /** Added to `commandMs` for each MiB that a command moves, for slow lines. */
  readonly commandMsPerMib: number;
  /** A full look at the folder, whatever IDLE said or did not say. Also renews IDLE and finds dead peers. */
  readonly reconcileMs: number;
  /** The same where the server has no IDLE. */
  readonly pollMs: number;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** A connection that lasted this long starts the backoff of connections that were cut anew. */
  readonly stableMs: number;
  /** After a refused login: providers lock accounts that knock too often. */
  readonly firstAuthRetryMs: number;
  readonly maxAuthRetryMs: number;
  readonly batchMessages: number;
  readonly batchBytes: number;
  readonly stopMs: number;
  /** How long new mail waits for the mail before it: so long its order is kept. */
  readonly patienceMs: number;
  /** The same while mail is in hand that took longer. */
  readonly overtakeMs: number;
  readonly maxInHand: number;
  readonly maxInHandBytes: number;
  /** For one mail, to be taken in: past it the mail is offered again. */
  readonly receiveMs: number;
  /** Deferred mails that are looked at side by side, and begun between two looks for new mail. */
  readonly maxRechecks: number;
  /** How long one round begins deferred mail that is due. */
  readonly recheckRoundMs: number;
}

export const DEFAULT_TUNING: Tuning = {
  connectMs: 30_000,
  commandMs: 30_000,
  commandMsPerMib: 15_000,
  reconcileMs: 45_000,
  pollMs: 15_000,
  firstRetryMs: 1000,
  maxRetryMs: 120_000,
  stableMs: 60_000,
  firstAuthRetryMs: 60_000,
  maxAuthRetryMs: 3_600_000,
  batchMessages: 100,
  batchBytes: 8 * 1024 * 1024,
  stopMs: 5000,
  patienceMs: 1000,
  overtakeMs: 50,
  maxInHand: 128,
  maxInHandBytes: 32 * 1024 * 1024,
  receiveMs: 5 * 60_000,
  maxRechecks: 2,
  recheckRoundMs: 10_000,
};

/** Enough for any header a mail program writes; what follows is of no use without the body. */
export const HEAD_BYTES = 64 * 1024;
