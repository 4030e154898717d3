/**
 * Milliseconds that this thread has computed so far. Between two of them lies what the work itself took: unlike a clock
 * it does not go on while the machine works for others.
 */
export function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Does it, and tells the longest that this thread computed at a stretch meanwhile, in ms: so long its event loop stood still. */
export async function standstillOf<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly ms: number }> {
  const seen = { at: computedMs(), longest: 0 };
  const look = () => {
    const now = computedMs();
    seen.longest = Math.max(seen.longest, now - seen.at);
    seen.at = now;
  };
  const timer = setInterval(look, 5);
  try {
    const result = await work();
    look();
    return { result, ms: seen.longest };
  } finally {
    clearInterval(timer);
  }
}
