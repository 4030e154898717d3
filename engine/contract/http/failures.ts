import { EngineError, type Retry } from '../errors.ts';
import type { Usage } from '../provider.ts';
import { causeCodes, certificateFault, innermostCode } from './certificates.ts';
import { BROKEN_OFF, MOVED_ELSEWHERE } from './fetch.ts';
import { retryAfterMs } from './retry-after.ts';
import { byCode, byStatus, type Failure, fieldOf, isFlagged, isLargerThanWindow, whoseWithoutAnswer } from './whose.ts';

const TIMED_OUT = /timed? ?out|_TIMEOUT$/i;
const SOON: Retry = { afterMs: 0 };
const BEGUN = { retry: SOON, whose: 'unclear', begun: true } as const;
const MAX_TEXT = 500;
/** Which call it is: the provider's name for messages, its key to keep out of them, the signal that may have ended it. */
export interface VendorCall {
  readonly name: string;
  readonly key: string;
  readonly signal: AbortSignal;
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
  /** Its last word on what the status means; usually that stands, and so does what is left out (such as `whose`). */
  judge?(answer: FailedAnswer, usual: Failure): Partial<Failure>;
  /** Whether it stumbled over the answer's text; usually a SyntaxError. */
  isMisread?(error: unknown): boolean;
  /** Whether an answer had begun to come; usually `leanFetch` knows. */
  isBrokenOff?(error: unknown): boolean;
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
  const status = habits.statusOf ? habits.statusOf(error) : numberOf(fieldOf(error, 'status'));
  if (status !== undefined) {
    return failedAnswer({ status, text: wordsOfAnswer(error, status, call.key, habits), error }, call, habits);
  }
  const text = describe(error, call.key, habits);
  if (habits.isMisread ? habits.isMisread(error) : error instanceof SyntaxError) {
    return noAnswer(call, 'the answer is not JSON');
  }
  const cause = innermostCode(error);
  const doubt = certificateFault(cause);
  if (doubt) {
    const why = `${call.name} could not be reached: ${doubt.cause}; ${doubt.cure} (${cause})`;
    return new EngineError('unavailable', why, { retry: SOON, whose: doubt.isOurs ? 'setup' : 'vendor' });
  }
  if (cause === MOVED_ELSEWHERE) {
    const why = `${call.name} sends to another server, which is not given the key; if that is the right one, put its address into base_url`;
    return new EngineError('unavailable', why, { retry: SOON, whose: 'unclear' });
  }
  const code = TIMED_OUT.test(text) ? 'timeout' : 'unavailable';
  const whose = whoseWithoutAnswer(cause);
  if (habits.isBrokenOff?.(error) || causeCodes(error).includes(BROKEN_OFF))
    return new EngineError(code, `${call.name} broke off: ${text}`, BEGUN);
  return new EngineError(code, `${call.name} could not be reached: ${text}`, { retry: SOON, whose });
}

/** A body that is none of the vendor's answers: a page of something before it, or a server that is no such one. */
export const noAnswer = ({ name }: Pick<VendorCall, 'name'>, what: string): EngineError =>
  new EngineError('unavailable', `${name}: ${what}`, { retry: SOON, whose: 'unclear' });

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
  return new EngineError('unavailable', `${call.name}: the stream ended early`, BEGUN);
}

/**
 * The same failure of a call that is billed although it failed: an answer had `begun` to come, or the vendor says what it
 * has used. What it does not say is estimated.
 */
export function billedFailure(
  error: EngineError,
  by: { readonly begun: boolean; readonly usage: Usage | null },
): EngineError {
  const { code, message, retry, whose, begun } = error;
  if (code === 'cancelled' || (!by.begun && by.usage === null)) return error;
  return new EngineError(code, message, {
    retry,
    begun: begun || by.begun,
    usage: by.usage ?? error.usage,
    ...(whose !== null && { whose }),
  });
}

function failedAnswer(answer: FailedAnswer, { name }: { readonly name: string }, habits: VendorHabits): EngineError {
  const { status, text, error } = answer;
  const usual = usually(answer, habits.waitMs ? habits.waitMs(error) : retryAfterMs(fieldOf(error, 'headers')));
  const { code, retry, whose } = { ...usual, ...habits.judge?.(answer, usual) };
  const what = status === BY_PROXY ? 'could not be reached: a proxy in between answered' : 'answered';
  return new EngineError(code, `${name} ${what} ${status}${text === '' ? '' : `: ${text}`}`, { retry, whose });
}

function usually({ status, error }: FailedAnswer, afterMs: number): Failure {
  const tooLarge = status === 429 && isLargerThanWindow(fieldOf(error, 'headers'));
  if (tooLarge) return byStatus(413, 0);
  const named = status === 401 ? undefined : byCode(error);
  if (named) return named;
  const usual = byStatus(status, afterMs);
  return isFlagged(error) ? { ...usual, code: 'content_refused', whose: 'request' } : usual;
}

function aborted({ name, signal }: Omit<VendorCall, 'key'>): EngineError {
  return fieldOf(signal.reason, 'name') === 'TimeoutError'
    ? new EngineError('timeout', `${name} took too long`, { retry: SOON, whose: 'unclear' })
    : new EngineError('cancelled', `the call of ${name} was cancelled`);
}

/** Proxies alone answer so (RFC 9110, 15.5.8): the vendor has not seen what was asked. */
const BY_PROXY = 407;
const PAGE = 'a web page, which is no answer of a model';

/**
 * What owners read of an answer other than 200: the vendor's own sentence, without the JSON around it and the status
 * that SDKs put before it. Of a web page nothing: whoever stands before the vendor wrote it.
 */
function wordsOfAnswer(error: unknown, status: number, key: string, habits: VendorHabits): string {
  const headers = fieldOf(error, 'headers');
  if (headers instanceof Headers && headers.get('content-type')?.includes('html')) return PAGE;
  const inside = fieldOf(error, 'error');
  const own = [fieldOf(fieldOf(inside, 'error'), 'message'), fieldOf(inside, 'message')].find(
    (text) => typeof text === 'string' && text.trim() !== '',
  );
  if (typeof own === 'string') return withoutKey(own, key);
  const said = describe(error, key, habits);
  return said.startsWith(`${status} `) ? said.slice(`${status} `.length) : said;
}

const withoutKey = (text: string, key: string): string =>
  (key === '' ? text : text.replaceAll(key, '[key]')).slice(0, MAX_TEXT);

/** The vendor's own words, with the code of the innermost cause (ECONNREFUSED); never the key. */
function describe(error: unknown, key: string, { words }: VendorHabits): string {
  const said = String(fieldOf(error, 'message') ?? 'no reason given');
  const message = words?.(said) ?? said;
  const root = innermostCode(error);
  const text = root === undefined ? message : `${message} (${root})`;
  return withoutKey(text, key);
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
