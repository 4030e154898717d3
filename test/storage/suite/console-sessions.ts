import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { StorageEngine } from '../engine.ts';

export const consoleSessionPromises = (engine: StorageEngine): void => {
  let store: GatewayStore;
  beforeEach(async () => {
    store = await engine.openGateway();
  });
  afterEach(() => store.close());

  const DAY = 86_400_000;
  const code = (hash: string, at = 1000, address = 'ada@x.test') =>
    store.addConsoleCode({ code_sha256: hash, address, role: 'owner', made_at: at, until: at + 10 });
  const begin = (hash: string, token: string, now: number) =>
    store.useConsoleCode(hash, { token_sha256: token, id: token, until: now + 100 }, now);

  describe('who looks at the console', () => {
    it('comes in by a code once, in time, as the code says', async () => {
      await code('c1');
      expect(await begin('none', 't0', 1001)).toBe('unknown');
      expect(await begin('c1', 't1', 1001)).toBe('begun');
      expect(await begin('c1', 't2', 1002)).toBe('used');
      expect(await store.consoleSession('t2')).toBeUndefined();
      await code('c2', 2000);
      expect(await begin('c2', 't3', 2010)).toBe('late');
      expect(await store.consoleSession('t1')).toEqual({
        token_sha256: 't1',
        id: 't1',
        address: 'ada@x.test',
        role: 'owner',
        made_at: 1001,
        seen_at: 1001,
        until: 1101,
        ended_at: null,
        ended_by: null,
        came_by: 'link',
      });
      await store.consoleSessionSeen('t1', 1050);
      expect(await store.consoleSession('t1')).toMatchObject({ seen_at: 1050 });
    });

    it('is put out alone, with all of an address, or with everybody, and so are codes that wait', async () => {
      for (const [hash, address] of [
        ['c1', 'ada@x.test'],
        ['c2', 'ada@x.test'],
        ['c3', 'bob@x.test'],
        ['c4', 'ada@x.test'],
        ['c5', 'bob@x.test'],
      ] as const)
        await code(hash, 1000, address);
      for (const one of ['1', '2', '3']) await begin(`c${one}`, `t${one}`, 1001);
      const ended = { by: 'cli', now: 1002 };
      expect(await store.endConsoleSessions({ tokenSha256: 't1' }, ended)).toBe(1);
      expect(await store.endConsoleSessions({ address: 'ada@x.test' }, ended)).toBe(1);
      expect(await store.consoleSession('t2')).toMatchObject({ ended_at: 1002, ended_by: 'cli' });
      await store.consoleSessionSeen('t2', 1050);
      expect(await store.consoleSession('t2')).toMatchObject({ seen_at: 1001 });
      expect(await begin('c4', 't4', 1003)).toBe('used');
      expect(await begin('c5', 't5', 1003)).toBe('begun');
      expect(await store.endConsoleSessions({}, { by: 'cli', now: 1004 })).toBe(2);
      expect((await store.listConsoleSessions(2)).map(({ id }) => id)).toEqual(['t5', 't3']);
    });

    it('stands on record: who came, went, was put out, or stayed too long, and that wrong codes were not looked at any more', async () => {
      const kept = async () =>
        (await store.listGatewayAudit({ limit: 9 })).map(({ at, actor, event, decision, detail }) => [
          at,
          actor,
          event,
          decision,
          detail.address ?? detail.peer,
        ]);
      for (const one of ['1', '2', '3']) {
        await code(`c${one}`);
        await begin(`c${one}`, `t${one}`, 1000 + Number(one));
      }
      await store.endConsoleSessions({ tokenSha256: 't1' }, { by: 'ada@x.test', now: 1010, isLogOut: true });
      await store.endConsoleSessions({ tokenSha256: 't2' }, { by: 'cli', now: 1020 });
      await store.consoleSessionSeen('t3', 1030);
      await store.endOverdueConsoleSessions({ now: 1040, idleMs: 20 });
      expect(await store.consoleSession('t3')).toMatchObject({ ended_at: null });
      await store.endOverdueConsoleSessions({ now: 1060, idleMs: 20 });
      await store.endOverdueConsoleSessions({ now: 1070, idleMs: 20 });
      expect(await store.consoleSession('t3')).toMatchObject({ ended_at: 1050, ended_by: 'timer' });
      for (const [peer, now] of [
        ['192.0.2.1', 2000],
        ['192.0.2.2', 61_999],
        ['192.0.2.3', 62_001],
      ] as const)
        await store.noteRefusedLogIns(peer, now);
      expect(await kept()).toEqual([
        [62_001, 'unproven', 'console_log_in_refused', 'too_many', '192.0.2.3'],
        [2000, 'unproven', 'console_log_in_refused', 'too_many', '192.0.2.1'],
        [1050, 'timer', 'console_session_ended', null, 'ada@x.test'],
        [1020, 'cli', 'console_session_ended', null, 'ada@x.test'],
        [1010, 'ada@x.test', 'console_log_out', null, 'ada@x.test'],
        [1003, 'ada@x.test', 'console_log_in', 'owner', 'ada@x.test'],
        [1002, 'ada@x.test', 'console_log_in', 'owner', 'ada@x.test'],
        [1001, 'ada@x.test', 'console_log_in', 'owner', 'ada@x.test'],
      ]);
      const done = { id: 'g-1', at: 9, actor: 'cli', event: 'backup_begun', decision: null } as const;
      await store.addGatewayAudit({ ...done, detail: { address: null, to: 'there' } });
      expect((await store.listGatewayAudit({ limit: 1 }))[0]).toEqual({
        ...done,
        detail: { address: null, to: 'there' },
      });
      const [newest, second] = await store.listGatewayAudit({ limit: 2 });
      expect((await store.listGatewayAudit({ limit: 1, after: newest?.id })).map(({ id }) => id)).toEqual([second?.id]);
      await store.noteRefusedLogIns('192.0.2.4', 62_001 + 31 * DAY);
      expect((await kept()).map(([, , , , who]) => who).slice(1, 3)).toEqual(['192.0.2.4', 'ada@x.test']);
    });

    it('asks to be let in by mail: looked up once, three of an hour, good once and in time', async () => {
      const ask = (id: string, at: number, address = 'ada@x.test') =>
        store.askForLogIn({ id, address, browser_sha256: 'b', asked_at: at, until: at + 600 });
      const open = async (now: number) => (await store.openLogIns(now, 9)).map(({ id }) => id);
      const mail = (id: string, now: number) =>
        store.mailLogIn(id, { codeSha256: `m-${id}`, role: 'owner', now, most: 2, withinMs: 3000 });
      await ask('a1', 1000);
      await ask('a2', 1001);
      expect(await open(1002)).toEqual(['a1', 'a2']);
      expect(await mail('a1', 1002)).toBe('begun');
      expect(await mail('a1', 1003)).toBe('gone');
      expect(await open(1003)).toEqual(['a2']);
      await store.settleLogIn('a1', 'mailed', 1004);
      expect(await begin('m-a1', 't1', 1599)).toBe('begun');
      expect(await begin('m-a1', 't2', 1599)).toBe('used');
      expect(await store.consoleSession('t1')).toMatchObject({ address: 'ada@x.test', came_by: 'mail' });

      // Its server took nothing: the code is none, and it is tried once more.
      expect(await mail('a2', 1100)).toBe('begun');
      await store.settleLogIn('a2', 'again', 1101);
      expect([await open(1102), await begin('m-a2', 't3', 1102)]).toEqual([['a2'], 'unknown']);
      expect(await open(1601)).toEqual([]);
      expect(await mail('a2', 1200)).toBe('begun');
      expect(await begin('m-a2', 't3', 1601)).toBe('late');

      for (const id of ['a3', 'a4']) {
        await ask(id, 1300);
        expect(await mail(id, 1301)).toBe('too_many');
      }
      expect(await open(1302)).toEqual([]);
      await ask('b1', 1300, 'bob@x.test');
      expect(await mail('b1', 1301)).toBe('begun');
      await store.settleLogIn('b1', 'failed', 1302);
      expect(await begin('m-b1', 't4', 1303)).toBe('unknown');
      await ask('a5', 4100);
      expect(await mail('a5', 4200)).toBe('begun');
      await ask('n1', 4300, 'nobody@x.test');
      await store.settleLogIn('n1', 'nobody', 4301);
      expect([await open(4302), await mail('n1', 4302)]).toEqual([[], 'gone']);
      const noted = (await store.listGatewayAudit({ limit: 9 })).map(({ event, detail }) => [event, detail.address]);
      expect(noted).toEqual([
        ['console_log_in', 'ada@x.test'],
        ['console_log_in_refused', 'ada@x.test'],
        ['console_log_in_mailed', 'ada@x.test'],
      ]);
    });

    it('asks to be let in by mail, and is put out before anything was mailed, or opened', async () => {
      for (const id of ['a1', 'a2'])
        await store.askForLogIn({ id, address: 'ada@x.test', browser_sha256: 'b', asked_at: 1000, until: 1600 });
      await store.mailLogIn('a1', { codeSha256: 'm', role: 'owner', now: 1001, most: 3, withinMs: 3000 });
      await store.endConsoleSessions({ address: 'ada@x.test' }, { by: 'cli', now: 1002 });
      expect(await store.openLogIns(1003, 9)).toEqual([]);
      expect(await begin('m', 't1', 1003)).toBe('used');
      for (let n = 0; n < 120; n += 1)
        await store.askForLogIn({ id: `n${n}`, address: 'x', browser_sha256: 'b', asked_at: 2000, until: 2600 });
      expect(await store.openLogIns(2001, 999)).toHaveLength(100);
    });

    const DEVICE = {
      ...{
        credential_id: 'd1',
        address: 'ada@x.test',
        role: 'operator',
        name: 'Telephone',
        public_key: 'k',
        counter: 0,
      },
      ...{ rp_id: 'x.test', made_at: 1000 },
    };
    const useKey = (counter: number, token: string, now: number, id = 'd1') =>
      store.usePasskey(id, counter, { token_sha256: token, id: token, until: now + 1000 }, now);

    it('comes in by a passkey that is kept, and by no copy of one that counts', async () => {
      expect(await store.addPasskey({ ...DEVICE, id: 'p1' })).toBe('added');
      expect(await store.addPasskey({ ...DEVICE, id: 'p2', address: 'bob@x.test' })).toBe('known');
      expect(await store.passkeyOf('d1')).toEqual({ ...DEVICE, id: 'p1', used_at: null });
      expect(await useKey(0, 't0', 1001, 'd2')).toBe('unknown');
      // One that does not count says 0 each time.
      expect([await useKey(0, 't1', 1001), await useKey(0, 't2', 1002)]).toEqual(['begun', 'begun']);
      expect(await store.consoleSession('t2')).toMatchObject({ role: 'operator', came_by: 'passkey' });
      expect(await useKey(7, 't3', 1003)).toBe('begun');
      for (const counter of [7, 6, 0])
        expect([counter, await useKey(counter, 't4', 1004)]).toEqual([counter, 'unknown']);
      expect(await store.consoleSession('t4')).toBeUndefined();
      expect(await store.listPasskeys()).toMatchObject([{ id: 'p1', counter: 7, used_at: 1003 }]);
    });

    it('has so many passkeys, and is out with all that came in by one when one is taken away, but for who does it', async () => {
      for (let n = 0; n < 20; n += 1)
        expect(await store.addPasskey({ ...DEVICE, id: `p${n}`, credential_id: `d${n}` })).toBe('added');
      expect(await store.addPasskey({ ...DEVICE, id: 'p20', credential_id: 'd20' })).toBe('too_many');
      expect(await store.addPasskey({ ...DEVICE, id: 'p20', credential_id: 'd20', address: 'bob@x.test' })).toBe(
        'added',
      );
      await code('c1');
      await begin('c1', 'link', 1001);
      for (const token of ['t1', 't2']) await useKey(0, token, 1001);
      await useKey(0, 'bob', 1001, 'd20');
      const removed = { by: 'ada@x.test', now: 1002, keep: 't2' };
      expect(await store.removePasskey('p1', removed)).toMatchObject({ id: 'p1', name: 'Telephone' });
      expect(await store.removePasskey('p1', removed)).toBeUndefined();
      const over = async (token: string) => (await store.consoleSession(token))?.ended_at;
      expect([await over('t1'), await over('t2'), await over('link'), await over('bob')]).toEqual([
        1002,
        null,
        null,
        null,
      ]);
      expect(await useKey(0, 't3', 1003)).toBe('unknown');
      const rows = (await store.listGatewayAudit({ limit: 2 })).map(({ event, actor }) => [event, actor]);
      expect(rows.toSorted()).toEqual([
        ['console_passkey_removed', 'ada@x.test'],
        ['console_session_ended', 'ada@x.test'],
      ]);
    });

    it('is forgotten when it is long over, and its end is on record first', async () => {
      await code('c1');
      await code('c2');
      await begin('c1', 't1', 1001);
      await code('c3', 1000 + 40 * DAY);
      expect(await store.consoleSession('t1')).toMatchObject({ ended_at: null });
      await store.endOverdueConsoleSessions({ now: 1000 + 40 * DAY, idleMs: DAY });
      expect(await store.listGatewayAudit({ limit: 9 })).toContainEqual(
        expect.objectContaining({ event: 'console_session_ended', actor: 'timer', at: 1101 }),
      );
      await code('c4', 1000 + 41 * DAY);
      expect(await store.consoleSession('t1')).toBeUndefined();
      expect(await begin('c2', 't2', 1001)).toBe('unknown');
    });
  });
};
