import type { StoredThread } from '../../storage/types/mail.ts';

const DAY_MS = 86_400_000;

/** Threads whose newest mail is older are closed. */
export const closedBefore = (now: number, afterDays: number): number => now - afterDays * DAY_MS;

/** A thread without mail for so long is over; the next mail of it opens it again. */
export const isClosed = (
  { updated_at: newest }: Pick<StoredThread, 'updated_at'>,
  { now, afterDays }: { readonly now: number; readonly afterDays: number },
): boolean => newest < closedBefore(now, afterDays);
