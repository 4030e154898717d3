import { fieldOf, MAX_WAIT_MS, type VendorHabits } from '#contract/http';

export const habits: VendorHabits = {
  /** google.rpc.RetryInfo: `{"retryDelay": "34.5s"}`. The SDK hides the headers, so this is all there is. */
  waitMs(error) {
    const delays = detailsOf(error).map((detail) => fieldOf(detail, 'retryDelay'));
    const text = delays.find((delay) => typeof delay === 'string' && /^\d+(\.\d+)?s$/.test(delay));
    return Math.min(Math.ceil(Number.parseFloat(String(text ?? '0')) * 1000), MAX_WAIT_MS);
  },
  judge({ status }, usual) {
    // Its 404 is about the model, whose name is all that the address of a call says.
    return status === 404 && usual.code === 'model_gone' ? { whose: 'setup' } : {};
  },
  /** The SDK stumbles over an answer of another shape with a TypeError; one from the network has a cause. */
  isMisread: (error) => error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined),
  /** Before an answer comes the SDK has put an error of its own around that of the network. */
  isBrokenOff: (error) => error instanceof TypeError && error.cause !== undefined,
  /** Without the address and the status line that the SDK puts before them. */
  words: (message) =>
    message.replace(/^(\[GoogleGenerativeAI Error\]: )?Error fetching from \S+: (\[\d{3}[^\]]*\] ?)?/, ''),
};

function detailsOf(error: unknown): readonly unknown[] {
  const details = fieldOf(error, 'errorDetails');
  return Array.isArray(details) ? details : [];
}
