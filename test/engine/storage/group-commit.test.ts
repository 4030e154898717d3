import { beforeEach, describe, expect, it } from 'vitest';
import { createGroupCommit, type GroupCommit } from '../../../engine/storage/sqlite/database/transactions.ts';

let now: number;
let planned: { ms: number; turn: () => void } | null;
let isBusy: boolean;
let turns: GroupCommit;
let calls: string[];
let flushed: PromiseWithResolvers<void>;

beforeEach(() => {
  now = 1000;
  planned = null;
  isBusy = false;
  calls = [];
  flushed = Promise.withResolvers();
  flushed.resolve();
  const plan = (ms: number, turn: () => void) => {
    planned = { ms, turn };
    return () => {
      planned = null;
    };
  };
  turns = createGroupCommit({
    now: () => now,
    after: plan,
    whenIdle(ms, turn) {
      if (isBusy) return plan(ms, turn);
      turn();
      return () => {};
    },
  });
});

/** A database whose commits take 2 ms. */
const database = (name: string, transactions: number) => async () => {
  calls.push(name);
  return { transactions, ms: 2, flushed: flushed.promise };
};

async function takeTurn(): Promise<void> {
  const { turn } = planned ?? { turn: () => {} };
  planned = null;
  turn();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('turns to commit in', () => {
  it('come at once while there is one transaction at a time', async () => {
    for (let round = 0; round < 3; round += 1) {
      turns.request(database('a', 1));
      expect(planned?.ms).toBe(0);
      await takeTurn();
    }
    expect(calls).toEqual(['a', 'a', 'a']);
  });

  it('commit each database once, whatever waits for it', async () => {
    const [a, b] = [database('a', 2), database('b', 1)];
    for (const commit of [a, b, a]) turns.request(commit);
    await takeTurn();
    expect(calls).toEqual(['a', 'b']);
  });

  it('let the process work after one that had several, in proportion to what it waited for', async () => {
    turns.request(database('a', 2));
    await takeTurn();
    now += 1;
    turns.request(database('a', 1));
    expect(planned?.ms).toBe(2 * 2 - 1);
    now += 100;
    await takeTurn();
    turns.request(database('a', 1));
    expect(planned?.ms).toBe(0);
  });

  it('never wait long, however slow the disk is', async () => {
    const slow = async () => ({ transactions: 2, ms: 400, flushed: flushed.promise });
    turns.request(slow);
    await takeTurn();
    turns.request(slow);
    expect(planned?.ms).toBe(15);
  });

  it('do not wait for more when many are waiting', async () => {
    const busy = database('a', 2);
    turns.request(busy);
    await takeTurn();
    for (let asked = 1; asked < 64; asked += 1) turns.request(busy);
    expect(planned?.ms).toBe(2 * 2);
    turns.request(busy);
    expect(planned?.ms).toBe(0);
  });

  it('leave a busy process more time after the rest, and no more than that', async () => {
    isBusy = true;
    turns.request(database('a', 2));
    await takeTurn();
    turns.request(database('a', 1));
    expect(planned?.ms).toBe(2 * 2);
    await takeTurn();
    expect(calls).toEqual(['a']);
    expect(planned?.ms).toBe(25);
    await takeTurn();
    expect(calls).toEqual(['a', 'a']);
  });

  it('come at once for one alone, however busy the process is', async () => {
    isBusy = true;
    turns.request(database('a', 1));
    expect(planned?.ms).toBe(0);
    await takeTurn();
    expect(calls).toEqual(['a']);
  });

  it('leave a flush the time to end, and no more', async () => {
    flushed = Promise.withResolvers();
    turns.request(database('a', 1));
    await takeTurn();
    turns.request(database('a', 1));
    expect(planned?.ms).toBe(15);
    flushed.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(planned?.ms).toBe(0);
  });

  it('say who is alone: nobody else in the turn, and no flush under way', async () => {
    const heard: boolean[] = [];
    const listening = async (isAlone: boolean) => {
      heard.push(isAlone);
      return { transactions: 1, ms: 0, flushed: flushed.promise };
    };
    const other = async (isAlone: boolean) => listening(isAlone);
    turns.request(listening);
    await takeTurn();
    turns.request(listening);
    turns.request(other);
    await takeTurn();
    flushed = Promise.withResolvers();
    turns.request(listening);
    await takeTurn();
    turns.request(listening);
    await takeTurn();
    expect(heard).toEqual([true, false, false, true, false]);
  });
});
