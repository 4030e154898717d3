import { EngineError, type ProviderCode, type Retry } from '../errors.ts';
import { fieldOf } from './field.ts';
import { retryAfterMs } from './retry-after.ts';

const TIMED_OUT = /timed? ?out|_TIMEOUT$/i;
const SOON: Retry = { afterMs: 0 };
const MAX_TEXT = 500;
const MAX_CAUSES = 6;

/** Which call it is: the provider's name for messages, its key to keep out of them, the signal that may have ended it. */
export interface VendorCall {
  readonly name: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** What the engine decides by: retry, fallback and cooldown follow from these two alone. */
export interface Failure {
  readonly code: ProviderCode;
  readonly retry: Retry;
}

/** An answer other than 200. */
export interface FailedAnswer {
  readonly status: number;
  /** The vendor's own words, without the key. */
  readonly text: string;
  /** What was thrown, for what only this vendor says. */
  readonly error: unknown;
}

/** Where a vendor differs from the usual meaning of HTTP. What is left out is as usual. */
export interface VendorHabits {
  /** The status of what was thrown; usually its `status`. */
  statusOf?(error: unknown): number | undefined;
  /** The wait it asks for, in milliseconds; usually of its `headers`. */
  waitMs?(error: unknown): number;
  /** Its last word on what the status means; usually that stands. */
  judge?(answer: FailedAnswer, usual: Failure): Failure;
  /** Whether it stumbled over the answer's text; usually a SyntaxError. */
  isMisread?(error: unknown): boolean;
  /** Its words without what the SDK puts around them. */
  words?(message: string): string;
}

/**
 * What a call of a vendor threw, as the engine knows it. The original is not kept as `cause`: vendors and proxies echo
 * request headers in their texts, so the message is scrubbed of the key and nothing else goes on.
 *
 * @example
 * try {
 *   return await sdk.post('/v1/messages', { body, signal });
 * } catch (error) {
 *   throw asVendorError(error, { name, key, signal });
 * }
 */
export function asVendorError(error: unknown, call: VendorCall, habits: VendorHabits = {}): EngineError {
  if (error instanceof EngineError) return error;
  if (call.signal.aborted) return aborted(call);
  const text = describe(error, call.key, habits);
  const status = habits.statusOf ? habits.statusOf(error) : numberOf(fieldOf(error, 'status'));
  if (status !== undefined) return failedAnswer({ status, text, error }, call, habits);
  if (habits.isMisread ? habits.isMisread(error) : error instanceof SyntaxError) {
    return new EngineError('unparsable', `${call.name}: the answer is not JSON`, { retry: SOON });
  }
  const code = TIMED_OUT.test(text) ? 'timeout' : 'unavailable';
  return new EngineError(code, `${call.name} could not be reached: ${text}`, { retry: SOON });
}

/** A failure that stands inside an answer with status 200, under the status that it amounts to. */
export function failureInAnswer(
  inside: unknown,
  status: number,
  call: Omit<VendorCall, 'signal'>,
  habits: VendorHabits = {},
): EngineError {
  return failedAnswer({ status, text: describe(inside, call.key, habits), error: inside }, call, habits);
}

/** A stream that ended before it was complete. */
export function cutShort(call: Omit<VendorCall, 'key'>): EngineError {
  if (call.signal.aborted) return aborted(call);
  return new EngineError('unavailable', `${call.name}: the stream ended early`, { retry: SOON });
}

function failedAnswer(answer: FailedAnswer, { name }: { readonly name: string }, habits: VendorHabits): EngineError {
  const { status, text, error } = answer;
  const usual = byStatus(status, habits.waitMs ? habits.waitMs(error) : retryAfterMs(fieldOf(error, 'headers')));
  const { code, retry } = habits.judge?.(answer, usual) ?? usual;
  return new EngineError(code, `${name} answered ${status}: ${text}`, { retry });
}

/** What an HTTP status usually means of a model's vendor; `afterMs` is the wait it asked for. */
export function byStatus(status: number, afterMs: number): Failure {
  const wait: Retry = { afterMs };
  if (status === 401 || status === 402 || status === 403) return { code: 'auth', retry: 'never' };
  if (status === 413) return { code: 'context_overflow', retry: 'never' };
  if (status === 429) return { code: 'rate_limited', retry: wait };
  if (status === 503 || status === 529) return { code: 'overloaded', retry: wait };
  if (status === 408) return { code: 'timeout', retry: wait };
  if (status >= 500 || status === 409) return { code: 'unavailable', retry: wait };
  return { code: 'bad_request', retry: 'never' };
}

function aborted({ name, signal }: Omit<VendorCall, 'key'>): EngineError {
  return fieldOf(signal.reason, 'name') === 'TimeoutError'
    ? new EngineError('timeout', `${name} took too long`, { retry: SOON })
    : new EngineError('cancelled', `the call of ${name} was cancelled`);
}

/** The vendor's own words, with the code of the innermost cause (ECONNREFUSED); never the key. */
function describe(error: unknown, key: string, { words }: VendorHabits): string {
  const said = String(fieldOf(error, 'message') ?? 'no reason given');
  const message = words?.(said) ?? said;
  const root = causeCode(error);
  const text = root === undefined ? message : `${message} (${root})`;
  return (key === '' ? text : text.replaceAll(key, '[key]')).slice(0, MAX_TEXT);
}

function causeCode(error: unknown): string | undefined {
  const chain = [error];
  for (const item of chain) {
    const cause = fieldOf(item, 'cause');
    if (cause !== undefined && chain.length < MAX_CAUSES) chain.push(cause);
  }
  return chain.map((item) => fieldOf(item, 'code')).findLast((code) => typeof code === 'string');
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
