import { dateOf } from './folder.ts';
import { fetchByUid, type Session, searchUids } from './session.ts';

export interface Listed {
  readonly uid: number;
  readonly bytes: number;
  readonly internalDate: number;
  /** Somebody threw it away. */
  readonly isDeleted?: boolean;
}

/** UIDs past the cursor, oldest first. `n:*` always names the last mail, also when it is older (RFC 3501). */
export async function newUids(session: Session, after: number): Promise<number[]> {
  const found = await searchUids(session, { uid: `${after + 1}:*` });
  return found.filter((uid) => uid > after);
}

/** Sizes before bodies. A UID that is not in the answer has been expunged in between. */
export async function listMail(session: Session, range: string, now: number): Promise<Listed[]> {
  const found = await fetchByUid(session, range, { size: true, internalDate: true, flags: true });
  return found
    .map(({ uid, size, internalDate, flags }) => ({
      ...{ uid, bytes: size ?? 0, internalDate: dateOf(internalDate, now) },
      ...(flags?.has('\\Deleted') ? { isDeleted: true } : {}),
    }))
    .toSorted((a, b) => a.uid - b.uid);
}

/**
 * Pure. Neighbours that are fetched by one command: at most `messages` of them and `bytes` in memory. A mail that
 * has failed before goes alone, so that it cannot take others with it.
 */
export function inBatches(
  mails: readonly Listed[],
  limits: { messages: number; bytes: number; hasFailed(uid: number): boolean },
): Listed[][] {
  const batches: Listed[][] = [];
  let batch: Listed[] = [];
  let bytes = 0;
  let isAlone = false;
  for (const mail of mails) {
    const hasFailed = limits.hasFailed(mail.uid);
    const isFull = batch.length >= limits.messages || bytes + mail.bytes > limits.bytes;
    if (batch.length > 0 && (isFull || hasFailed || isAlone)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(mail);
    bytes += mail.bytes;
    isAlone = hasFailed;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_unused, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
