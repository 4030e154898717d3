import { describe, expect, it } from 'vitest';
import type { SessionFailure } from '../../../../engine/gateway/imap/client/session.ts';
import { DEFAULT_TUNING } from '../../../../engine/gateway/imap/tuning.ts';
import { createRetries, type Lasted } from '../../../../engine/gateway/imap/watcher.ts';

const NEVER: Lasted = { openMs: null, hasLooked: false };
const AWAY: SessionFailure = { kind: 'network', message: 'connection refused', waitMs: 0 };
const REFUSED: SessionFailure = { kind: 'auth', message: 'it takes no password', waitMs: 0 };
/** The longest wait of each step. */
const retries = () => createRetries(DEFAULT_TUNING, () => 1);

const waits = (times: number, failure: SessionFailure, lasted: Lasted, one = retries()) =>
  Array.from({ length: times }, () => one.after(failure, lasted, 0).waitMs / 1000);

describe('a mailbox is tried again', () => {
  it('ever later while its server is away', () => {
    expect(waits(9, AWAY, NEVER)).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 120]);
  });

  it('as often as one that is polled, where it works and is cut each time', () => {
    expect(waits(7, AWAY, { openMs: 2000, hasLooked: true })).toEqual([1, 2, 4, 8, 15, 15, 15]);
  });

  it('from the beginning after a look, and after a connection that lasted', () => {
    const one = retries();
    waits(6, AWAY, NEVER, one);
    waits(5, AWAY, { openMs: 2000, hasLooked: true }, one);
    expect(one.after(AWAY, NEVER, 0).waitMs).toBe(1000);
    expect(one.after(AWAY, { openMs: 60_000, hasLooked: true }, 0).waitMs).toBe(1000);
  });

  it('ever later where it is cut before it could look', () => {
    expect(waits(9, AWAY, { openMs: 5, hasLooked: false }).at(-1)).toBe(120);
  });

  it('no sooner than its server says', () => {
    expect(retries().after({ ...AWAY, waitMs: 300_000 }, NEVER, 0).waitMs).toBe(300_000);
  });
});

describe('a login that is refused again and again', () => {
  const told = (failures: readonly [SessionFailure, Lasted][]) => {
    const one = retries();
    return failures.map(([failure, lasted], at) => one.after(failure, lasted, at * 1000).refused);
  };

  it('is told of once a row, with its beginning', () => {
    const row: [SessionFailure, Lasted][] = Array.from({ length: 6 }, () => [REFUSED, NEVER]);
    expect(told([[AWAY, NEVER], ...row])).toEqual([
      ...[null, null, null, null],
      { since: 1000, error: 'it takes no password' },
      ...[null, null],
    ]);
  });

  it('begins anew once it was taken', () => {
    const row = (times: number): [SessionFailure, Lasted][] => Array.from({ length: times }, () => [REFUSED, NEVER]);
    const taken: [SessionFailure, Lasted] = [AWAY, { openMs: 10, hasLooked: true }];
    expect(told([...row(3), taken, ...row(3)])).toEqual(Array.from({ length: 7 }, () => null));
    expect(told([...row(3), taken, ...row(4)]).at(-1)).toEqual({ since: 4000, error: 'it takes no password' });
  });

  it('is told elsewhere where somebody has to log in at the provider', () => {
    expect(told(Array.from({ length: 8 }, () => [{ ...REFUSED, needsLogin: true }, NEVER]))).toEqual(
      Array.from({ length: 8 }, () => null),
    );
  });

  it('more often where its server refuses a secret that worked and says no reason, and its owners hear after an hour', () => {
    const one = retries();
    const unclear: SessionFailure = { kind: 'network', message: 'server busy', waitMs: 0, isUnclear: true };
    const told: number[] = [];
    let now = 0;
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      const { waitMs, refused } = one.after(unclear, NEVER, now);
      if (refused) told.push(now);
      expect(waitMs).toBeLessThanOrEqual(900_000);
      now += waitMs;
    }
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThanOrEqual(3_600_000);
  });
});
