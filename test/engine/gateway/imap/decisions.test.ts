import { describe, expect, it } from 'vitest';
import { dateOf, decideStart } from '../../../../engine/gateway/imap/client/folder.ts';
import { inBatches, type Listed } from '../../../../engine/gateway/imap/client/listing.ts';
import { classifyFailure, isRefusedByServer } from '../../../../engine/gateway/imap/client/session.ts';
import { createFetchFailures } from '../../../../engine/gateway/imap/progress.ts';
import { createWakeSignal } from '../../../../engine/gateway/imap/wake-signal.ts';

const errorWith = (fields: object) => Object.assign(new Error('Command failed'), fields);

describe('an error of the IMAP client', () => {
  it('is about the login only when the server says so', () => {
    expect(classifyFailure(errorWith({ authenticationFailed: true })).kind).toBe('auth');
    for (const serverResponseCode of ['UNAVAILABLE', 'INUSE', 'LIMIT']) {
      expect(classifyFailure(errorWith({ authenticationFailed: true, serverResponseCode })).kind).toBe('network');
    }
    const notConnected = { responseStatus: 'BAD', responseText: 'User is authenticated but not connected.' };
    expect(classifyFailure(errorWith(notConnected)).kind).toBe('network');
  });

  it('without a reason blames no secret that has worked', () => {
    const said = [
      [undefined, 'Server busy, please try again later', 'network'],
      ['ALERT', 'Too many simultaneous connections. (Failure)', 'network'],
      ['AUTHENTICATIONFAILED', 'Invalid credentials', 'auth'],
      ['AUTHORIZATIONFAILED', 'No such mailbox', 'auth'],
      ['EXPIRED', 'Too old', 'auth'],
    ] as const;
    for (const [serverResponseCode, responseText, kind] of said) {
      const error = errorWith({ authenticationFailed: true, serverResponseCode, responseText });
      expect(classifyFailure(error, { hasWorked: true }).kind).toBe(kind);
      expect(classifyFailure(error).kind).toBe('auth');
    }
  });

  it('is waited out as long as the server suggests, within reason', () => {
    const suggesting = (text: string) => classifyFailure(errorWith({ responseText: text })).waitMs;
    expect(suggesting('Request is throttled. Suggested Backoff Time: 59000 milliseconds')).toBe(59_000);
    expect(suggesting('Suggested Backoff Time: 999999999 milliseconds')).toBe(900_000);
    expect(suggesting('Suggested Backoff Time: soon')).toBe(0);
    expect(classifyFailure(errorWith({ throttleReset: 5000 })).waitMs).toBe(5000);
  });

  it('is one short line whatever the server wrote', () => {
    const { message } = classifyFailure(errorWith({ responseText: `a\r\nb\u0000${'c'.repeat(10_000)}` }));
    expect(message).toMatch(/^Command failed: a b c+$/);
    expect(message.length).toBeLessThanOrEqual(300);
  });

  it('may be anything', () => {
    for (const thrown of [undefined, null, 'text', 7, {}, { responseText: 5 }]) {
      expect(classifyFailure(thrown)).toMatchObject({ kind: 'network', waitMs: 0 });
      expect(isRefusedByServer(thrown)).toBe(false);
    }
  });
});

describe('where to begin', () => {
  const folder = { uidValidity: '7', uidNext: 10, exists: 3 };
  it.each([
    ['the first time', null, 'first'],
    ['where we were', { uidValidity: '7', uid: 9 }, 'known'],
    ['anew under another UIDVALIDITY', { uidValidity: '8', uid: 3 }, 'resync'],
    ['anew when UIDNEXT went back', { uidValidity: '7', uid: 10 }, 'resync'],
  ])('%s', (_name, known, kind) => {
    expect(decideStart(known, folder).kind).toBe(kind);
  });

  it('where we were when the server names no UIDNEXT', () => {
    expect(decideStart({ uidValidity: '7', uid: 9 }, { ...folder, uidNext: 0 }).kind).toBe('known');
  });

  it('reads dates, and takes another for those it cannot read', () => {
    expect(dateOf(new Date(5), 9)).toBe(5);
    expect(dateOf('no date', 9)).toBe(9);
    expect(dateOf(undefined, 9)).toBe(9);
  });
});

describe('batches', () => {
  const listed = (...sizes: number[]): Listed[] => sizes.map((bytes, at) => ({ uid: at + 1, bytes, internalDate: 0 }));
  const shape = (mails: Listed[], troubled: number[] = []) =>
    inBatches(mails, { messages: 3, bytes: 100, hasFailed: (uid) => troubled.includes(uid) }).map((batch) =>
      batch.map(({ uid }) => uid),
    );

  it('keep order, count and memory', () => {
    expect(shape([])).toEqual([]);
    expect(shape(listed(1, 1, 1, 1))).toEqual([[1, 2, 3], [4]]);
    expect(shape(listed(60, 60, 30, 500, 1))).toEqual([[1], [2, 3], [4], [5]]);
  });

  it('leave mail that made trouble alone', () => {
    expect(shape(listed(1, 1, 1, 1), [2])).toEqual([[1], [2], [3, 4]]);
    expect(shape(listed(1, 1), [1, 2])).toEqual([[1], [2]]);
  });
});

describe('trouble with a mail', () => {
  it('ends after three refusals or twelve lost lines', () => {
    const trouble = createFetchFailures();
    for (let count = 0; count < 2; count += 1) trouble.note([1], 'refused');
    for (let count = 0; count < 11; count += 1) trouble.note([2], 'line');
    expect([trouble.isHopeless(1), trouble.isHopeless(2)]).toEqual([false, false]);
    trouble.note([1], 'refused');
    trouble.note([2], 'line');
    expect([trouble.isHopeless(1), trouble.isHopeless(2)]).toEqual([true, true]);
    trouble.clear(1);
    expect(trouble.has(1)).toBe(false);
  });
});

describe('the wakeSignal', () => {
  it('keeps a ring for the next wait', async () => {
    const wakeSignal = createWakeSignal();
    wakeSignal.notify();
    expect(await wakeSignal.wait(60_000)).toBe('news');
    expect(await wakeSignal.wait(1)).toBe('time');
  });

  it('can be hurried while somebody waits, and only then', async () => {
    const wakeSignal = createWakeSignal();
    wakeSignal.shorten(1);
    const waiting = wakeSignal.wait(60_000);
    wakeSignal.shorten(1);
    expect(await waiting).toBe('time');
  });
});
