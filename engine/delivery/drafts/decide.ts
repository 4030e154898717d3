import { backoffMs } from '../../lib/backoff.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts';
import type { AppendedDraft, SeenDraft } from '../../storage/types/drafts.ts';

/** How long a draft may be missing before it counts as deleted: mail programs remove it before its copy lies in Sent. */
const MISSED_MS = 2 * MINUTE_MS;
/** A draft that was deleted is looked for on: what waits in a program's own outbox is filed when it has left. */
const AFTER_DELETED_MS = DAY_MS;
const LATE_LOOK_MS = 30 * MINUTE_MS;
/** How long after an APPEND without an answer the server may still store the draft. */
const IN_DOUBT_MS = 2 * MINUTE_MS;
const LOOK_AGAIN_MS = 30_000;
const AUTH_RETRY_MS = 5 * MINUTE_MS;

/** How rarely it is looked for, by its age: people send drafts within hours, if at all. */
const PACE: readonly (readonly [age: number, every: number])[] = [
  [15 * MINUTE_MS, MINUTE_MS],
  [2 * HOUR_MS, 5 * MINUTE_MS],
  [DAY_MS, 15 * MINUTE_MS],
  [7 * DAY_MS, HOUR_MS],
];
const SLOWEST_MS = 6 * HOUR_MS;

/** When it is looked for next; null once `watchMs` are over since it was put there. */
export function nextLook(appendedAt: number, now: number, watchMs: number): number | null {
  if (now - appendedAt >= watchMs) return null;
  const every = PACE.find(([age]) => now - appendedAt < age)?.[1] ?? SLOWEST_MS;
  return Math.min(now + every, appendedAt + watchMs);
}

type AfterLook =
  /** `back`: it counted as deleted. */
  | { readonly next: 'lies'; readonly lookAt: number | null; readonly back: boolean }
  | { readonly next: 'sent' }
  | { readonly next: 'missed'; readonly since: number; readonly lookAt: number }
  | { readonly next: 'deleted'; readonly since: number; readonly lookAt: number | null };

/** What is known of a draft after a look. Pure. */
export function afterLook(
  draft: { readonly state: 'draft' | 'deleted'; readonly appendedAt: number; readonly goneSince: number | null },
  found: SeenDraft['in'],
  { now, watchMs }: { readonly now: number; readonly watchMs: number },
): AfterLook {
  const back = draft.state === 'deleted';
  if (found === 'drafts') return { next: 'lies', lookAt: nextLook(draft.appendedAt, now, watchMs), back };
  if (found === 'sent') return { next: 'sent' };
  const since = draft.goneSince ?? now;
  if (now - since < MISSED_MS) return { next: 'missed', since, lookAt: now + LOOK_AGAIN_MS };
  const isOver = now - since >= AFTER_DELETED_MS;
  return { next: 'deleted', since, lookAt: isOver ? null : now + LATE_LOOK_MS };
}

/** What becomes of a mail that nobody answered about: dead process, or a line that broke off. */
type InDoubt = { readonly step: 'append' } | { readonly step: 'look_again'; readonly at: number };

export const afterDoubt = (unknownSince: number, now: number): InDoubt =>
  now - unknownSince >= IN_DOUBT_MS
    ? { step: 'append' }
    : { step: 'look_again', at: Math.min(now + LOOK_AGAIN_MS, unknownSince + IN_DOUBT_MS) };

export type DraftFailure = 'no_imap' | 'no_drafts_folder' | 'given_up';

type AfterAppend =
  | { readonly state: 'queued' | 'unknown'; readonly at: number; readonly error: string }
  | { readonly state: 'failed'; readonly why: DraftFailure; readonly error: string };

/** What an attempt that did not put it there leaves. Pure. */
export function afterAppend(
  mail: { readonly attempts: number; readonly tryingSince: number },
  outcome: Exclude<AppendedDraft, { kind: 'lies' }>,
  times: { readonly firstRetryMs: number; readonly maxRetryMs: number; readonly giveUpMs: number },
  { now, random }: { readonly now: number; readonly random: number },
): AfterAppend {
  if (outcome.kind === 'no_folder') {
    return { state: 'failed', why: 'no_drafts_folder', error: 'the mailbox has no folder for drafts' };
  }
  const error = outcome.message.slice(0, 500);
  if (outcome.kind === 'unknown') return { state: 'unknown', at: now + LOOK_AGAIN_MS, error };
  if (now - mail.tryingSince >= times.giveUpMs) return { state: 'failed', why: 'given_up', error };
  const attempt = mail.attempts + 1;
  const wait = backoffMs({ attempt, firstMs: times.firstRetryMs, maxMs: times.maxRetryMs, random });
  return { state: 'queued', at: now + (outcome.kind === 'auth' ? Math.max(wait, AUTH_RETRY_MS) : wait), error };
}
