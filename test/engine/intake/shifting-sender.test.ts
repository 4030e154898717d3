import { describe, expect, it } from 'vitest';
import { securitySchema } from '../../../engine/config/schemas.ts';
import { classifyArrival } from '../../../engine/intake/classify-arrival.ts';
import type { Found } from '../../../engine/storage/ports/mail.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const { loop_guard: loopGuard } = securitySchema.parse({});
const MINUTE = 60_000;

type Thread = Found['threads'][number];
/** A thread that the sender of the mail takes no part in. */
const foreign = (change: Partial<Thread> = {}): Thread => ({
  id: 't1',
  kind: 'thread',
  subject: 'Case 7',
  message_count: 2,
  history_from: 0,
  prefix_sha256: null,
  fast_replies: 0,
  answers_before: 0,
  last_reply_at: NOON - MINUTE,
  loop_stopped_at: null,
  begun_by_run: null,
  created_at: NOON - MINUTE,
  updated_at: NOON - MINUTE,
  role: null,
  ...change,
});

const classify = (thread: Thread, threadRuns = 1) =>
  classifyArrival({
    found: { duplicate: undefined, sameId: undefined, threads: [thread], senderRuns: 0, threadRuns },
    admission: { verdict: 'admit', tier: 'member' },
    sender: 'case-8@tickets.example',
    runsPerSenderPerHour: null,
    loopGuard,
    answersOfAll: 0,
    now: NOON,
  });

describe('a mail that answers a thread of ours from an address that takes no part in it', () => {
  it('begins a new thread that takes the count of the old one along', () => {
    const after = { kind: 'run', thread: null, threadPatch: null };
    expect(classify(foreign(), 7)).toMatchObject({ ...after, inherits: { fast_replies: 0, answers_before: 7 } });
    const fast = foreign({ last_reply_at: NOON - 1000, fast_replies: 1 });
    expect(classify(fast)).toMatchObject({ ...after, inherits: { fast_replies: 2, answers_before: 1 } });
  });

  it('is not answered when too many came back fast, whoever wrote them', () => {
    const fast = foreign({ last_reply_at: NOON - 1000, fast_replies: loopGuard.max_fast_replies });
    expect(classify(fast)).toMatchObject({ kind: 'record', code: 'loop_limit' });
  });

  it('is not answered when the line of threads has had its answers of the hour', () => {
    const stopped = classify(foreign(), loopGuard.max_replies_per_thread_per_hour);
    expect(stopped).toMatchObject({ kind: 'record', code: 'loop_limit' });
  });

  it('stops nobody who takes part in the old thread, and tells the owner once an hour', () => {
    const stopped = classify(foreign(), loopGuard.max_replies_per_thread_per_hour);
    expect(stopped).toMatchObject({ threadPatch: null, noticeKey: `loop_limit:t1:${Math.floor(NOON / 3_600_000)}` });
  });
});
