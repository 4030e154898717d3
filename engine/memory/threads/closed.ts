import type { StoredThread } from '../../storage/types/mail.ts';

const DAY_MS = 86_400_000;

/** A thread without mail for so long is over; the next mail of it opens it again. Nothing is written for either. */
export const isClosed = (
  { updated_at: newest }: Pick<StoredThread, 'updated_at'>,
  { now, afterDays }: { readonly now: number; readonly afterDays: number },
): boolean => now - newest > afterDays * DAY_MS;
