import { EngineError, type ProviderCode, type Retry } from '#contract';
import { retryAfterMs } from './retry-after.ts';

const TOO_LONG =
  /context[ _-](length|window|size)|maximum (context|prompt)|prompt is too long|too many (input )?tokens|input is too long|exceeds? the (available|model'?s) context/i;
const TIMED_OUT = /timed? ?out|_TIMEOUT$/i;
const SOON: Retry = { afterMs: 0 };

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
  const status = field(error, 'status');
  const text = describe(error, about.key);
  if (typeof status === 'number') {
    const { code, retry } = byStatus({ status, text, vendorCode: field(error, 'code'), headers: headersOf(error) });
    return new EngineError(code, `${about.name} answered ${status}: ${text}`, { retry });
  }
  if (error instanceof SyntaxError) {
    return new EngineError('unparsable', `${about.name}: the answer is not JSON`, { retry: SOON });
  }
  const code = TIMED_OUT.test(text) ? 'timeout' : 'unavailable';
  return new EngineError(code, `${about.name} could not be reached: ${text}`, { retry: SOON });
}

/** Decides by status first and by text only where the status is ambiguous. */
export function byStatus(answer: { status: number; text: string; vendorCode: unknown; headers: Headers | undefined }): {
  code: ProviderCode;
  retry: Retry;
} {
  const { status, text, vendorCode } = answer;
  const wait: Retry = { afterMs: retryAfterMs(answer.headers) };
  if (status === 401 || status === 402 || status === 403) return { code: 'auth', retry: 'never' };
  if (status === 429) {
    // An empty account is reported as a rate limit, and no wait fills it.
    return { code: 'rate_limited', retry: vendorCode === 'insufficient_quota' ? 'never' : wait };
  }
  if (status === 413 || vendorCode === 'context_length_exceeded') return { code: 'context_overflow', retry: 'never' };
  // llama.cpp and others report an overlong prompt as a server error.
  if (status !== 503 && TOO_LONG.test(text)) return { code: 'context_overflow', retry: 'never' };
  if (status === 503 || status === 529) return { code: 'overloaded', retry: wait };
  if (status === 408) return { code: 'timeout', retry: wait };
  if (status >= 500 || status === 409) return { code: 'unavailable', retry: wait };
  return { code: 'bad_request', retry: 'never' };
}

/**
 * The failure inside an answer with status 200: OpenRouter reports what went wrong with the model behind it as
 * an `error` in place of choices, the Responses API beside an empty output. Undefined where there is none.
 */
export function errorInAnswer(answer: unknown, about: { name: string; key: string }): EngineError | undefined {
  const inside = field(answer, 'choices') === undefined ? field(answer, 'error') : undefined;
  if (typeof inside !== 'object' || inside === null) return undefined;
  const vendorCode = field(inside, 'code');
  const status = typeof vendorCode === 'number' && vendorCode >= 400 ? vendorCode : statusOfCode(vendorCode);
  const text = describe(inside, about.key);
  const { code, retry } = byStatus({ status, text, vendorCode, headers: undefined });
  return new EngineError(code, `${about.name} answered ${status}: ${text}`, { retry });
}

const statusOfCode = (code: unknown): number => (code === 'rate_limit_exceeded' ? 429 : 502);

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

function headersOf(error: unknown): Headers | undefined {
  const headers = field(error, 'headers');
  return headers instanceof Headers ? headers : undefined;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
