import type { Usage } from './provider.ts';

/** Codes of refusals by policy: the model, the person and the audit log each get their own view of one. */
export type PolicyCode =
  | 'policy_denied'
  | 'policy_requires_approval'
  | 'policy_rate_limited'
  | 'policy_scope_missing'
  | 'policy_quota_exceeded';

/** What can become of a tool call besides success. */
export type ToolCode =
  | 'tool_unknown'
  | 'tool_not_found'
  | 'invalid_arguments'
  | 'tool_failed'
  | 'tool_timeout'
  | 'skipped'
  | 'invalid_result'
  | 'unsupported_runtime_action'
  | 'outbound_transport_not_configured'
  | 'storage_failed'
  | 'side_effect_unknown';

/** What a provider adapter may throw; the engine decides on retry, fallback and cooldown by these alone. */
export type ProviderCode =
  | 'auth'
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'unavailable'
  | 'context_overflow'
  | 'bad_request'
  | 'unparsable'
  /** The vendor declines what the mail, or an answer to it, is about. */
  | 'content_refused'
  /** No model of that name, or none any more; also one that is not loaded. */
  | 'model_gone'
  /** The account at the vendor has nothing left. */
  | 'no_credit'
  /** Nobody has said what the model costs, and there is a budget. */
  | 'no_price';

/** What the engine itself reports to people: configuration, commands, storage, the wire. */
export type EngineCode =
  | 'approval_stale'
  | 'cancelled'
  | 'config_invalid'
  | 'extension_invalid'
  | 'mime_limit'
  | 'network'
  | 'not_empty'
  | 'not_found'
  | 'not_pending'
  | 'not_running'
  | 'port_in_use'
  | 'unauthorised'
  | 'usage'
  | 'workspace_locked';

export type ErrorCode = PolicyCode | ToolCode | ProviderCode | EngineCode;

/**
 * Why a call was not made, as far as people are told: `message` is for the model that made the call, and people read a sentence
 * of their own language for this in its place.
 */
export const CALL_REASONS = [
  // What is to be kept does not stand in the mail.
  'not_said',
  // It is the persona's own sentence, or somebody else's.
  'own_words',
  'others_words',
  // An address, a link or a figure that the mail does not name.
  'not_named',
  'full',
  'private',
  // A day that is over, or too far away.
  'not_a_day',
  // Whoever wrote may not ask for it.
  'sender',
  'not_found',
  'no_file',
] as const;

export type CallReason = (typeof CALL_REASONS)[number];

/** The least wait before another try, in milliseconds, or that none can help. */
export type Retry = 'never' | { readonly afterMs: number };

/**
 * Whose a failure of a model call is. `request`: of this one alone, so that the next mail is not concerned. `setup`: a
 * key, an account or a model has to be mended by its owner. `vendor`: nobody is answered now. `unclear`: of the request
 * or of one of the others; the engine finds out by what another mail meets. Only `vendor` lets a provider rest.
 */
export type Whose = 'request' | 'setup' | 'vendor' | 'unclear';

/**
 * Thrown on purpose. `message` may be logged and shown to the owner, never to a stranger.
 * `retry` lets a worker decide without reading text.
 */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: ErrorCode;
  readonly retry: Retry;
  /** Said of failed model calls; null where whoever threw it knows nothing of it. */
  readonly whose: Whose | null;
  /** Said of failed model calls: an answer had begun to come and broke off, so that it is billed. */
  readonly begun: boolean;
  /** Said of failed model calls: what the vendor has counted of it all the same; null where it said nothing. */
  readonly usage: Usage | null;
  /** Said of calls that a tool refuses; null where its code says all that people are told. */
  readonly reason: CallReason | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      retry?: Retry;
      whose?: Whose;
      begun?: boolean;
      usage?: Usage | null;
      reason?: CallReason | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? 'never';
    this.whose = options.whose ?? null;
    this.begun = options.begun ?? false;
    this.usage = options.usage ?? null;
    this.reason = options.reason ?? null;
  }
}
