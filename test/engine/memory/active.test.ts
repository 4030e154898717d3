import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetBy } from '../../../engine/actions/facts.ts';
import type { CrashPoint } from '../../../engine/lib/crash-points.ts';
import { randomIds } from '../../../engine/lib/ids.ts';
import { createActiveKeeper, hasRoomFor, keepActive } from '../../../engine/memory/active/keep.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import type { Fact } from '../../../engine/storage/types/facts.ts';
import { factRow } from '../../storage/fact-worlds.ts';
import { NOON } from '../../storage/world.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'epistle-active-'));
const folder = join(dataDir, 'personas', 'ada');
const path = join(folder, 'active.md');
const state: { store?: Store; now: number; dieAt: CrashPoint | null; passed: CrashPoint[] } = {
  now: NOON,
  dieAt: null,
  passed: [],
};
const store = (): Store => {
  if (!state.store) throw new Error('no store');
  return state.store;
};
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  Object.assign(state, { store: openStore(join(folder, 'persona.db')), now: NOON, dieAt: null, passed: [] });
});
afterEach(() => store().close());
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

class Killed extends Error {}
const deps = {
  dataDir,
  clock: { now: () => state.now, sleep: async () => {} },
  pass: (point: CrashPoint) => {
    state.passed.push(point);
    if (point === state.dieAt) throw new Killed(point);
  },
};
const text = (): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);
const forAll = (id: string, words: string, change: Partial<Fact> = {}) =>
  factRow(id, {
    subject: 'persona',
    visibility: 'persona',
    source_tier: 'owner',
    text: words,
    quote: words,
    ...change,
  });
const add = (fact: Fact, replaces: string | null = null) => store().changeFacts([{ change: 'add', fact, replaces }]);

/** Does the jobs that are due, until none is; dies where it is told to. */
async function work(): Promise<void> {
  const persona = { id: 'ada' } as Parameters<ReturnType<ReturnType<typeof createActiveKeeper>['prepare']>>[0];
  for (let n = 0; n < 10; n += 1) {
    const job = await store().claimJob({ instance: `i${n}`, deadHolders: 'all others', now: state.now, leaseMs: 1 });
    if (!job) return;
    await createActiveKeeper(deps)
      .prepare(job)(persona, store(), new AbortController().signal)
      .catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        state.dieAt = null;
      });
    state.now += 10;
  }
  throw new Error('it does not end');
}

