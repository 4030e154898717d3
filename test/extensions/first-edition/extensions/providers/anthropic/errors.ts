import { EngineError, type ProviderCode, type Retry } from '#contract';

const DAY_MS = 86_400_000;
const TOO_LONG =
  /prompt is too long|context (window|limit|length)|too many (input )?tokens|exceeds? the maximum .{0,80}tokens/i;
const NO_CREDIT = /credit balance|billing|spend limit/i;
const TIMED_OUT = /timed? ?out|_TIMEOUT$/i;
const SOON: Retry = { afterMs: 0 };

/** In a stream an error comes after the status line and names itself by type alone. */
const STATUS_OF_TYPE = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/**
 * What the SDK threw, as the engine knows it. The original is not kept as `cause`: vendors and proxies echo
 * request headers in their texts, so the message is scrubbed of the key and nothing else goes on.
 */
export function asProviderError(
  error: unknown,
  about: { name: string; key: string; signal: AbortSignal },
): EngineError {
  if (error instanceof EngineError) return error;
  if (about.signal.aborted) return aborted(about);
  const text = describe(error, about.key);
  const status = statusOf(error);
  if (status !== undefined) {
    const { code, retry } = byStatus({ status, text, afterMs: retryAfterMs(field(error, 'headers')) });
    return new EngineError(code, `${about.name} answered ${status}: ${text}`, { retry });
  }
  if (error instanceof SyntaxError) {
    return new EngineError('unparsable', `${about.name}: the answer is not JSON`, { retry: SOON });
  }
  const code = TIMED_OUT.test(text) ? 'timeout' : 'unavailable';
  return new EngineError(code, `${about.name} could not be reached: ${text}`, { retry: SOON });
}

export function cutShort(about: { name: string; signal: AbortSignal }): EngineError {
  if (about.signal.aborted) return aborted(about);
  return new EngineError('unavailable', `${about.name}: the stream ended early`, { retry: SOON });
}

function byStatus(answer: { status: number; text: string; afterMs: number }): { code: ProviderCode; retry: Retry } {
  const { status, text } = answer;
  const wait: Retry = { afterMs: answer.afterMs };
  if (status === 401 || status === 402 || status === 403) return { code: 'auth', retry: 'never' };
  if (status === 413) return { code: 'context_overflow', retry: 'never' };
  if (status === 429) return { code: 'rate_limited', retry: wait };
  if (status === 503 || status === 529) return { code: 'overloaded', retry: wait };
  if (status === 408) return { code: 'timeout', retry: wait };
  if (status >= 500 || status === 409) return { code: 'unavailable', retry: wait };
  if (TOO_LONG.test(text)) return { code: 'context_overflow', retry: 'never' };
  // An empty account is reported as a bad request.
  return { code: NO_CREDIT.test(text) ? 'auth' : 'bad_request', retry: 'never' };
}

function statusOf(error: unknown): number | undefined {
  const status = field(error, 'status');
  if (typeof status === 'number') return status;
  const type = field(field(field(error, 'error'), 'error'), 'type') ?? field(error, 'type');
  return typeof type === 'string' ? (STATUS_OF_TYPE.get(type) ?? 500) : undefined;
}

/** Seconds, or a date measured against the answer's own Date header; 0 when the vendor names no wait. */
function retryAfterMs(headers: unknown): number {
  if (!(headers instanceof Headers)) return 0;
  const value = headers.get('retry-after')?.trim() ?? '';
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Number.NaN;
  const date = Date.parse(value) - Date.parse(headers.get('date') ?? '');
  const wait = [exact, seconds, date].find(Number.isFinite) ?? 0;
  return Math.min(Math.max(Math.ceil(wait), 0), DAY_MS);
}

function aborted({ name, signal }: { name: string; signal: AbortSignal }): EngineError {
  return field(signal.reason, 'name') === 'TimeoutError'
    ? new EngineError('timeout', `${name} took too long`, { retry: SOON })
    : new EngineError('cancelled', `the call of ${name} was cancelled`);
}

/** The vendor's own words, with the code of the innermost cause (ECONNREFUSED); never the key. */
function describe(error: unknown, key: string): string {
  const message = String(field(error, 'message') ?? 'no reason given');
  const root = causeCode(error);
  const text = root === undefined ? message : `${message} (${root})`;
  return (key === '' ? text : text.replaceAll(key, '[key]')).slice(0, 500);
}

function causeCode(error: unknown): string | undefined {
  const chain = [error];
  for (const item of chain) {
    const cause = field(item, 'cause');
    if (cause !== undefined && chain.length < 6) chain.push(cause);
  }
  return chain.map((item) => field(item, 'code')).findLast((code) => typeof code === 'string');
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
