import type { SecurityConfig } from '../../config/types.ts';
import type { ArrivalRows, FoundThread } from '../../storage/ports/mail.ts';
import type { ThreadPatch, Tier } from '../../storage/types/mail.ts';
import { answersAnHour } from './circuit.ts';

/** An answer would take part in a loop. */
export interface LoopStop {
  readonly kind: 'stop';
  readonly threadId: string | null;
  readonly threadPatch: ThreadPatch | null;
  /** One notice to the owner under this key; null when it was already sent. */
  readonly noticeKey: string | null;
}

/** The mail may be answered, and this is counted. */
export interface LoopCount {
  readonly kind: 'go';
  readonly threadPatch: ThreadPatch | null;
  /** What a new thread takes over from the one that it answers. */
  readonly inherits?: { readonly fast_replies: number; readonly answers_before: number };
}

interface Given {
  readonly arrival: Pick<ArrivalRows, 'threads' | 'senderRuns' | 'threadRuns'>;
  readonly tier: Tier;
  /** The thread that the mail joins. */
  readonly thread: FoundThread | null;
  readonly sender: string | null;
  readonly loopGuard: SecurityConfig['loop_guard'];
  /** What this gateway answered within the hour, all personas together. */
  readonly answersOfAll: number;
  readonly now: number;
}

const HOUR_MS = 3_600_000;
export const hourOf = (now: number): number => Math.floor(now / HOUR_MS);

/**
 * Header checks cannot stop two programs that answer each other; counting can. A limit of 0 is off. An owner's mail
 * starts the thread's count anew. Pure.
 */
export function guardLoops(given: Given): LoopStop | LoopCount {
  const { arrival, tier, thread, sender, loopGuard, now } = given;
  const perSender = loopGuard.max_replies_per_sender_per_hour;
  if (perSender > 0 && arrival.senderRuns >= perSender) {
    const noticeKey = `loop_limit:${sender}:${hourOf(now)}`;
    return stop({ noticeKey });
  }
  const ofAll = answersAnHour(perSender);
  if (ofAll > 0 && given.answersOfAll >= ofAll && tier !== 'owner') {
    return stop({ noticeKey: `loop_limit:gateway:${hourOf(now)}` });
  }
  return thread ? guardThread({ ...given, thread }) : guardNewThread(given);
}

function guardThread({ arrival, tier, thread, loopGuard, now }: Given & { readonly thread: FoundThread }) {
  // A clock that was ahead and came back must not hold a thread for as long as it was ahead.
  const isStopped = thread.loop_stopped_at !== null && Math.abs(now - thread.loop_stopped_at) < HOUR_MS;
  const stillStopped = stop({ threadId: thread.id, noticeKey: null });
  const noticeKey = `loop_limit:${thread.id}:${now}`;
  const stopNow = stop({ threadId: thread.id, threadPatch: { loop_stopped_at: now }, noticeKey });
  const perThread = loopGuard.max_replies_per_thread_per_hour;
  if (perThread > 0 && arrival.threadRuns >= perThread && arrival.threads[0]?.id === thread.id) {
    return isStopped ? stillStopped : stopNow;
  }
  if (tier === 'owner') return go({ fast_replies: 0, loop_stopped_at: null });
  if (isStopped) return stillStopped;
  const isFast = answersFast(thread, loopGuard, now);
  if (isFast && loopGuard.max_fast_replies > 0 && thread.fast_replies >= loopGuard.max_fast_replies) {
    return stopNow;
  }
  return go({ fast_replies: isFast ? thread.fast_replies + 1 : 0, loop_stopped_at: null });
}

/**
 * A mail that answers us and begins a new thread, since its sender takes no part in the old one, brings the count of
 * the old one along. Otherwise a system that writes from another address each time, as ticket systems do, would be
 * answered for ever. The old thread itself is left alone: a stranger's mail must not silence those who take part.
 */
function guardNewThread({ arrival, loopGuard, now }: Given): LoopStop | LoopCount {
  const before = arrival.threads[0];
  if (!before) return go(null);
  const noticeKey = `loop_limit:${before.id}:${hourOf(now)}`;
  const perThread = loopGuard.max_replies_per_thread_per_hour;
  if (perThread > 0 && arrival.threadRuns >= perThread) {
    return stop({ threadId: before.id, noticeKey });
  }
  const isFast = answersFast(before, loopGuard, now);
  const { max_fast_replies: most } = loopGuard;
  if (isFast && most > 0 && before.fast_replies >= most) {
    return stop({ threadId: before.id, noticeKey });
  }
  const inherits = { fast_replies: isFast ? before.fast_replies + 1 : 0, answers_before: arrival.threadRuns };
  return { kind: 'go', threadPatch: null, inherits };
}

const answersFast = ({ last_reply_at: at }: FoundThread, { fast_reply_s }: Given['loopGuard'], now: number): boolean =>
  at !== null && Math.abs(now - at) < fast_reply_s * 1000;

const go = (threadPatch: ThreadPatch | null): LoopCount => ({ kind: 'go', threadPatch });

const stop = (fields: Pick<LoopStop, 'noticeKey'> & Partial<LoopStop>): LoopStop => ({
  kind: 'stop',
  threadId: null,
  threadPatch: null,
  ...fields,
});