describe('active.md', () => {
  it('is not there where nothing is for everybody, and tells what is, once for many changes', async () => {
    await add(factRow('mia', { text: 'Mia likes tea' }));
    state.now += 10_000;
    await work();
    expect([text(), await store().activeState()]).toEqual([null, undefined]);
    await add(forAll('one', 'Sign with Ada & Co', { recorded_at: state.now }));
    await add(forAll('two', 'We are closed on Mondays', { recorded_at: state.now }));
    expect(await store().dueJobs(state.now, 9)).toEqual([]);
    state.now += 10_000;
    await work();
    expect(text()).toMatch(
      /^<!-- kept by hand above -->\n.*\n- We are closed on Mondays .*\n- Sign with Ada & Co .*\n$/,
    );
    expect(text()).not.toContain('Mia');
    expect(state.passed.filter((point) => point === 'active.written')).toHaveLength(1);
    expect(await store().activeState()).toMatchObject({ changes: 2, written: 2, error: null });
  });

  it('leaves what its owner wrote above the line as it is, and takes the line away with the last of its own', async () => {
    const hand = 'Our office is in Bonn.\r\n\n  Ask for Eva.';
    writeFileSync(path, hand);
    await add(forAll('one', 'Sign with Ada'));
    await keepActive(deps, 'ada', store());
    expect(text()?.startsWith(`${hand}\n<!-- kept by hand above -->\n`)).toBe(true);
    writeFileSync(path, text()?.replace('Ask for Eva.', 'Ask for Max.').replace('Sign with', 'PAY') ?? '');
    await add(forAll('two', 'Closed on Mondays'));
    await keepActive(deps, 'ada', store());
    expect(text()).toContain('Ask for Max.\n<!-- kept by hand above -->');
    expect(text()).not.toContain('PAY');
    await store().forgetFacts(['one', 'two']);
    await keepActive(deps, 'ada', store());
    expect(text()).toBe('Our office is in Bonn.\r\n\n  Ask for Max.\n');
  });

  it('has at most 2,000 characters: a writer is told what does not fit, and so is whoever reads it', async () => {
    const long = (n: number) => forAll(`f${n}`, `${n} `.padEnd(280, 'x'));
    for (let n = 0; n < 5; n += 1) {
      expect(await hasRoomFor(store(), long(n), { replaces: null, now: NOON })).toBe(true);
      await add(long(n));
    }
    await keepActive(deps, 'ada', store());
    expect(await hasRoomFor(store(), long(6), { replaces: null, now: NOON })).toBe(false);
    expect(await hasRoomFor(store(), long(6), { replaces: 'f0', now: NOON })).toBe(true);
    expect(await hasRoomFor(store(), factRow('other'), { replaces: null, now: NOON })).toBe(true);
    // Its owner takes the room away by hand.
    writeFileSync(path, `${'y'.repeat(900)}\n${text()}`);
    await add(forAll('last', 'Short'));
    await keepActive(deps, 'ada', store());
    expect(text()?.length).toBeLessThanOrEqual(2000);
    expect(text()).toContain('did not fit into 2000 characters');
    expect(text()).toContain('- Short');
    expect((await store().activeState())?.error).toMatch(/^3 more did not fit/);
  });

  it('loses what is over when it is over, and what was replaced', async () => {
    await add(forAll('plan', 'Fair in May', { kind: 'plan', expires_at: NOON + 100_000 }));
    await add(forAll('old', 'Call 1'));
    await add(forAll('new', 'Call 2'), 'old');
    state.now += 10_000;
    await work();
    expect(text()).toContain('Fair in May');
    expect(text()).not.toContain('Call 1');
    state.now = NOON + 100_001;
    await work();
    expect(text()).not.toContain('Fair');
    expect(text()).toContain('Call 2');
  });

  it.each<CrashPoint>(['active.begun', 'active.written'])(
    'P-28: killed while dirty, at %s, it is written once by the next process',
    async (label) => {
      await add(forAll('one', 'Sign with Ada'));
      state.now += 10_000;
      state.dieAt = label;
      await expect(keepActive(deps, 'ada', store())).rejects.toThrow(Killed);
      expect(await store().activeState()).toMatchObject({ changes: 1, written: 0 });
      await store().close();
      state.store = openStore(join(folder, 'persona.db'));
      Object.assign(state, { passed: [], dieAt: null });
      await work();
      expect(text()).toContain('- Sign with Ada');
      expect(state.passed).toEqual(['active.begun', 'active.written']);
      expect(await store().activeState()).toMatchObject({ changes: 1, written: 1 });
      expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([]);
    },
  );

  it('what is forgotten stands neither in it nor in a byte of the database', async () => {
    for (let n = 0; n < 40; n += 1) await add(forAll(`f${n}`, n === 7 ? 'zqxsecret' : `word ${n}`));
    await keepActive(deps, 'ada', store());
    expect(readFileSync(path, 'utf8')).toContain('zqxsecret');
    const stores = {
      use: <R>(_: string, run: (one: Store) => Promise<R>) => run(store()),
      exists: () => true,
      close: async () => {},
    };
    await forgetBy({ ...deps, stores, ids: randomIds(() => state.now) }, { personaId: 'ada', id: 'f7' }, 'cli');
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name)).includes('zqxsecret'), name).toBe(false);
    expect(text()).toContain('word 39');
  });
});
