import { EngineError, type ProviderCode } from '#contract';

const PROVIDER_CODES: ReadonlySet<string> = new Set<ProviderCode>([
  'auth',
  'rate_limited',
  'overloaded',
  'timeout',
  'unavailable',
  'context_overflow',
  'bad_request',
  'unparsable',
  'content_refused',
  'model_gone',
  'no_credit',
  'no_price',
]);

/** What the language itself throws at code that is wrong. */
const MISTAKES = [TypeError, RangeError, ReferenceError, URIError] as const;

/**
 * What an adapter threw, in the codes that decide what follows. A mistake in its code does not pass with time, so the
 * mail fails at once, with its words for the owner; what cannot be told may pass, so that mail waits.
 */
export function asProviderError(error: unknown): EngineError {
  if (error instanceof EngineError && PROVIDER_CODES.has(error.code)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isMistake(error)) {
    return new EngineError('bad_request', `a mistake in the adapter: ${error.name}: ${message}`, { cause: error });
  }
  // Mostly JSON.parse of what the vendor sent.
  if (error instanceof SyntaxError) return new EngineError('unparsable', message, { cause: error });
  return new EngineError('unavailable', message, { retry: { afterMs: 0 }, cause: error });
}

/** fetch() throws a TypeError, too, where a name, a connection or a certificate failed; that one has a cause. */
const isMistake = (error: unknown): error is Error =>
  MISTAKES.some((kind) => error instanceof kind) && error instanceof Error && error.cause === undefined;
