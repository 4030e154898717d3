import { describe, expect, it } from 'vitest';
import { createFairQueue, type Peer, type Rank } from '../../../../engine/lib/workers/fair-queue.ts';
import { createSlowPeers } from '../../../../engine/lib/workers/pool.ts';

const peer = (key: string, first = false): Peer => ({ key, first });
const house = peer('house', true);
const rankOf = ({ key, first }: Peer): Rank => (first ? 0 : key.startsWith('slow') ? 2 : 1);

function filled(...waiting: readonly (readonly [Peer, string])[]) {
  const queue = createFairQueue<string>(rankOf);
  for (const [who, item] of waiting) queue.push(who, item);
  return queue;
}
const all = (queue: ReturnType<typeof filled>) => {
  const taken: string[] = [];
  for (let item = queue.take(() => true); item !== undefined; item = queue.take(() => true)) taken.push(item);
  return taken;
};

describe('M1: a queue shared by peers', () => {
  it('serves them in turn, each in its own order', () => {
    const [many, one, other] = [peer('many'), peer('one'), peer('other')];
    const queue = filled([many, 'm1'], [many, 'm2'], [many, 'm3'], [one, 'o1'], [one, 'o2'], [other, 'x1']);
    expect(all(queue)).toEqual(['m1', 'o1', 'x1', 'm2', 'o2', 'm3']);
    expect(queue.isEmpty()).toBe(true);
  });

  it('serves the house before everybody and who was slow after everybody', () => {
    const queue = filled([peer('slow'), 's1'], [peer('anybody'), 'a1'], [house, 'h1'], [house, 'h2']);
    expect(all(queue)).toEqual(['h1', 'h2', 'a1', 's1']);
  });

  it('passes over a peer that may not go now, without losing its turn', () => {
    const [large, small] = [peer('large'), peer('small')];
    const queue = filled([large, 'l1'], [small, 's1'], [large, 'l2'], [small, 's2']);
    const notLarge = (_item: string, { key }: Peer) => key !== 'large';
    expect(queue.take(notLarge)).toBe('s1');
    expect(all(queue)).toEqual(['l1', 's2', 'l2']);
  });

  it('puts what has to begin anew before the rest of its peer', () => {
    const queue = filled([peer('a'), 'a2']);
    queue.unshift(peer('a'), 'a1');
    expect(queue.takeAll()).toEqual(['a1', 'a2']);
    expect(queue.isEmpty()).toBe(true);
  });
});

describe('M1: a peer that was slow', () => {
  it('is so for a minute from its last slow piece of work on', () => {
    const time = { now: 0 };
    const slow = createSlowPeers(() => time.now);
    slow.mark('x');
    time.now = 59_999;
    expect([slow.has('x'), slow.has('y')]).toEqual([true, false]);
    slow.mark('x');
    time.now = 119_998;
    expect(slow.has('x')).toBe(true);
    time.now = 119_999;
    expect(slow.has('x')).toBe(false);
  });

  it('is forgotten when too many others were slow since', () => {
    const slow = createSlowPeers(() => 0);
    for (let n = 0; n <= 10_000; n += 1) slow.mark(`${n}`);
    expect([slow.has('0'), slow.has('1'), slow.has('10000')]).toEqual([false, true, true]);
  });
});
