import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessions, makeCode, newCode } from '../../../../engine/console/door/sessions.ts';
import { randomIds } from '../../../../engine/lib/ids.ts';
import type { GatewayStore } from '../../../../engine/storage/ports/gateway.ts';
import { openGatewayStore } from '../../../../engine/storage/sqlite/gateway/store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const time = { now: 0 };
const clock = { now: () => time.now, sleep: () => Promise.reject(new Error('nobody waits here')) };
const ids = randomIds(clock.now);
let gateway: GatewayStore;
beforeEach(() => {
  time.now = Date.parse('2026-11-30T08:00:00Z');
  gateway = openGatewayStore(':memory:');
});
afterEach(() => gateway.close());

const PEER = '127.0.0.1';
const code = async () => (await makeCode({ gateway, ids, clock }, { address: 'Ada@X.test', role: 'owner' })).code;
async function begun(desk = createSessions({ gateway, ids, clock })) {
  const came = await desk.logIn(await code(), PEER, null);
  if (!came.ok) throw new Error(came.why);
  return { desk, token: came.token };
}

describe('a code', () => {
  it('has 128 random bits, and is read however it is typed', async () => {
    expect(newCode({ random: () => 'f'.repeat(32) })).toBe('7zzzzz-zzzzzz-zzzzzz-zzzzzz-zz');
    expect(newCode({ random: () => '0'.repeat(31).concat('1') })).toBe('000000-000000-000000-000000-01');
    const typed = (await code()).toUpperCase().replaceAll('-', ' ');
    expect(await createSessions({ gateway, ids, clock }).logIn(typed, PEER, null)).toMatchObject({ ok: true });
  });

  it('lets nobody in after five minutes, a second time, or when it was never made', async () => {
    const desk = createSessions({ gateway, ids, clock });
    const [late, once] = [await code(), await code()];
    expect(await desk.logIn(once, PEER, null)).toMatchObject({ ok: true });
    expect(await desk.logIn(once, PEER, null)).toEqual({ ok: false, why: 'used' });
    expect(await desk.logIn('0'.repeat(26), PEER, null)).toEqual({ ok: false, why: 'unknown' });
    expect(await desk.logIn('', PEER, null)).toEqual({ ok: false, why: 'unknown' });
    time.now += 5 * MINUTE;
    expect(await desk.logIn(late, PEER, null)).toEqual({ ok: false, why: 'late' });
  });

  it('is not looked at any more for a minute after ten wrong ones of the same peer', async () => {
    const desk = createSessions({ gateway, ids, clock });
    for (let tries = 0; tries < 10; tries += 1) await desk.logIn(newCode(ids), PEER, null);
    const right = await code();
    expect(await desk.logIn(right, PEER, null)).toEqual({ ok: false, why: 'too_many' });
    expect(await desk.logIn(newCode(ids), '192.0.2.7', null)).toEqual({ ok: false, why: 'unknown' });
    time.now += MINUTE;
    expect(await desk.logIn(right, PEER, null)).toMatchObject({ ok: true });
  });
});

describe('a session', () => {
  it('is over after twelve hours in which nobody used it, and after seven days', async () => {
    const { desk, token } = await begun();
    expect(await desk.find(token)).toMatchObject({ address: 'ada@x.test', role: 'owner' });
    time.now += 12 * HOUR - 1;
    expect(await desk.find(token)).not.toBeNull();
    time.now += 12 * HOUR;
    expect(await desk.find(token)).toBeNull();

    const other = await begun(desk);
    for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
      expect(await desk.find(other.token)).not.toBeNull();
      time.now += 6 * HOUR;
    }
    time.now += 6 * HOUR;
    expect(await desk.find(other.token)).toBeNull();
  });

  it('may do what takes something away for five minutes', async () => {
    const { desk, token } = await begun();
    const found = await desk.find(token);
    expect(found?.freshUntil).toBe(time.now + 5 * MINUTE);
  });

  it('takes the place of the one that the browser had', async () => {
    const { desk, token } = await begun();
    expect(await desk.logIn(await code(), PEER, token)).toMatchObject({ ok: true });
    expect(await desk.find(token)).toBeNull();
  });

  it('is found by nothing but its whole cookie, of which the database has a hash', async () => {
    const { desk, token } = await begun();
    for (const wrong of [null, '', token.slice(1), `${token}0`, token.toUpperCase(), "' or 1=1 --", '0'.repeat(64)])
      expect([wrong, await desk.find(wrong)]).toEqual([wrong, null]);
    const rows = JSON.stringify(await gateway.listConsoleSessions(10));
    expect(rows).not.toContain(token);
  });
});
