import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { securitySchema } from '../../../engine/config/schemas.ts';
import type { Admission } from '../../../engine/intake/admission.ts';
import { classifyArrival, highestLimit } from '../../../engine/intake/classify-arrival.ts';
import type { Found } from '../../../engine/storage/ports/mail.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const nothing: Found = { duplicate: undefined, sameId: undefined, threads: [], senderRuns: 0, threadRuns: 0 };
type Thread = Found['threads'][number];
const thread = (change: Partial<Thread> = {}): Thread => ({
  id: 't1',
  kind: 'thread',
  subject: 'Plan',
  message_count: 2,
  history_from: 0,
  prefix_sha256: null,
  fast_replies: 0,
  answers_before: 0,
  last_reply_at: null,
  loop_stopped_at: null,
  begun_by_run: null,
  created_at: 0,
  updated_at: 0,
  role: 'sender',
  ...change,
});
const admit = (tier: Tier) => ({ verdict: 'admit', tier }) as const;
const refuse: Admission = { verdict: 'refuse', code: 'sender_not_allowed' };
const knownOr: Admission = { verdict: 'known_or', otherwise: refuse };

const classify = (change: Partial<Parameters<typeof classifyArrival>[0]> & { loop?: object } = {}) =>
  classifyArrival({
    found: nothing,
    admission: admit('member'),
    sender: 'mia@member.example',
    runsPerSenderPerHour: null,
    loopGuard: securitySchema.parse({ loop_guard: change.loop ?? {} }).loop_guard,
    answersOfAll: 0,
    now: NOON,
    ...change,
  });

describe('an admitted mail', () => {
  it('begins a thread where it answers none', () => {
    expect(classify()).toEqual({ kind: 'run', tier: 'member', thread: null, threadPatch: null });
  });

  it('is a duplicate before anything else is asked', () => {
    const duplicate = { id: 'm1', thread_id: 't1', run_id: 'r1' };
    const found = { ...nothing, duplicate, senderRuns: 10_000 };
    expect(classify({ found, admission: refuse })).toEqual({ kind: 'duplicate', threadId: 't1', runId: 'r1' });
  });

  it.each<[string, Tier, Thread['role'], boolean]>([
    ['its own thread', 'member', 'sender', true],
    ['a thread that an owner put it on', 'known', 'known', true],
    ['another’s thread', 'member', null, false],
    ['another’s thread as an owner', 'owner', null, true],
    ['its own thread without proof of who it is', 'unauthenticated', 'sender', false],
  ])('that answers %s (%s) joins it or begins its own', (_what, tier, role, joins) => {
    const found = { ...nothing, threads: [thread({ role })] };
    expect(classify({ found, admission: admit(tier) })).toMatchObject({
      kind: 'run',
      thread: joins ? { id: 't1' } : null,
    });
  });

  it('joins the nearest thread in which its sender takes part', () => {
    const found = { ...nothing, threads: [thread({ role: null }), thread({ id: 't2' }), thread({ id: 't3' })] };
    expect(classify({ found })).toMatchObject({ thread: { id: 't2' } });
  });
});

describe('a mail whose sender is known on a thread or nobody', () => {
  it('is admitted as known where an owner put it on the thread', () => {
    const found = { ...nothing, threads: [thread({ role: 'known' })] };
    expect(classify({ found, admission: knownOr })).toMatchObject({ kind: 'run', tier: 'known' });
  });

  it('joins the thread on which it is known, not a nearer one that it only wrote into once', () => {
    const found = { ...nothing, threads: [thread({ role: 'sender' }), thread({ id: 't2', role: 'known' })] };
    expect(classify({ found, admission: knownOr })).toMatchObject({ tier: 'known', thread: { id: 't2' } });
  });

  it.each([
    ['no thread', []],
    ['a thread of others', [thread({ role: null })]],
    ['a thread that it only wrote into', [thread({ role: 'sender' })]],
  ])('is refused with %s', (_what, threads) => {
    expect(classify({ found: { ...nothing, threads }, admission: knownOr })).toEqual({
      kind: 'refuse',
      code: 'sender_not_allowed',
    });
  });

  it('falls back to what it is otherwise', () => {
    const admission: Admission = { verdict: 'known_or', otherwise: admit('stranger') };
    expect(classify({ admission })).toMatchObject({ kind: 'run', tier: 'stranger' });
  });
});

