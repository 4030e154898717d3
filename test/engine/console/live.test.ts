import { describe, expect, it } from 'vitest';
import { createAllowance, createLive } from '../../../engine/console/live.ts';
import { createChanges } from '../../../engine/lib/changes.ts';
import { systemClock } from '../../../engine/lib/clock.ts';
import type { ConsoleViewer } from '../../../engine/queries/viewer.ts';

const BOB: ConsoleViewer = {
  address: 'bob@x.test',
  role: 'owner',
  personas: new Set(['ben', ...Array.from({ length: 100 }, (_, number) => `p${number}`)]),
  ownsGateway: false,
};

function desk(at = Date.now()) {
  const changes = createChanges();
  const time = { now: at };
  const elsewhere: string[] = [];
  const heed = async () => {
    for (const persona of elsewhere.splice(0)) changes.tell({ kind: 'persona', persona });
  };
  const live = createLive({ changes, clock: { ...systemClock(), now: () => time.now }, epoch: 'e', heed });
  /** A reader; `texts` is what reached it. */
  const reader = (
    given: { viewer?: () => Promise<ConsoleViewer | null>; lastId?: string | null; id?: string } = {},
  ) => {
    const texts: string[] = [];
    const gone = new AbortController();
    const heard = { next: Promise.withResolvers<void>() };
    const run = live.open({ id: 's', viewer: async () => BOB, lastId: null, ...given });
    const write = async (text: string) => {
      texts.push(text);
      heard.next.resolve();
      heard.next = Promise.withResolvers();
    };
    const done = run?.({ signal: gone.signal, write });
    return {
      texts,
      taken: run !== null,
      done,
      leave: async () => {
        gone.abort();
        await done;
      },
      /** Resolves with the first text of an event that is not there yet. */
      async hears(): Promise<string> {
        const known = texts.filter((text) => text.startsWith('event:')).length;
        for (;;) {
          const events = texts.filter((text) => text.startsWith('event:'));
          if (events.length > known) return events.at(-1) ?? '';
          await heard.next.promise;
        }
      },
    };
  };
  return { changes, live, reader, time, elsewhere };
}
const listening = () => new Promise((resolve) => setImmediate(resolve));
const dataOf = (text: string): unknown => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null');

describe('an open page', () => {
  it('hears by kind and id what has changed of what its viewer may see, and each thing once', async () => {
    const { changes, reader } = desk();
    const bob = reader();
    const heard = bob.hears();
    await listening();
    for (let times = 0; times < 50; times += 1) {
      changes.tell({ kind: 'persona', persona: 'ada' });
      changes.tell({ kind: 'mail', persona: null });
      changes.tell({ kind: 'persona', persona: 'ben' });
      changes.tell({ kind: 'mail', persona: 'ben' });
    }
    const text = await heard;
    expect(dataOf(text)).toEqual(['persona ben', 'mail ben']);
    expect(text).toContain(`id: e-${changes.count()}`);
    await bob.leave();
  });

  it('hears that all has changed where it is much, and after it was away', async () => {
    const { changes, reader } = desk();
    const bob = reader();
    const heard = bob.hears();
    await listening();
    for (let number = 0; number < 100; number += 1) changes.tell({ kind: 'persona', persona: `p${number}` });
    expect(dataOf(await heard)).toEqual(['all']);
    const back = reader({ lastId: 'e-3' });
    expect(dataOf(await back.hears())).toEqual(['all']);
    await bob.leave();
    await back.leave();
  });

  it('hears of what changed while it was looked up who it is', async () => {
    const { changes, reader, live } = desk();
    const looked = Promise.withResolvers<ConsoleViewer>();
    const bob = reader({ lastId: live.idNow(), viewer: () => looked.promise });
    const heard = bob.hears();
    changes.tell({ kind: 'persona', persona: 'ben' });
    looked.resolve(BOB);
    expect(dataOf(await heard)).toEqual(['all']);
    await bob.leave();
  });

  it('hears of what another process has changed, when it comes and as long as it stays', async () => {
    const { reader, elsewhere, live } = desk();
    const bob = reader();
    elsewhere.push('ben');
    expect(dataOf(await bob.hears())).toEqual(['persona ben']);
    elsewhere.push('p1');
    expect(dataOf(await bob.hears())).toEqual(['persona p1']);
    await bob.leave();
    // Nobody listens, so nobody asks; whoever comes next is told.
    elsewhere.push('p2');
    const next = reader({ lastId: live.idNow() });
    expect(dataOf(await next.hears())).toEqual(expect.arrayContaining([expect.stringMatching(/^(all|persona p2)$/)]));
    await next.leave();
  });

  it('hears nothing more once its session is over, or its time', async () => {
    const { changes, reader, time, live } = desk();
    let isIn = true;
    const bob = reader({ viewer: async () => (isIn ? BOB : null) });
    await listening();
    isIn = false;
    changes.tell({ kind: 'persona', persona: 'ben' });
    expect(await bob.done).toBe('over');
    expect(bob.texts.join('')).not.toContain('ben');
    const late = reader();
    const heard = late.hears();
    await listening();
    time.now += 16 * 60_000;
    changes.tell({ kind: 'persona', persona: 'ben' });
    await heard;
    expect(await late.done).toBe('over');
    expect(live.count()).toBe(0);
  });

  it('is one of no more than can be kept', async () => {
    const { reader, live } = desk();
    const many = Array.from({ length: 12 }, () => reader());
    expect(reader().taken).toBe(false);
    const others = Array.from({ length: 200 }, (_, number) => reader({ id: `s${number}` }));
    expect(others.filter(({ taken }) => taken)).toHaveLength(188);
    await Promise.all([...many, ...others].filter(({ taken }) => taken).map((one) => one.leave()));
    expect(live.count()).toBe(0);
    expect(reader().taken).toBe(true);
  });
});

describe('a page under which something changes all the time', () => {
  it('is told at once a few times, then every fifteen seconds, and at once again after it was quiet', () => {
    const time = { now: 0 };
    const allowance = createAllowance({ now: () => time.now });
    const waits = Array.from({ length: 7 }, () => allowance.take());
    expect(waits).toEqual([0, 0, 0, 0, 0, 0, 0]);
    for (let times = 0; times < 3; times += 1) {
      const wait = allowance.take();
      expect(wait).toBe(15_000);
      time.now += wait;
    }
    time.now += 10 * 60_000;
    expect(allowance.take()).toBe(0);
  });

  it('is told within a second of all others, whenever it was opened', () => {
    const time = { now: 0 };
    const nextOf = (at: number, place: number): number => {
      time.now = at;
      const allowance = createAllowance({ now: () => time.now }, place);
      for (;;) {
        const wait = allowance.take();
        if (wait > 0) return time.now + wait;
      }
    };
    const told = [nextOf(1000, 0), nextOf(4000, 1), nextOf(9000, 19)];
    expect(told).toEqual([15_000, 15_050, 15_950]);
  });
});
