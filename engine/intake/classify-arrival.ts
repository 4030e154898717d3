import type { SecurityConfig } from '../config/types.ts';
import type { Found } from '../storage/ports/mail.ts';
import type { ThreadPatch, Tier } from '../storage/types/mail.ts';

import type { Admission, RefusalCode } from './admission.ts';
import { answersAnHour } from './circuit.ts';

type FoundThread = Found['threads'][number];

export type Classified =
  | { readonly kind: 'duplicate'; readonly threadId: string; readonly runId: string | null }
  | { readonly kind: 'refuse'; readonly code: RefusalCode }
  | {
      readonly kind: 'record';
      readonly code: 'loop_limit' | 'sender_rate_limited';
      readonly why: string;
      readonly tier: Tier;
      readonly threadId: string | null;
      readonly threadPatch: ThreadPatch | null;
      /** One notice to the owner under this key; null when it was already sent. */
      readonly noticeKey: string | null;
    }
  | {
      readonly kind: 'run';
      readonly tier: Tier;
      readonly thread: FoundThread | null;
      readonly threadPatch: ThreadPatch | null;
      /** What a new thread takes over from the one that it answers. */
      readonly inherits?: { readonly fast_replies: number; readonly answers_before: number };
    };

const HOUR_MS = 3_600_000;

/** As far as runs have to be counted to know of each limit whether it is reached; 0 when all are off. */
export function highestLimit(loopGuard: SecurityConfig['loop_guard'], perSenderPerHour: number | null): number {
  return Math.max(
    loopGuard.max_replies_per_sender_per_hour,
    loopGuard.max_replies_per_thread_per_hour,
    perSenderPerHour ?? 0,
  );
}

/** What becomes of an admitted mail, from what the rows say. Pure. */
export function classifyArrival(options: {
  found: Found;
  admission: Admission;
  sender: string | null;
  runsPerSenderPerHour: number | null;
  loopGuard: SecurityConfig['loop_guard'];
  /** What this gateway answered within the hour, all personas together. */
  answersOfAll: number;
  now: number;
}): Classified {
  const { found, admission, sender, now } = options;
  if (found.duplicate) {
    return { kind: 'duplicate', threadId: found.duplicate.thread_id, runId: found.duplicate.run_id };
  }
  const settled = settle(admission, found.threads);
  if (settled.verdict === 'refuse') return { kind: 'refuse', code: settled.code };
  const { tier } = settled;
  // Whoever copies a Message-ID does not join: only an owner, or somebody who already takes part.
  const mayJoin = ({ role }: FoundThread) => {
    if (tier === 'owner') return true;
    // `known` holds on its own thread only: another one named beside it lends nothing.
    return tier === 'known' ? role === 'known' : tier !== 'unauthenticated' && role !== null;
  };
  const thread = found.threads.find(mayJoin) ?? null;

  const hour = Math.floor(now / HOUR_MS);
  const limit = options.runsPerSenderPerHour;
  if (limit !== null && found.senderRuns >= limit) {
    const why = `${limit} mails an hour are this sender's limit`;
    return record('sender_rate_limited', why, tier, null, null, `sender_rate_limited:${sender}:${hour}`);
  }
  return guardLoops({ ...options, tier, thread });
}

/** What `known_or` comes to on the threads that a mail names. */
export function settle(admission: Admission, threads: Found['threads']): Exclude<Admission, { verdict: 'known_or' }> {
  if (admission.verdict !== 'known_or') return admission;
  return threads.some(({ role }) => role === 'known') ? { verdict: 'admit', tier: 'known' } : admission.otherwise;
}

/**
 * Header checks cannot stop two programs that answer each other; counting can. A limit of 0 is off. An owner's
 * mail starts the thread's count anew.
 */
