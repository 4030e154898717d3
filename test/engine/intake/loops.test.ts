import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { securitySchema } from '../../../engine/config/schemas.ts';
import { guardLoops } from '../../../engine/intake/rules/loops.ts';
import type { ArrivalRows } from '../../../engine/storage/ports/mail.ts';
import { NO_ROWS, NOON, thread } from './facts.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

const guard = (
  rows: Partial<ArrivalRows> = {},
  change: Partial<Parameters<typeof guardLoops>[0]> & { loop?: object; joins?: boolean } = {},
) => {
  const arrival = { ...NO_ROWS, ...rows };
  const { loop = {}, joins = true, ...given } = change;
  return guardLoops({
    arrival,
    tier: 'member',
    thread: joins ? (arrival.threads[0] ?? null) : null,
    sender: 'mia@member.example',
    loopGuard: securitySchema.parse({ loop_guard: loop }).loop_guard,
    answersOfAll: 0,
    now: NOON,
    ...given,
  });
};

describe('too much mail', () => {
  it('of everybody together leaves the gateway to its owners, with one notice an hour', () => {
    const stopped = guard({}, { answersOfAll: 12_000 });
    expect(stopped).toMatchObject({ kind: 'stop', threadPatch: null });
    expect(stopped).toMatchObject({ noticeKey: expect.stringMatching(/^loop_limit:gateway:/) });
    expect(guard({}, { answersOfAll: 11_999 }).kind).toBe('go');
    expect(guard({}, { answersOfAll: 12_000, tier: 'owner' }).kind).toBe('go');
    const off = { max_replies_per_sender_per_hour: 0 };
    expect(guard({}, { answersOfAll: 1_000_000, loop: off }).kind).toBe('go');
  });

  it('of one sender is stopped, with one notice an hour', () => {
    const key = (now: number) => {
      const stopped = guard({ senderRuns: 120 }, { now });
      return stopped.kind === 'stop' ? stopped.noticeKey : null;
    };
    expect(key(NOON)).toMatch(/^loop_limit:mia@member\.example:/);
    expect(key(NOON + HOUR - 1)).toBe(key(NOON));
    expect(key(NOON + HOUR)).not.toBe(key(NOON));
    expect(guard({ senderRuns: 119 }).kind).toBe('go');
    const off = { max_replies_per_sender_per_hour: 0 };
    expect(guard({ senderRuns: 9999 }, { loop: off }).kind).toBe('go');
  });

  it('in one thread stops the thread, with one notice, for an hour', () => {
    const first = guard({ threads: [thread()], threadRuns: 30 });
    expect(first).toMatchObject({ kind: 'stop', threadPatch: { loop_stopped_at: NOON } });
    expect(first).not.toMatchObject({ noticeKey: null });

    const stopped = guard({ threads: [thread({ loop_stopped_at: NOON - HOUR + 1 })], threadRuns: 3 });
    expect(stopped).toMatchObject({ kind: 'stop', noticeKey: null, threadPatch: null });
    expect(guard({ threads: [thread({ loop_stopped_at: NOON - HOUR })], threadRuns: 3 }).kind).toBe('go');
  });

  it('that answers us within seconds is stopped after three in a row', () => {
    const fast = (fast_replies: number, last_reply_at = NOON - 29_000) =>
      guard({ threads: [thread({ fast_replies, last_reply_at })] });
    expect(fast(0)).toMatchObject({ kind: 'go', threadPatch: { fast_replies: 1 } });
    expect(fast(2)).toMatchObject({ kind: 'go', threadPatch: { fast_replies: 3 } });
    expect(fast(3)).toMatchObject({ kind: 'stop' });
    expect(fast(3, NOON - 30_000)).toMatchObject({ kind: 'go', threadPatch: { fast_replies: 0 } });
  });

  it('is not held by a clock that was ahead and came back', () => {
    const ahead = { last_reply_at: NOON + 24 * HOUR, fast_replies: 3, loop_stopped_at: NOON + 24 * HOUR };
    expect(guard({ threads: [thread(ahead)] })).toMatchObject({ kind: 'go', threadPatch: { fast_replies: 0 } });
    const little = { last_reply_at: NOON + 10_000, fast_replies: 3 };
    expect(guard({ threads: [thread(little)] }).kind).toBe('stop');
  });

  it('is started anew by an owner, who is not taken for a loop', () => {
    const stopped = thread({ fast_replies: 3, last_reply_at: NOON - 1, loop_stopped_at: NOON - 1 });
    expect(guard({ threads: [stopped] }, { tier: 'owner' })).toMatchObject({
      kind: 'go',
      threadPatch: { fast_replies: 0, loop_stopped_at: null },
    });
  });

  it('is never answered for ever: of fast answers without an owner at most three in a row get one', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 29_000 }), { minLength: 5, maxLength: 40 }), (gaps) => {
        let state = thread();
        let now = NOON;
        let answers = 0;
        for (const gap of gaps) {
          now += gap;
          const guarded = guard({ threads: [state] }, { now });
          const { fast_replies = state.fast_replies, loop_stopped_at = state.loop_stopped_at } =
            guarded.threadPatch ?? {};
          state = thread({ ...state, fast_replies, loop_stopped_at });
          if (guarded.kind === 'stop') continue;
          answers += 1;
          state = thread({ ...state, last_reply_at: now });
        }
        // The first mail answers nothing of ours; three fast ones follow it.
        expect(answers).toBeLessThanOrEqual(4);
      }),
    );
  });
});

describe('a mail that answers a thread of ours from an address that takes no part in it', () => {
  const { loop_guard: loopGuard } = securitySchema.parse({});
  /** A thread that the sender of the mail takes no part in. */
  const foreign = (change: Parameters<typeof thread>[0] = {}) =>
    thread({ role: null, last_reply_at: NOON - MINUTE, created_at: NOON - MINUTE, ...change });
  const guardForeign = (before: ReturnType<typeof foreign>, threadRuns = 1) =>
    guard({ threads: [before], threadRuns }, { joins: false, sender: 'case-8@tickets.example' });

  it('begins a new thread that takes the count of the old one along', () => {
    const after = { kind: 'go', threadPatch: null };
    expect(guardForeign(foreign(), 7)).toMatchObject({ ...after, inherits: { fast_replies: 0, answers_before: 7 } });
    const fast = foreign({ last_reply_at: NOON - 1000, fast_replies: 1 });
    expect(guardForeign(fast)).toMatchObject({ ...after, inherits: { fast_replies: 2, answers_before: 1 } });
  });

  it('is not answered when too many came back fast, whoever wrote them', () => {
    const fast = foreign({ last_reply_at: NOON - 1000, fast_replies: loopGuard.max_fast_replies });
    expect(guardForeign(fast)).toMatchObject({ kind: 'stop' });
  });

  it('stops nobody who takes part in the old thread, and tells the owner once an hour', () => {
    expect(guardForeign(foreign(), loopGuard.max_replies_per_thread_per_hour)).toMatchObject({
      kind: 'stop',
      threadPatch: null,
      noticeKey: `loop_limit:t1:${Math.floor(NOON / HOUR)}`,
    });
  });
});
