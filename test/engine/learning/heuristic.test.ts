import { describe, expect, it } from 'vitest';
import { heuristic, modeOf, standingOf } from '../../../engine/learning/heuristic.ts';
import type { JudgedOutcome, PlaybookVersion } from '../../../engine/storage/types/learning/playbooks.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;

const outcome = (ageDays: number, change: Partial<JudgedOutcome> = {}): JudgedOutcome => ({
  run_id: 'r',
  thread_id: 't',
  kind: 'answer',
  version_id: 'v',
  mode: 'assisted',
  succeeded: 1,
  failed: 0,
  used: 1,
  delegated: 0,
  followed: 1,
  model_calls: 1,
  tokens: 1,
  at: NOON - ageDays * DAY,
  verdict: null,
  ...change,
});
const times = (count: number, make: (index: number) => JudgedOutcome) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('how the runs of a playbook have gone', () => {
  it('H-6: is the formula to the last digit, with a half-life of 30 days', () => {
    // Twenty outcomes, 0, 30, 60, … days old, of which every second fails, every third is not followed.
    const outcomes = times(20, (i) => outcome(i * 30, { failed: i % 2, followed: i % 3 === 0 ? 0 : 1 }));
    let [weights, failed, followed] = [0, 0, 0];
    for (let i = 0; i < 20; i += 1) {
      weights += 0.5 ** i;
      failed += i % 2 === 1 ? 0.5 ** i : 0;
      followed += i % 3 === 0 ? 0 : 0.5 ** i;
    }
    const byHand = 0.2 + 0.3 * (1 - failed / weights) + (0.5 * followed) / weights;
    expect(heuristic(outcomes, NOON)).toBeCloseTo(byHand, 8);
  });

  it('H-7: is nothing below ten outcomes, whatever is said of them', () => {
    expect(
      heuristic(
        times(9, () => outcome(0, { verdict: 'good' })),
        NOON,
      ),
    ).toBeNull();
    expect(
      heuristic(
        times(10, () => outcome(0)),
        NOON,
      ),
    ).toBe(1);
  });

  it('looks at the newest fifty', () => {
    const old = times(30, () => outcome(1, { succeeded: 0, failed: 1, followed: 0 }));
    expect(heuristic([...times(50, () => outcome(0)), ...old], NOON)).toBe(1);
    expect(heuristic([...times(49, () => outcome(0)), ...old], NOON)).toBeLessThan(1);
  });

  it('H-16: counts a good word once and a bad one three times beside the run, ten in all at most', () => {
    const base = times(20, () => outcome(0));
    const judged = (verdict: 'good' | 'bad', count: number) =>
      heuristic(
        base.map((each, i) => (i < count ? { ...each, verdict } : each)),
        NOON,
      );
    expect(judged('good', 5)).toBe(1);
    // S = 19/23, E = 3/23, R = 20/23.
    expect(judged('bad', 1)).toBeCloseTo(0.2 * (19 / 23) + 0.3 * (20 / 23) + 0.5 * (20 / 23), 8);
    // Ten beside the runs, not thirty.
    expect(judged('bad', 10)).toBeCloseTo(0.2 * (10 / 30) + 0.3 * (20 / 30) + 0.5 * (20 / 30), 8);
  });

  it('a playbook whose steps have become wrong falls below its mode within ten runs', () => {
    const good = times(50, () => outcome(3));
    const bad = times(10, () => outcome(0, { failed: 1, followed: 0 }));
    expect(modeOf(heuristic(good, NOON), null).mode).toBe('policy');
    expect(modeOf(heuristic([...bad, ...good], NOON), null).mode).not.toBe('policy');
  });
});

