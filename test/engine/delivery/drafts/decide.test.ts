import { describe, expect, it } from 'vitest';
import { afterAppend, afterDoubt, afterLook, nextLook } from '../../../../engine/delivery/drafts/decide.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const times = { now: NOON, watchMs: 30 * DAY };
const lying = { state: 'draft' as const, appendedAt: NOON - MINUTE, goneSince: null };

describe('a draft that was looked for', () => {
  it('is looked for again more rarely the older it is, and no more after its time', () => {
    const every = (age: number) => (nextLook(NOON - age, NOON, 30 * DAY) ?? Number.NaN) - NOON;
    expect([0, HOUR, 3 * HOUR, 2 * DAY, 20 * DAY].map(every)).toEqual([
      MINUTE,
      5 * MINUTE,
      15 * MINUTE,
      HOUR,
      6 * HOUR,
    ]);
    expect(every(30 * DAY - 1)).toBe(1);
    expect(every(30 * DAY)).toBeNaN();
  });

  it('takes few looks in all its time', () => {
    let looks = 0;
    for (let at: number | null = NOON; at !== null; at = nextLook(NOON, at, 30 * DAY)) looks += 1;
    expect(looks).toBeLessThan(400);
  });

  it('stays a draft while it lies there, wherever it lies by now', () => {
    expect(afterLook({ ...lying, goneSince: NOON - 1 }, 'drafts', times)).toEqual({
      next: 'lies',
      back: false,
      lookAt: NOON + MINUTE,
    });
  });

  it('is sent when its copy lies in Sent, also when it counted as deleted', () => {
    expect(afterLook(lying, 'sent', times)).toEqual({ next: 'sent' });
    expect(afterLook({ ...lying, state: 'deleted', goneSince: NOON - HOUR }, 'sent', times)).toEqual({ next: 'sent' });
  });

  it('is not deleted before it was missed for two minutes: the copy in Sent may still come', () => {
    const missed = afterLook(lying, 'neither', times);
    expect(missed).toEqual({ next: 'missed', since: NOON, lookAt: NOON + 30_000 });
    const gone = { ...lying, goneSince: NOON };
    expect(afterLook(gone, 'neither', { ...times, now: NOON + 2 * MINUTE - 1 }).next).toBe('missed');
    expect(afterLook(gone, 'neither', { ...times, now: NOON + 2 * MINUTE })).toEqual({
      next: 'deleted',
      since: NOON,
      lookAt: NOON + 32 * MINUTE,
    });
  });

  it('that was deleted is looked for one more day, and lies there again when somebody puts it back', () => {
    const deleted = { ...lying, state: 'deleted' as const, goneSince: NOON };
    expect(afterLook(deleted, 'neither', { ...times, now: NOON + DAY })).toMatchObject({ lookAt: null });
    expect(afterLook(deleted, 'drafts', times)).toMatchObject({ next: 'lies', back: true });
  });
});

describe('a draft of which nobody knows whether the server has it', () => {
  it('is not handed over once more before two minutes are over', () => {
    expect(afterDoubt(NOON, NOON)).toEqual({ step: 'look_again', at: NOON + 30_000 });
    expect(afterDoubt(NOON, NOON + 110_000)).toEqual({ step: 'look_again', at: NOON + 120_000 });
    expect(afterDoubt(NOON, NOON + 120_000)).toEqual({ step: 'append' });
  });
});

describe('an attempt that did not put it there', () => {
  const mail = { attempts: 0, tryingSince: NOON };
  const delivery = { firstRetryMs: 30_000, maxRetryMs: HOUR, giveUpMs: 48 * HOUR };
  const at = (now: number) => ({ now, random: 0 });

  it('ends it where the mailbox has no folder for drafts', () => {
    expect(afterAppend(mail, { kind: 'no_folder' }, delivery, at(NOON))).toMatchObject({
      state: 'failed',
      why: 'no_drafts_folder',
    });
  });

  it('leaves it in doubt when the line broke off behind the bytes, however long it has been tried', () => {
    const outcome = { kind: 'unknown', message: 'the connection was lost' } as const;
    expect(afterAppend(mail, outcome, delivery, at(NOON + 100 * HOUR))).toMatchObject({ state: 'unknown' });
  });

  it.each(['refused', 'unreachable', 'auth'] as const)(
    'is made again after it was %s, until 48 hours are over',
    (kind) => {
      const outcome = { kind, message: 'OVERQUOTA' };
      const next = afterAppend(mail, outcome, delivery, at(NOON));
      expect(next).toMatchObject({ state: 'queued', error: 'OVERQUOTA' });
      const wait = 'at' in next ? next.at - NOON : 0;
      expect(wait).toBeGreaterThanOrEqual(kind === 'auth' ? 5 * MINUTE : 1);
      expect(afterAppend(mail, outcome, delivery, at(NOON + 48 * HOUR))).toMatchObject({
        state: 'failed',
        why: 'given_up',
      });
    },
  );
});