function guardLoops(options: {
  found: Found;
  tier: Tier;
  thread: FoundThread | null;
  sender: string | null;
  loopGuard: SecurityConfig['loop_guard'];
  answersOfAll: number;
  now: number;
}): Classified {
  const { found, tier, thread, sender, loopGuard, now } = options;
  const hour = Math.floor(now / HOUR_MS);
  const perSender = loopGuard.max_replies_per_sender_per_hour;
  if (perSender > 0 && found.senderRuns >= perSender) {
    return record(
      'loop_limit',
      `${perSender} answers an hour went to this sender`,
      tier,
      null,
      null,
      `loop_limit:${sender}:${hour}`,
    );
  }
  const ofAll = answersAnHour(perSender);
  if (ofAll > 0 && options.answersOfAll >= ofAll && tier !== 'owner') {
    const why = `${ofAll} answers an hour left this gateway, and until that is over it answers owners alone`;
    return record('loop_limit', why, tier, null, null, `loop_limit:gateway:${hour}`);
  }
  if (!thread) return guardNewThread({ found, tier, loopGuard, now });
  const stop = (why: string, stoppedBefore: boolean): Classified =>
    record(
      'loop_limit',
      why,
      tier,
      thread.id,
      stoppedBefore ? null : { loop_stopped_at: now },
      stoppedBefore ? null : `loop_limit:${thread.id}:${now}`,
    );

  const stopped = thread.loop_stopped_at !== null && now - thread.loop_stopped_at < HOUR_MS;
  const perThread = loopGuard.max_replies_per_thread_per_hour;
  if (perThread > 0 && found.threadRuns >= perThread && found.threads[0]?.id === thread.id) {
    return stop(`${perThread} answers an hour went into this thread`, stopped);
  }
  if (tier === 'owner') {
    return { kind: 'run', tier, thread, threadPatch: { fast_replies: 0, loop_stopped_at: null } };
  }
  if (stopped) return stop('this thread was stopped within the last hour', true);
  const fast = thread.last_reply_at !== null && now - thread.last_reply_at < loopGuard.fast_reply_s * 1000;
  if (fast && loopGuard.max_fast_replies > 0 && thread.fast_replies >= loopGuard.max_fast_replies) {
    return stop(`${thread.fast_replies} answers in a row came back within ${loopGuard.fast_reply_s} s each`, false);
  }
  return {
    kind: 'run',
    tier,
    thread,
    threadPatch: { fast_replies: fast ? thread.fast_replies + 1 : 0, loop_stopped_at: null },
  };
}

/**
 * A mail that answers us and begins a new thread, since its sender takes no part in the old one, brings the count of
 * the old one along. Otherwise a system that writes from another address each time, as ticket systems do, would be
 * answered for ever. The old thread itself is left alone: a stranger's mail must not silence those who take part.
 */
function guardNewThread({
  found,
  tier,
  loopGuard,
  now,
}: {
  found: Found;
  tier: Tier;
  loopGuard: SecurityConfig['loop_guard'];
  now: number;
}): Classified {
  const before = found.threads[0];
  if (!before) return { kind: 'run', tier, thread: null, threadPatch: null };
  const stop = (why: string): Classified =>
    record('loop_limit', why, tier, before.id, null, `loop_limit:${before.id}:${Math.floor(now / HOUR_MS)}`);
  const { max_replies_per_thread_per_hour: perThread, fast_reply_s, max_fast_replies } = loopGuard;
  if (perThread > 0 && found.threadRuns >= perThread) {
    return stop(`${perThread} answers an hour went into this thread and those that came of it`);
  }
  const fast = before.last_reply_at !== null && now - before.last_reply_at < fast_reply_s * 1000;
  if (fast && max_fast_replies > 0 && before.fast_replies >= max_fast_replies) {
    return stop(`${before.fast_replies} answers in a row came back within ${fast_reply_s} s each`);
  }
  const inherits = { fast_replies: fast ? before.fast_replies + 1 : 0, answers_before: found.threadRuns };
  return { kind: 'run', tier, thread: null, threadPatch: null, inherits };
}

function record(
  code: 'loop_limit' | 'sender_rate_limited',
  why: string,
  tier: Tier,
  threadId: string | null,
  threadPatch: ThreadPatch | null,
  noticeKey: string | null,
): Classified {
  return { kind: 'record', code, why, tier, threadId, threadPatch, noticeKey };
}
