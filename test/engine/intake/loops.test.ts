import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { securitySchema } from '../../../engine/config/schemas.ts';
import { familyOf } from '../../../engine/intake/look.ts';
import { guardLoops } from '../../../engine/intake/rules/loops.ts';
import type { ArrivalRows } from '../../../engine/storage/ports/mail.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';
import { letter, NO_ROWS, NOON, thread } from './facts.ts';

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

  it('is not held by a clock that was ahead and came back', () => {
    const ahead = { loop_stopped_at: NOON + 24 * HOUR };
    expect(guard({ threads: [thread(ahead)] })).toMatchObject({ kind: 'go', threadPatch: { loop_stopped_at: null } });
    expect(guard({ alike: [letter({ state: 'stopped', at: NOON + HOUR })] }).kind).toBe('go');
  });

  it('is started anew by an owner, who is not taken for a loop', () => {
    const stopped = thread({ loop_stopped_at: NOON - 1 });
    const alike = [letter({ state: 'stopped' }), letter({ in_row: 9, pace: 99, near: true })];
    for (const threadRuns of [0, 30, 119]) {
      expect(guard({ threads: [stopped], alike, threadRuns, senderRuns: threadRuns }, { tier: 'owner' })).toEqual({
        kind: 'go',
        threadPatch: { fast_replies: 0, loop_stopped_at: null },
        count: null,
        later: null,
      });
    }
    expect(guard({ threads: [thread()], threadRuns: 120, senderRuns: 120 }, { tier: 'owner' }).kind).toBe('stop');
  });

  it('is told to whoever sent it and is proven, and to nobody else', () => {
    const tells = (rows: Partial<ArrivalRows>, tier: Tier) => {
      const guarded = guard(rows, { tier });
      return guarded.kind === 'stop' ? guarded.tells : undefined;
    };
    const much = { senderRuns: 120 };
    const long = { threads: [thread()], threadRuns: 30 };
    for (const tier of ['member', 'known', 'stranger'] as const) {
      expect([tells(much, tier), tells(long, tier)]).toEqual(['sender', 'sender']);
    }
    expect([tells(much, 'unauthenticated'), tells(long, 'unauthenticated')]).toEqual([null, null]);
    expect(tells(much, 'owner')).toBeNull();
    const wild = guard({}, { answersOfAll: 12_000 });
    expect(wild).toMatchObject({ kind: 'stop', tells: null });
  });
});

