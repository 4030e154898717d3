import { EngineError, type ProviderCode, type Retry } from '#contract';

const DAY_MS = 86_400_000;
const TOO_LONG =
  /token count .{0,80}exceeds|exceeds the maximum number of tokens|context (window|length)|input is too long/i;
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
    const { code, retry } = byStatus({ status, text, details: field(error, 'errorDetails') });
    return new EngineError(code, `${about.name} answered ${status}: ${text}`, { retry });
  }
  if (isMisread(error)) {
    return new EngineError('unparsable', `${about.name}: the answer is not JSON`, { retry: SOON });
  }
  const code = TIMED_OUT.test(text) ? 'timeout' : 'unavailable';
  return new EngineError(code, `${about.name} could not be reached: ${text}`, { retry: SOON });
}

/** The SDK stumbles over an answer of another shape with a TypeError; one from the network has a cause. */
const isMisread = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined);

function byStatus(answer: { status: number; text: string; details: unknown }): { code: ProviderCode; retry: Retry } {
  const { status, text } = answer;
  const details = Array.isArray(answer.details) ? answer.details : [];
  const wait: Retry = { afterMs: retryDelayMs(details) };
  if (status === 401 || status === 402 || status === 403) return { code: 'auth', retry: 'never' };
  if (status === 429) return { code: 'rate_limited', retry: wait };
  if (status === 503 || status === 529) return { code: 'overloaded', retry: wait };
  if (status === 408) return { code: 'timeout', retry: wait };
  if (status >= 500 || status === 409) return { code: 'unavailable', retry: wait };
  // A wrong key is reported as a bad request.
  if (details.some((detail) => field(detail, 'reason') === 'API_KEY_INVALID')) return { code: 'auth', retry: 'never' };
  const tooLong = status === 413 || TOO_LONG.test(text);
  return { code: tooLong ? 'context_overflow' : 'bad_request', retry: 'never' };
}

/** google.rpc.RetryInfo: `{"retryDelay": "34.5s"}`. The SDK hides the headers, so this is all there is. */
function retryDelayMs(details: readonly unknown[]): number {
  const delays = details.map((detail) => field(detail, 'retryDelay'));
  const text = delays.find((delay) => typeof delay === 'string' && /^\d+(\.\d+)?s$/.test(delay));
  return Math.min(Math.ceil(Number.parseFloat(String(text ?? '0')) * 1000), DAY_MS);
}

function aborted({ name, signal }: { name: string; signal: AbortSignal }): EngineError {
  return field(signal.reason, 'name') === 'TimeoutError'
    ? new EngineError('timeout', `${name} took too long`, { retry: SOON })
    : new EngineError('cancelled', `the call of ${name} was cancelled`);
}

/** The vendor's own words, without the address that the SDK puts before them; never the key. */
function describe(error: unknown, key: string): string {
  const message = String(field(error, 'message') ?? 'no reason given');
  const words = message.replace(/^(\[GoogleGenerativeAI Error\]: )?Error fetching from \S+: /, '');
  return (key === '' ? words : words.replaceAll(key, '[key]')).slice(0, 500);
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