describe('what a playbook may do', () => {
  it.each([
    [null, 'none'],
    [0, 'none'],
    [0.2999, 'none'],
    [0.3, 'assisted'],
    [0.5999, 'assisted'],
    [0.6, 'filter'],
    [0.8499, 'filter'],
    [0.85, 'policy'],
    [1, 'policy'],
  ] as const)('H-8: with %s it is %s', (h, mode) => {
    expect(modeOf(h, null)).toEqual({ mode, by: 'outcomes' });
  });

  it.each([
    [1, 'assisted', 'assisted'],
    [0.7, 'assisted', 'assisted'],
    [0.3, 'filter', 'assisted'],
    [1, 'filter', 'filter'],
    [0.1, 'assisted', 'none'],
    [1, 'none', 'none'],
  ] as const)('with %s and %s at most it is %s, unless the owner has set a mode', (h, most, mode) => {
    expect(modeOf(h, null, most)).toEqual({ mode, by: 'outcomes' });
    expect(modeOf(h, 'policy', most)).toEqual({ mode: 'policy', by: 'override' });
  });

  it.each(['none', 'assisted', 'filter', 'policy'] as const)('is %s where the owner says so', (mode) => {
    for (const h of [null, 0, 1]) expect(modeOf(h, mode)).toEqual({ mode, by: 'override' });
  });
});

describe('what the version in force may do, and why', () => {
  const version = (origin: PlaybookVersion['origin'], score: number | null): PlaybookVersion => ({
    id: 'v',
    kind: 'answer',
    number: 1,
    parent_id: null,
    playbook_json: '{}',
    origin,
    tainted: 0,
    score,
    created_at: NOON,
  });
  const OWNERS = version('owner', null);
  const PROVEN = version('refined', 0.9);
  const UNPROVEN = version('refined', null);
  const standing = (
    of: PlaybookVersion,
    outcomes: readonly JudgedOutcome[] = [],
    more: Partial<Parameters<typeof standingOf>[1]> = {},
  ) => standingOf({ version: of, pinned: false, pinIsGone: false, outcomes }, { override: null, now: NOON, ...more });
  const good = times(10, () => outcome(0));
  const bad = times(10, () => outcome(0, { succeeded: 0, failed: 1, followed: 0 }));
  const badWithout = times(10, () => outcome(0, { succeeded: 0, failed: 1, followed: 0, used: 0 }));

  it('is what its owner has set, whatever it is and however it has gone', () => {
    for (const of of [OWNERS, PROVEN, UNPROVEN])
      for (const outcomes of [[], good, bad])
        expect(standing(of, outcomes, { override: 'filter' })).toMatchObject({ mode: 'filter', by: 'override' });
    expect(standing(OWNERS, [], { override: 'none' })).toMatchObject({ mode: 'none', by: 'override' });
  });

  it('is what its runs have earned', () => {
    for (const of of [OWNERS, PROVEN, UNPROVEN])
      expect(standing(of, good)).toEqual({ h: 1, mode: 'policy', by: 'outcomes' });
    expect(standing(UNPROVEN)).toEqual({ h: null, mode: 'none', by: 'outcomes' });
    expect(standing(UNPROVEN, bad)).toEqual({ h: 0, mode: 'none', by: 'outcomes' });
  });

  it('is advice where an owner has said it, also when its runs have gone badly', () => {
    expect(standing(OWNERS)).toEqual({ h: null, mode: 'assisted', by: 'owner' });
    expect(standing(OWNERS, bad)).toEqual({ h: 0, mode: 'assisted', by: 'owner' });
  });

  it('is advice where it was proven over examples, until ten runs have tried it', () => {
    expect(standing(PROVEN)).toEqual({ h: null, mode: 'assisted', by: 'examples' });
    expect(standing(PROVEN, badWithout)).toEqual({ h: 0, mode: 'assisted', by: 'examples' });
    expect(standing(PROVEN, bad.slice(1))).toMatchObject({ mode: 'assisted', by: 'examples' });
    expect(standing(PROVEN, bad)).toEqual({ h: 0, mode: 'none', by: 'outcomes' });
  });

  it('is nothing where nothing at most is allowed', () => {
    for (const of of [OWNERS, PROVEN, UNPROVEN])
      expect(standing(of, good, { most: 'none' })).toEqual({ h: 1, mode: 'none', by: 'outcomes' });
    for (const of of [OWNERS, PROVEN])
      expect(standing(of, [], { most: 'none' })).toEqual({ h: null, mode: 'none', by: 'outcomes' });
  });
});
