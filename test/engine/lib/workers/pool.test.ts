import { getCompileCacheDir } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPool, createSlowPeers, type Pool, type PoolOptions } from '../../../../engine/lib/workers/pool.ts';
import type { Script } from './scripted-worker.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});

type Own = Pool<Script, string, string, string>;

const poolWith = (options: Partial<PoolOptions> = {}): Own => {
  const pool = createPool<Script, string, string, string>({
    name: 'the test',
    entry: new URL('./scripted-worker.ts', import.meta.url),
    lanes: 1,
    heapMb: 64,
    maxBytes: 1000,
    slowPeers: createSlowPeers(),
    ...options,
  });
  open.push(pool);
  return pool;
};

interface How {
  readonly peer?: string;
  readonly first?: boolean;
  readonly bytes?: number;
  readonly deadlineMs?: number;
  answer?(what: string): Promise<string>;
}

/** What hangs is ended so soon; what does not has the patience of a machine that works for others. */
const HANG_MS = 150;
const PATIENCE_MS = 20_000;
const hangs = (script: Script): boolean =>
  script.does === 'hang' || (script.does === 'ask' && script.thenHang === true);

/** Runs scripts and writes down in which order they end. */
function running(pool: Own) {
  const ended: string[] = [];
  const run = (script: Script, how: How = {}) =>
    pool
      .run({
        peer: { key: how.peer ?? script.name, first: how.first ?? false },
        bytes: how.bytes ?? 1,
        deadlineMs: how.deadlineMs ?? (hangs(script) ? HANG_MS : PATIENCE_MS),
        make: () => ({ request: script, transfer: [] }),
        answer: how.answer ?? (async (what) => `<${what}>`),
        failed: (reason) => `${script.name} failed: ${reason}`,
      })
      .finally(() => ended.push(script.name));
  return { run, ended };
}

const answer = (name: string): Script => ({ name, does: 'answer' });
const hang = (name: string): Script => ({ name, does: 'hang' });
/** Work that goes on until the test ends it: however long the other thread takes to start, it has come first. */
function gate() {
  const state = new Int32Array(new SharedArrayBuffer(4));
  return {
    hold: (name: string): Script => ({ name, does: 'hold', gate: state }),
    open() {
      Atomics.store(state, 0, 1);
      Atomics.notify(state, 0);
    },
  };
}
/** An answer that the test gives when it wants to. */
const later = () => Promise.withResolvers<string>();

describe('the environment of a thread', () => {
  const told = () => running(poolWith()).run({ name: 'a', does: 'tell environment' });

  it('has no keys, and where compiled code is kept only if this process keeps any', async () => {
    vi.stubEnv('SOME_API_KEY', 'secret');
    const folder = getCompileCacheDir();
    expect(await told()).toBe(folder === undefined ? 'a' : 'a NODE_COMPILE_CACHE');
  });
});

describe('H2: a thread that asks the main thread', () => {
  it('gets its answers, also when it asks several things at once', async () => {
    const { run } = running(poolWith());
    expect(await run({ name: 'a', does: 'ask', times: 2 })).toBe('a <a0> <a1>');
    expect(await run({ name: 'b', does: 'ask at once', times: 3 })).toBe('b <b0> <b1> <b2>');
  });

  it('works on others while one waits for its answer, however long that takes', async () => {
    const { run, ended } = running(poolWith());
    const dns = later();
    const waiting = run({ name: 'waits', does: 'ask', times: 1 }, { deadlineMs: 400, answer: () => dns.promise });
    await run(answer('b'));
    await run({ name: 'c', does: 'compute', ms: 500 });
    dns.resolve('late');
    expect(await waiting).toBe('waits late');
    expect(ended).toEqual(['b', 'c', 'waits']);
  });

  it('is to blame for what it computes after the answer, and those that wait are not', async () => {
    const { run } = running(poolWith());
    const dns = later();
    const bad = run({ name: 'bad', does: 'ask', times: 1, thenHang: true }, { answer: () => dns.promise });
    const good = run({ name: 'good', does: 'ask', times: 1 });
    await good;
    const other = run({ name: 'other', does: 'ask', times: 1 });
    dns.resolve('go');
    expect(await bad).toBe(`bad failed: it took longer than ${HANG_MS} ms`);
    expect([await good, await other]).toEqual(['good <good0>', 'other <other0>']);
  });
});