describe('too much mail', () => {
  it('is counted as far as the highest limit and no further', () => {
    const loopGuard = (change: object) => securitySchema.parse({ loop_guard: change }).loop_guard;
    const off = { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 };
    expect(highestLimit(loopGuard({}), null)).toBe(120);
    expect(highestLimit(loopGuard({}), 500)).toBe(500);
    expect(highestLimit(loopGuard({ max_replies_per_thread_per_hour: 300 }), 5)).toBe(300);
    expect(highestLimit(loopGuard(off), null)).toBe(0);
  });

  it('of everybody together leaves the gateway to its owners, with one notice an hour', () => {
    const stopped = classify({ answersOfAll: 12_000 });
    expect(stopped).toMatchObject({ kind: 'record', code: 'loop_limit', threadPatch: null });
    expect(stopped).toMatchObject({ noticeKey: expect.stringMatching(/^loop_limit:gateway:/) });
    expect(classify({ answersOfAll: 11_999 }).kind).toBe('run');
    expect(classify({ answersOfAll: 12_000, admission: admit('owner') }).kind).toBe('run');
    const off = { max_replies_per_sender_per_hour: 0 };
    expect(classify({ answersOfAll: 1_000_000, loop: off }).kind).toBe('run');
  });

  it('of one sender is recorded, with one notice an hour', () => {
    const found = { ...nothing, senderRuns: 5 };
    const first = classify({ found, runsPerSenderPerHour: 5 });
    expect(first).toMatchObject({ kind: 'record', code: 'sender_rate_limited' });
    const key = (now: number) => {
      const classified = classify({ found, runsPerSenderPerHour: 5, now });
      return classified.kind === 'record' ? classified.noticeKey : null;
    };
    expect(key(NOON + HOUR - 1)).toBe(key(NOON));
    expect(key(NOON + HOUR)).not.toBe(key(NOON));
    expect(classify({ found: { ...nothing, senderRuns: 4 }, runsPerSenderPerHour: 5 }).kind).toBe('run');
    expect(classify({ runsPerSenderPerHour: 0 })).toMatchObject({ code: 'sender_rate_limited' });
  });

  it('of one sender is stopped by the loop guard too', () => {
    expect(classify({ found: { ...nothing, senderRuns: 120 } })).toMatchObject({ kind: 'record', code: 'loop_limit' });
    const off = { max_replies_per_sender_per_hour: 0 };
    expect(classify({ found: { ...nothing, senderRuns: 9999 }, loop: off }).kind).toBe('run');
  });

  it('in one thread stops the thread, with one notice, for an hour', () => {
    const found = { ...nothing, threads: [thread()], threadRuns: 30 };
    const first = classify({ found });
    expect(first).toMatchObject({ code: 'loop_limit', threadPatch: { loop_stopped_at: NOON } });
    expect(first).not.toMatchObject({ noticeKey: null });

    const stopped = { ...nothing, threads: [thread({ loop_stopped_at: NOON - HOUR + 1 })], threadRuns: 3 };
    expect(classify({ found: stopped })).toMatchObject({ code: 'loop_limit', noticeKey: null, threadPatch: null });
    const later = { ...nothing, threads: [thread({ loop_stopped_at: NOON - HOUR })], threadRuns: 3 };
    expect(classify({ found: later }).kind).toBe('run');
  });

  it('that answers us within seconds is stopped after three in a row', () => {
    const fast = (fast_replies: number, last_reply_at = NOON - 29_000) =>
      classify({ found: { ...nothing, threads: [thread({ fast_replies, last_reply_at })] } });
    expect(fast(0)).toMatchObject({ kind: 'run', threadPatch: { fast_replies: 1 } });
    expect(fast(2)).toMatchObject({ kind: 'run', threadPatch: { fast_replies: 3 } });
    expect(fast(3)).toMatchObject({ kind: 'record', code: 'loop_limit' });
    expect(fast(3, NOON - 30_000)).toMatchObject({ kind: 'run', threadPatch: { fast_replies: 0 } });
  });

  it('is started anew by an owner, who is not taken for a loop', () => {
    const found = {
      ...nothing,
      threads: [thread({ fast_replies: 3, last_reply_at: NOON - 1, loop_stopped_at: NOON - 1 })],
    };
    expect(classify({ found, admission: admit('owner') })).toMatchObject({
      kind: 'run',
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
          const classified = classify({ found: { ...nothing, threads: [state] }, now });
          if (classified.kind !== 'run' && classified.kind !== 'record') continue;
          state = { ...state, ...(classified.threadPatch ?? {}) } as Thread;
          if (classified.kind === 'record') continue;
          answers += 1;
          state = { ...state, last_reply_at: now };
        }
        // The first mail answers nothing of ours; three fast ones follow it.
        expect(answers).toBeLessThanOrEqual(4);
      }),
    );
  });
});