describe('letters that come back at once after our answers', () => {
  const row = (in_row: number, change: Parameters<typeof letter>[0] = {}) => [
    letter({ in_row, pace: in_row, ...change }),
  ];

  it('are counted, and begin anew with a slower one', () => {
    expect(guard({ alike: [] })).toMatchObject({ kind: 'go', count: { state: 'answered', in_row: 0, pace: 0 } });
    expect(guard({ alike: row(0) })).toMatchObject({ kind: 'go', count: { in_row: 1, pace: 1 } });
    expect(guard({ alike: row(2, { near: true }) })).toMatchObject({ kind: 'go', count: { in_row: 3 }, later: null });
    expect(guard({ alike: row(3, { fresh: false, state: 'later', until: NOON + 1 }) })).toMatchObject({
      count: { state: 'answered', in_row: 0 },
    });
    expect(guard({ alike: row(99) }, { loop: { max_fast_replies: 0 } })).toMatchObject({ kind: 'go', count: null });
  });

  it('are stopped after three where they say nearly the same, with one notice and one note', () => {
    expect(guard({ alike: row(3, { near: true }) })).toMatchObject({
      kind: 'stop',
      tells: 'sender',
      count: { state: 'stopped', for_words: 1, told: 1 },
      noticeKey: `loop_limit:mia@member.example:${NOON}`,
    });
    const stopped = letter({ state: 'stopped', for_words: 1, near: true, told: 1, fresh: false });
    expect(guard({ alike: [stopped] })).toEqual({
      kind: 'stop',
      threadId: null,
      threadPatch: null,
      noticeKey: null,
      tells: null,
      count: null,
    });
    // What else they write is answered, and an hour later the same is.
    expect(guard({ alike: [{ ...stopped, near: false }] }).kind).toBe('go');
    expect(guard({ alike: [{ ...stopped, at: NOON - HOUR }] }).kind).toBe('go');
  });

  it('wait where a proven sender has words of their own, and are stopped only when all begins again', () => {
    const until = NOON + 15 * MINUTE;
    const first = guard({ alike: row(3) });
    expect(first).toMatchObject({
      kind: 'go',
      later: { until, tells: true },
      count: { state: 'later', told: 1, until },
    });
    const waits = letter({ state: 'later', until: NOON + MINUTE, told: 1, in_row: 4 });
    expect(guard({ alike: [waits] })).toMatchObject({ later: { until: NOON + MINUTE, tells: false } });
    const over = { ...waits, until: NOON - 1, fresh: false };
    expect(guard({ alike: [over, ...row(1)] })).toMatchObject({ kind: 'go', later: null });
    expect(guard({ alike: [over, ...row(3)] })).toMatchObject({
      kind: 'stop',
      tells: 'sender',
      count: { state: 'stopped', for_words: 0 },
    });
    const stopped = letter({ state: 'stopped', told: 1, fresh: false });
    expect(guard({ alike: [stopped] })).toMatchObject({ kind: 'stop', noticeKey: null, tells: null });
    expect(guard({ alike: [{ ...stopped, own: false, near: true }] }).kind).toBe('go');
  });

  it('are one less under another name: the first may have had other words', () => {
    const under = (in_row: number) => guard({ alike: row(in_row, { own: false, near: true }) });
    expect(under(0)).toMatchObject({ kind: 'go', count: { in_row: 2 } });
    expect(under(2)).toMatchObject({ kind: 'go', count: { in_row: 3 } });
    expect(under(3)).toMatchObject({ kind: 'stop' });
  });

  it('are stopped at once, and nobody is told, where nobody is proven', () => {
    expect(guard({ alike: row(3, { sameSubject: false }) }, { tier: 'unauthenticated' })).toMatchObject({
      kind: 'stop',
      tells: null,
      count: { state: 'stopped', told: 0 },
    });
  });

  it('may be many where each begins another subject, as people do who get through their work', () => {
    const other = { sameSubject: false, in_row: 0 };
    expect(guard({ alike: row(11, other) })).toMatchObject({ kind: 'go', later: null, count: { in_row: 0, pace: 12 } });
    expect(guard({ alike: row(12, other) })).toMatchObject({ kind: 'go', later: { tells: true } });
  });

  it('go on with the mail that they name, whatever their subject is, and with none of another thread', () => {
    const elsewhere = { threads: [thread({ id: 't2' })] };
    expect(guard({ ...elsewhere, alike: row(3) })).toMatchObject({ later: null, count: { in_row: 0 } });
    expect(guard({ threads: [thread()], alike: row(3, { sameSubject: false }) })).toMatchObject({
      later: { tells: true },
    });
    expect(guard({ ...elsewhere, alike: row(3, { near: true }) }).kind).toBe('stop');
  });

  it('of a crowd with one text are told to each of them, and not for ever', () => {
    const crowd = (told: number) => [letter({ state: 'stopped', for_words: 1, near: true, own: false, told })];
    expect(guard({ alike: crowd(1) })).toMatchObject({
      kind: 'stop',
      tells: 'sender',
      noticeKey: null,
      count: { told: 2 },
    });
    expect(guard({ alike: crowd(59) })).toMatchObject({ tells: 'sender', count: { told: 60 } });
    expect(guard({ alike: crowd(60) })).toMatchObject({ kind: 'stop', tells: null, count: null });
    // Who says the same a minute later is nobody's echo.
    expect(guard({ alike: crowd(1).map((one) => ({ ...one, fresh: false })) })).toMatchObject({
      kind: 'go',
      later: null,
    });
  });

  it.each(['member', 'unauthenticated'] as const)(
    'of a program (%s) are answered four times and told of twice at most, however fast they come',
    (tier) => {
      const gapsMs = fc.array(fc.nat({ max: 29_000 }), { minLength: 5, maxLength: 25 });
      fc.assert(
        fc.property(gapsMs, fc.boolean(), (gaps, near) => {
          const { answers, told } = exchange(gaps, { near, tier });
          // The first mail answers nothing of ours; three fast ones follow it.
          expect(answers).toBeLessThanOrEqual(4);
          expect(told).toBeLessThanOrEqual(tier === 'member' ? 2 : 0);
        }),
      );
    },
  );
});

/** A program that writes so long after each mail of ours; how often it was answered, and told of it. */
function exchange(gapsMs: readonly number[], { near, tier }: { near: boolean; tier: Tier }) {
  const figures = { answers: 0, told: 0 };
  let rows: ReturnType<typeof letter>[] = [];
  let now = NOON;
  for (const gap of gapsMs) {
    now += gap;
    const alike = rows.map((one) => ({ ...one, near, fresh: now - (one.replied_at ?? 0) < 30_000 }));
    const guarded = guard({ alike }, { now, tier });
    const isAnswered = guarded.kind === 'go' && guarded.later === null;
    const isTold = guarded.kind === 'go' ? guarded.later?.tells === true : guarded.tells !== null;
    if (isAnswered) figures.answers += 1;
    if (isTold) figures.told += 1;
    // Where nothing leaves, nothing comes back.
    if (!isAnswered && !isTold) break;
    if (guarded.count) rows = [letter({ ...guarded.count, at: now, replied_at: now }), ...rows];
  }
  return figures;
}

describe('addresses of one family', () => {
  it.each([
    ['ticket+17@help.example', 'ticket+a8@help.example'],
    ['case-17@help.example', 'CASE-2034@help.example'],
    ['r.a8f3c2@help.example', 'r.77b1d0@help.example'],
    ['bot@h1.mail.example', 'bot@eu.mail.example'],
    ['bot@mx1.example', 'bot@mx22.example'],
  ])('%s, %s', (one, other) => {
    expect(familyOf(one)).toBe(familyOf(other));
  });

  it.each([
    ['anna@help.example', 'bert@help.example'],
    ['info@anna.co.uk', 'info@bert.co.uk'],
    ['info@anna.example', 'info@bert.example'],
    ['ticket@help.example', 'tickets@help.example'],
  ])('not %s, %s', (one, other) => {
    expect(familyOf(one)).not.toBe(familyOf(other));
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