describe('a deadline on a machine that works for others', () => {
  it('counts what the thread computes, and ends what never goes on all the same', async () => {
    const { run } = running(poolWith());
    const starved = await run({ name: 'starved', does: 'wait', ms: 700 }, { deadlineMs: 500 });
    expect(starved).toBe('starved');
    const dead = await run({ name: 'dead', does: 'wait', ms: 60_000 }, { deadlineMs: 100 });
    expect(dead).toBe('dead failed: it took longer than 100 ms');
    expect(await run(answer('good'))).toBe('good');
  });
});

describe('a task that is too much', () => {
  it('fails alone when it throws', async () => {
    const { run } = running(poolWith());
    const [bad, good] = await Promise.all([run({ name: 'bad', does: 'throw' }), run(answer('good'))]);
    expect(bad).toMatch(/^bad failed: .*a bug/);
    expect(good).toBe('good');
  });

  it('H2: fails alone when it takes its memory in one step, which the limit of a thread does not stop', async () => {
    const { run } = running(poolWith({ heapMb: 64 }));
    const hoarding = run({ name: 'hoard', does: 'hoard', mb: 120 });
    expect(await hoarding).toBe('hoard failed: it took more than 64 MB of memory');
    expect(await run(answer('good'))).toBe('good');
  });

  it('waits until it fits beside what is in the threads already', async () => {
    const { run, ended } = running(poolWith({ lanes: 2, maxBytes: 100 }));
    const { hold, open } = gate();
    const first = run(hold('large'), { bytes: 90 });
    const second = run({ name: 'large too', does: 'answer' }, { bytes: 90 });
    await run(answer('small'), { bytes: 5 });
    open();
    await Promise.all([first, second]);
    expect(ended).toEqual(['small', 'large', 'large too']);
  });
});

describe('M1: two lanes', () => {
  it('keep one free of a peer that hangs the other again and again', async () => {
    const { run, ended } = running(poolWith({ lanes: 2 }));
    const { hold, open } = gate();
    const held = run(hold('b1'), { peer: 'stranger' });
    const bad = ['b2', 'b3', 'b4'].map((name) => run(hang(name), { peer: 'stranger' }));
    await Promise.all(['o1', 'o2'].map((name) => run(answer(name), { peer: 'owner' })));
    expect(ended).toEqual(['o1', 'o2']);
    open();
    await Promise.all([held, ...bad]);
  });

  it('keep one free of all peers that were slow, together', async () => {
    const slowPeers = createSlowPeers();
    for (const key of ['x', 'y', 'z']) slowPeers.mark(key);
    const { run, ended } = running(poolWith({ lanes: 2, slowPeers }));
    const { hold, open } = gate();
    const bad = [run(hold('x')), ...['y', 'z'].map((name) => run(hang(name)))];
    await run(answer('owner'));
    expect(ended).toEqual(['owner']);
    open();
    await Promise.all(bad);
  });

  it('M1: keep one free of large tasks of all peers, together', async () => {
    const { run, ended } = running(poolWith({ lanes: 2, maxBytes: 1e9 }));
    const { hold, open } = gate();
    const large = ['large', 'large too'].map((name) => run(hold(name), { bytes: 2e6 }));
    await run(answer('letter'), { peer: 'somebody' });
    expect(ended).toEqual(['letter']);
    open();
    await Promise.all(large);
    expect(ended).toEqual(['letter', 'large', 'large too']);
  });

  it('take letters of the house ahead into the thread that works for it, and those of others never', async () => {
    const pool = poolWith({ lanes: 2 });
    const { run, ended } = running(pool);
    const { hold, open } = gate();
    const begun = [hold('h1'), answer('h2'), answer('h3')].map((script) => run(script, { peer: 'house', first: true }));
    await run(answer('stranger'));
    open();
    await Promise.all(begun);
    expect(ended).toEqual(['stranger', 'h1', 'h2', 'h3']);
  });

  it('serve the house before strangers that came earlier', async () => {
    const { run, ended } = running(poolWith());
    const begun = run({ name: 'begun', does: 'compute', ms: 100 });
    const strangers = ['s1', 's2'].map((name) => run(answer(name)));
    await run(answer('house'), { first: true });
    expect(ended).toEqual(['begun', 'house']);
    await Promise.all([begun, ...strangers]);
  });

  it('put a peer behind others after a task that failed by its deadline', async () => {
    const { run, ended } = running(poolWith());
    await run(hang('h'), { peer: 'stranger' });
    const begun = run({ name: 'begun', does: 'compute', ms: 100 });
    const stranger = run(answer('stranger'), { peer: 'stranger' });
    await run(answer('owner'));
    expect(ended).toEqual(['h', 'begun', 'owner']);
    await Promise.all([begun, stranger]);
  });
});
