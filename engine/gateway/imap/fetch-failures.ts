/**
 * Counts how often fetching a mail failed. A mail that always breaks the connection would otherwise stop the
 * queue for ever. A lost line weighs less than a refusal: it is rarely the mail's fault.
 */
export interface FetchFailures {
  has(uid: number): boolean;
  note(uids: readonly number[], weight: 'line' | 'refused'): void;
  clear(uid: number): void;
  /** It has had its chances: record it as unreadable and go on. */
  isHopeless(uid: number): boolean;
  reset(): void;
}

const WEIGHTS = { line: 1, refused: 4 };
/** Three refusals, or twelve lost lines: with the backoff that is more than ten minutes. */
const LIMIT = 12;

export function createFetchFailures(): FetchFailures {
  const counts = new Map<number, number>();
  return {
    has: (uid) => counts.has(uid),
    note(uids, weight) {
      for (const uid of uids) counts.set(uid, (counts.get(uid) ?? 0) + WEIGHTS[weight]);
    },
    clear: (uid) => void counts.delete(uid),
    isHopeless: (uid) => (counts.get(uid) ?? 0) >= LIMIT,
    reset: () => counts.clear(),
  };
}
