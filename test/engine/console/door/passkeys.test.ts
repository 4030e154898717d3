import { beforeEach, describe, expect, it } from 'vitest';
import { passkeyPlace } from '../../../../engine/console/door/allowed.ts';
import { createPasskeys, type PasskeyDoor } from '../../../../engine/console/door/passkeys.ts';
import { randomIds } from '../../../../engine/lib/ids.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import type { ConsolePasskey } from '../../../../engine/storage/types/gateway.ts';
import { type Authenticator, makeAuthenticator } from '../../../fakes/authenticator.ts';

describe('where browsers have passkeys', () => {
  it('is a name under https, or localhost, without a path', () => {
    const of = (publicUrl: string | null) => passkeyPlace({ publicUrl })?.rpId ?? null;
    expect(of('https://epistle.example.com')).toBe('epistle.example.com');
    expect(of('https://epistle.example.com:8443')).toBe('epistle.example.com');
    expect(of('http://localhost:8025')).toBe('localhost');
    for (const none of [
      null,
      'http://epistle.example.com',
      'https://192.0.2.1',
      'https://[2001:db8::1]',
      'http://127.0.0.1:8025',
      'https://epistle.example.com/console',
    ])
      expect([none, of(none)]).toEqual([none, null]);
    expect(passkeyPlace({ publicUrl: 'https://epistle.example.com:8443' })?.origin).toBe(
      'https://epistle.example.com:8443',
    );
  });
});

describe('a question to a device', () => {
  const place = { origin: 'https://epistle.example.com', rpId: 'epistle.example.com' };
  const OWNER = 'owner@example.com';
  const SESSION = { id: 's', address: OWNER };
  const MINUTE = 60_000;
  let now = 0;
  let kept: ConsolePasskey[] = [];
  let door: PasskeyDoor;
  let device: Authenticator;
  const begun = (answer: string, cookie: string) =>
    door.begin(answer, cookie)({ token_sha256: 't', id: 'i', until: now + 1 }, now);

  beforeEach(async () => {
    now = Date.parse('2026-11-30T09:00:00Z');
    kept = [];
    device = makeAuthenticator(place);
    door = createPasskeys({
      gateway: {
        listPasskeys: async () => kept,
        passkeyOf: async (id) => kept.find((one) => one.credential_id === id),
        usePasskey: async () => 'begun',
      },
      isOwner: (address) => address === OWNER,
      ids: randomIds(() => now),
      clock: { now: () => now },
      log: silentLog,
      place,
    });
    const { asked, options } = await door.askToMake(SESSION);
    const made = await door.made(device.create(options), asked, SESSION);
    if (made === null) throw new Error('no passkey was made');
    const own = { id: 'p', address: OWNER, role: 'owner', name: 'x', rp_id: place.rpId, made_at: now, used_at: null };
    kept.push({ ...made, ...own });
  });

  it('is answered within five minutes', async () => {
    const [soon, late] = [door.ask(), door.ask()];
    const answers = [device.get(soon.options), device.get(late.options)] as const;
    now += 5 * MINUTE - 1;
    expect(await begun(answers[0], soon.cookie)).toBe('begun');
    now += 1;
    expect(await begun(answers[1], late.cookie)).toBe('unknown');
    const { asked, options } = await door.askToMake(SESSION);
    const other = makeAuthenticator(place).create(options);
    now += 5 * MINUTE;
    expect(await door.made(other, asked, SESSION)).toBeNull();
  });

  it('is answered once, also where the first answer was wrong, and by what was asked for alone', async () => {
    const { cookie, options } = door.ask();
    expect(await begun(device.get(options, { isVerified: false }), cookie)).toBe('unknown');
    expect(await begun(device.get(options), cookie)).toBe('unknown');
    // What is asked to make one is no question to somebody who wants to be let in.
    const { asked, options: make } = await door.askToMake(SESSION);
    expect(await begun(device.get(make), asked)).toBe('unknown');
    const { asked: other, options: theirs } = await door.askToMake(SESSION);
    const answer = makeAuthenticator(place).create(theirs);
    expect(await door.made(answer, other, { id: 'another', address: OWNER })).toBeNull();
    expect(await door.made(answer, other, SESSION)).not.toBeNull();
  });

  it('is answered by nobody for another host, another owner, or with a role that there is not', async () => {
    const [own] = kept as [ConsolePasskey];
    for (const wrong of [{ rp_id: 'other.example.com' }, { address: 'eve@example.com' }, { role: 'god' }]) {
      kept = [{ ...own, ...wrong }];
      const { cookie, options } = door.ask();
      expect([wrong, await begun(device.get(options), cookie)]).toEqual([wrong, 'unknown']);
    }
  });
});
