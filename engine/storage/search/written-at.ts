const DAY_MS = 86_400_000;
const LONGEST_MS = 20 * 365 * DAY_MS;

/**
 * When a mail was written, in Unix ms: as its sender dated it, and when it came where that lies ahead of its arrival or
 * decades behind it, as with a clock that was not set.
 */
export function writtenAt({
  date,
  received_at,
}: {
  readonly date: number | null;
  readonly received_at: number;
}): number {
  const isLikely = date !== null && date <= received_at + DAY_MS && date > received_at - LONGEST_MS;
  return isLikely ? date : received_at;
}
