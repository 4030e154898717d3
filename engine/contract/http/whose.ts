import type { ProviderCode, Retry, Whose } from '../errors.ts';

/** What the engine decides by: retry, fallback, and who waits, follow from these three alone. */
export interface Failure {
  readonly code: ProviderCode;
  readonly retry: Retry;
  readonly whose: Whose;
}

/**
 * What an HTTP status usually means of a model's vendor; `afterMs` is the wait it asked for. 401 is the key's whatever
 * was asked. What else may be said of one request as well as of an account or a vendor is `unclear`: xAI answers 403 to
 * one mail's content, OpenRouter 402 where one answer would cost too much, and 404 where no model takes a picture.
 */
export function byStatus(status: number, afterMs: number): Failure {
  const wait: Retry = { afterMs };
  if (status === 401) return { code: 'auth', retry: 'never', whose: 'setup' };
  if (status === 402) return { code: 'no_credit', retry: 'never', whose: 'unclear' };
  if (status === 403) return { code: 'auth', retry: 'never', whose: 'unclear' };
  if (status === 404 || status === 410) return { code: 'model_gone', retry: 'never', whose: 'unclear' };
  if (status === 413) return TOO_LARGE;
  if (status === 429) return { code: 'rate_limited', retry: wait, whose: 'unclear' };
  if (status === 503 || status === 529) return { code: 'overloaded', retry: wait, whose: 'unclear' };
  // A proxy between us and the vendor, which has seen none of it.
  if (status === 407) return { code: 'unavailable', retry: wait, whose: 'vendor' };
  if (status === 408) return { code: 'timeout', retry: wait, whose: 'unclear' };
  // 425: too early (RFC 8470), which passes.
  if (status >= 500 || status === 409 || status === 425) return { code: 'unavailable', retry: wait, whose: 'unclear' };
  return { code: 'bad_request', retry: 'never', whose: 'unclear' };
}

const TOO_LARGE: Failure = { code: 'context_overflow', retry: 'never', whose: 'request' };
const REFUSED: Failure = { code: 'content_refused', retry: 'never', whose: 'request' };
const KEY: Failure = { code: 'auth', retry: 'never', whose: 'setup' };
const MODEL: Failure = { code: 'model_gone', retry: 'never', whose: 'setup' };
const CREDIT: Failure = { code: 'no_credit', retry: 'never', whose: 'setup' };
/** A call that the vendor's own reader of its model's text stumbled over: the model may do better the next time. */
const BROKEN_CALL: Failure = { code: 'unparsable', retry: { afterMs: 0 }, whose: 'request' };

/**
 * Codes, types and reasons that vendors document, in lower case, looked at on 29 November 2026; each means the same
 * with all who have it. What stands in their texts means nothing: it is reworded, translated, and quotes the mail.
 */
const BY_CODE: Readonly<Record<string, Failure>> = {
  context_length_exceeded: TOO_LARGE,
  request_too_large: TOO_LARGE,
  string_above_max_length: TOO_LARGE,
  payload_too_large: TOO_LARGE,
  exceed_context_size_error: TOO_LARGE,
  // Azure, OpenAI, DashScope.
  content_filter: REFUSED,
  content_policy_violation: REFUSED,
  responsibleaipolicyviolation: REFUSED,
  moderation_blocked: REFUSED,
  invalid_prompt: REFUSED,
  datainspectionfailed: REFUSED,
  data_inspection_failed: REFUSED,
  invalid_api_key: KEY,
  authentication_error: KEY,
  invalid_authentication_error: KEY,
  account_deactivated: KEY,
  api_key_invalid: KEY,
  service_disabled: KEY,
  unsupported_country_region_territory: KEY,
  model_not_found: MODEL,
  model_decommissioned: MODEL,
  model_not_available: MODEL,
  deploymentnotfound: MODEL,
  not_found_error: MODEL,
  insufficient_quota: CREDIT,
  billing_error: CREDIT,
  billing_not_active: CREDIT,
  billing_hard_limit_reached: CREDIT,
  exceeded_current_quota_error: CREDIT,
  insufficient_credits: CREDIT,
  arrearage: CREDIT,
  // Groq.
  tool_use_failed: BROKEN_CALL,
};

/** What the vendor's own code says; undefined where it names none that is known. */
export const byCode = (error: unknown): Failure | undefined =>
  // Whatever the code is called, what the model wrote in vain comes along.
  hasBrokenCall(error) ? BROKEN_CALL : codeOf(error);

const hasBrokenCall = (error: unknown): boolean =>
  [error, fieldOf(error, 'error')].some((one) => typeof fieldOf(one, 'failed_generation') === 'string');

const codeOf = (error: unknown): Failure | undefined =>
  codesOf(error).flatMap((code) => (Object.hasOwn(BY_CODE, code) ? (BY_CODE[code] ?? []) : []))[0];

const CODE_FIELDS = ['code', 'type', 'reason'] as const;
/** Where vendors put an error into another one. */
const INSIDE = ['error', 'innererror', 'errorDetails', 'details', 'metadata'] as const;
const MAX_DEPTH = 4;
const MAX_CODE = 80;

function codesOf(error: unknown, depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(error)) return error.slice(0, 20).flatMap((item) => codesOf(item, depth + 1));
  const own = CODE_FIELDS.map((name) => fieldOf(error, name));
  return [
    ...own.flatMap((code) => (typeof code === 'string' && code.length <= MAX_CODE ? [code.toLowerCase()] : [])),
    ...INSIDE.flatMap((name) => codesOf(fieldOf(error, name), depth + 1)),
  ];
}

/** A window of tokens that is full, and still does not hold the request: no wait would help. */
export function isLargerThanWindow(headers: unknown): boolean {
  if (!(headers instanceof Headers)) return false;
  const [limit, left] = ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}-tokens`));
  return limit !== null && limit !== '' && limit !== '0' && limit === left;
}

/** OpenRouter's moderation names what it flagged. */
export const isFlagged = (error: unknown): boolean => {
  const metadata = fieldOf(error, 'metadata') ?? fieldOf(fieldOf(error, 'error'), 'metadata');
  return fieldOf(metadata, 'flagged_input') !== undefined;
};

/** No connection came about, so nobody has seen what was asked. */
const UNSEEN: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);

/** Whose a call was that had no answer at all, by the code of its innermost cause. */
export const whoseWithoutAnswer = (code: string | undefined): Whose =>
  code !== undefined && UNSEEN.has(code) ? 'vendor' : 'unclear';

/** A field of what may be no object at all: what vendors answer and SDKs throw has no shape to rely on. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
