export type RecipientState = 'sent' | 'failed' | 'retry' | 'unknown';

export interface RecipientOutcome {
  readonly address: string;
  readonly state: RecipientState;
  /** The server's own words for this recipient, or what went wrong, in one line. */
  readonly smtp: string;
}

/**
 * What became of one attempt.
 * `delivered`: nothing is left to try (some recipients may be `failed`); `retry`: send again, to the recipients
 * in state `retry` alone; `failed`: final for every recipient; `auth`: the server does not take our login, so
 * the whole account waits; `held`: no server was asked, since somebody has to log in at the provider first; `unknown`: the connection ended after the final dot and before its reply, the mail
 * may or may not be on its way (RFC 1047).
 */
export interface Outcome {
  readonly kind: 'delivered' | 'retry' | 'failed' | 'unknown' | 'auth' | 'held';
  readonly recipients: readonly RecipientOutcome[];
  readonly smtp: string;
  /** The Message-ID that the server put in place of ours, where its reply names one (SES, Microsoft 365). */
  readonly serverMessageId: string | null;
}

/** How far the dialogue had come when it failed. Only `after_dot` leaves room for doubt. */
export type Phase = 'before_login' | 'connect' | 'login' | 'envelope' | 'after_dot';

export interface Reply {
  /** Three digits; null where the server said nothing (drop, time-out, TLS, DNS). */
  readonly code: number | null;
  readonly text: string;
}

export interface Rejection extends Reply {
  readonly address: string;
}

export type Ending =
  | { readonly kind: 'accepted'; readonly text: string; readonly serverMessageId: string | null }
  | { readonly kind: 'broken'; readonly phase: Phase; readonly reply: Reply };

/**
 * RFC 4954 section 6. A 5xx to the AUTH command itself is about the login too. 454 is not one of them: Postfix says it
 * while its login server restarts, and an account-wide pause would hold one unlucky answer for minutes.
 */
const LOGIN_REPLIES = new Set([530, 534, 535, 538]);

/** Pure. `rejected` are the recipients that RCPT refused; all others share the fate of the transaction. */
export function decideOutcome(to: readonly string[], rejected: readonly Rejection[], ending: Ending): Outcome {
  const refusals = new Map(rejected.map((one) => [one.address, one]));
  const isAuth = ending.kind === 'broken' && isLoginFailure(ending);
  const state = ending.kind === 'accepted' ? 'sent' : stateOf(ending, isAuth);
  const words = ending.kind === 'accepted' ? ending.text : ending.reply.text;
  const recipients = to.map((address): RecipientOutcome => {
    const refusal = refusals.get(address);
    if (!refusal) return { address, state, smtp: words };
    return { address, state: isPermanent(refusal.code) ? 'failed' : 'retry', smtp: refusal.text };
  });
  return {
    kind: isHeld(ending) ? 'held' : isAuth ? 'auth' : kindOf(recipients),
    recipients,
    smtp: words,
    serverMessageId: ending.kind === 'accepted' ? ending.serverMessageId : null,
  };
}

function kindOf(recipients: readonly RecipientOutcome[]): Outcome['kind'] {
  const has = (state: RecipientState) => recipients.some((one) => one.state === state);
  if (has('unknown')) return 'unknown';
  if (has('retry')) return 'retry';
  return has('sent') ? 'delivered' : 'failed';
}

function stateOf({ phase, reply }: Extract<Ending, { kind: 'broken' }>, isAuth: boolean): RecipientState {
  if (isAuth) return 'retry';
  // Before MAIL FROM the server has judged the connection, not the mail: a 554 greeting may be gone tomorrow.
  if (phase === 'before_login' || phase === 'connect' || phase === 'login') return 'retry';
  if (isPermanent(reply.code)) return 'failed';
  if (phase === 'envelope' || isTemporary(reply.code)) return 'retry';
  return 'unknown';
}

const isHeld = (ending: Ending) => ending.kind === 'broken' && ending.phase === 'before_login';

function isLoginFailure({ phase, reply }: Extract<Ending, { kind: 'broken' }>): boolean {
  if (phase === 'connect' || phase === 'after_dot' || reply.code === null) return false;
  return LOGIN_REPLIES.has(reply.code) || (phase === 'login' && isPermanent(reply.code));
}

/** 503 (bad sequence) speaks of the session's state, not of the mail: a new connection may do. */
const isPermanent = (code: number | null) => code !== null && code >= 500 && code < 600 && code !== 503;
const isTemporary = (code: number | null) => code === 503 || (code !== null && code >= 400 && code < 500);
