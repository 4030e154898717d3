import { type Failure, fieldOf, MAX_WAIT_MS, type VendorHabits } from '#contract/http';

const TOO_LONG =
  /token count .{0,80}exceeds|exceeds the maximum number of tokens|context (window|length)|input is too long/i;

export const habits: VendorHabits = {
  /** google.rpc.RetryInfo: `{"retryDelay": "34.5s"}`. The SDK hides the headers, so this is all there is. */
  waitMs(error) {
    const delays = detailsOf(error).map((detail) => fieldOf(detail, 'retryDelay'));
    const text = delays.find((delay) => typeof delay === 'string' && /^\d+(\.\d+)?s$/.test(delay));
    return Math.min(Math.ceil(Number.parseFloat(String(text ?? '0')) * 1000), MAX_WAIT_MS);
  },
  judge({ text, error }, usual): Failure {
    if (usual.code !== 'bad_request') return usual;
    // A wrong key is reported as a bad request.
    const isWrongKey = detailsOf(error).some((detail) => fieldOf(detail, 'reason') === 'API_KEY_INVALID');
    if (isWrongKey) return { code: 'auth', retry: 'never' };
    return TOO_LONG.test(text) ? { code: 'context_overflow', retry: 'never' } : usual;
  },
  /** The SDK stumbles over an answer of another shape with a TypeError; one from the network has a cause. */
  isMisread: (error) => error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined),
  /** Without the address that the SDK puts before them. */
  words: (message) => message.replace(/^(\[GoogleGenerativeAI Error\]: )?Error fetching from \S+: /, ''),
};

function detailsOf(error: unknown): readonly unknown[] {
  const details = fieldOf(error, 'errorDetails');
  return Array.isArray(details) ? details : [];
}
