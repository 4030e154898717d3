import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { StorageEngine } from '../engine.ts';
import { NOON } from '../world.ts';

const PLACE = { mailbox: 'work', uidvalidity: '7', uid: 3 };

export const gatewayPromises = (engine: StorageEngine): void => {
  let gateway: GatewayStore;
  beforeEach(async () => {
    gateway = await engine.openGateway();
  });
  afterEach(() => gateway.close());
  const due = async (now = NOON) => (await gateway.dueWakeups(now, 10)).map(({ personaId }) => personaId);

  describe('what lists need of a persona', () => {
    it('is kept until something newer is', async () => {
      const store = await engine.openStore();
      const overview = await store.overview(NOON);
      await store.close();
      await gateway.keepOverviews([{ personaId: 'ada', stamp: 'one', overview }]);
      const kept = { personaId: 'ada', stamp: 'two', overview: { ...overview, invitations: true } };
      await gateway.keepOverviews([kept]);
      expect(await gateway.keptOverviews()).toEqual([kept]);
      await gateway.renamePersona('ada', 'bob');
      expect(await gateway.keptOverviews()).toEqual([]);
    });

    it('is told once to have changed', async () => {
      for (const id of ['ada', 'bob', 'ada']) await gateway.noteChanged(id);
      expect((await gateway.takeChanged()).toSorted()).toEqual(['ada', 'bob']);
      expect(await gateway.takeChanged()).toEqual([]);
    });
  });

  describe('a wakeup', () => {
    it('is due at the earliest time that anybody named', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 }), async (times) => {
          const own = await engine.openGateway();
          await Promise.all(times.map((at) => own.bumpWakeup('ada', at)));
          expect(await own.nextWakeupAt()).toBe(Math.min(...times));
          await own.close();
        }),
        { numRuns: 20 },
      );
    });

    it('is lowered only by who knows of the newest bump', async () => {
      await gateway.bumpWakeup('ada', NOON);
      const [seen] = await gateway.dueWakeups(NOON, 1);
      await gateway.bumpWakeup('ada', NOON);
      const lower = (generation = 0) => gateway.clearWakeup({ personaId: 'ada', generation, dueAt: null });
      await lower(seen?.generation);
      expect(await due()).toEqual(['ada']);
      await lower((await gateway.dueWakeups(NOON, 1))[0]?.generation);
      expect(await due()).toEqual([]);
      expect(await gateway.nextWakeupAt()).toBeNull();
    });

    it('comes oldest first, a page at a time, each persona once', async () => {
      for (const [n, id] of ['c', 'a', 'b'].entries()) await gateway.bumpWakeup(id, NOON + (n > 0 ? 1 : 0));
      const [first] = await gateway.dueWakeups(NOON + 1, 1);
      expect(first?.personaId).toBe('c');
      expect((await gateway.dueWakeups(NOON + 1, 10, first)).map(({ personaId }) => personaId)).toEqual(['a', 'b']);
    });

    it('that lies ahead is due at once after a start', async () => {
      await gateway.bumpWakeup('ada', NOON + 1e6);
      await gateway.makeAllDue(NOON);
      expect(await due()).toEqual(['ada']);
    });
  });

  describe('a mail of a mailbox', () => {
    it('is tried again at its time, and is known by how often it was begun', async () => {
      expect(await gateway.beginTry(PLACE, NOON + 5)).toEqual({ begun: 1, deferrals: 0 });
      expect(await gateway.beginTry(PLACE, NOON + 9)).toMatchObject({ begun: 2 });
      expect(await gateway.brokenUids(PLACE, 2)).toEqual([3]);
      await gateway.forgiveTry(PLACE);
      expect(await gateway.brokenUids(PLACE, 2)).toEqual([]);
      expect(await gateway.dueUids(PLACE, NOON + 8, 10)).toEqual([]);
      await gateway.putOff(PLACE, { nextAt: NOON + 2, deferrals: 4 });
      expect(await gateway.dueUids(PLACE, NOON + 8, 10)).toEqual([3]);
      expect(await gateway.beginTry(PLACE, NOON)).toEqual({ begun: 1, deferrals: 4 });
      await gateway.forgetOtherTries({ mailbox: 'work', uidvalidity: '8' });
      expect(await gateway.dueUids(PLACE, NOON + 8, 10)).toEqual([]);
    });

    it('is settled once nothing of it is left for later', async () => {
      const row = (decision: 'accepted' | 'deferred', persona: string) => ({
        message_id: '<m@x>',
        persona_id: persona,
        direction: 'in' as const,
        decision,
        subject: '',
        received_at: NOON,
        ...PLACE,
        code: decision === 'deferred' ? 'dns' : null,
        run_id: null,
      });
      expect(await gateway.isPlaceSettled(PLACE)).toBe(false);
      await gateway.recordSeen([row('accepted', 'ada'), row('deferred', 'bob')], PLACE);
      expect(await gateway.isPlaceSettled(PLACE)).toBe(false);
      expect(await gateway.deferredSince(PLACE, 'dns')).toBe(NOON);
      await gateway.recordSeen([row('accepted', 'bob')], PLACE);
      expect(await gateway.isPlaceSettled(PLACE)).toBe(true);
      expect(await gateway.seenByMessageId('<m@x>')).toHaveLength(2);
    });

    it('is behind the cursor of its mailbox', async () => {
      expect(await gateway.loadCursor('work')).toBeUndefined();
      for (const uid of [4, 9]) await gateway.saveCursor('work', { uidvalidity: '7', uid, since: null });
      expect(await gateway.loadCursor('work')).toEqual({ uidvalidity: '7', uid: 9, since: null });
    });
  });

  describe('a setting', () => {
    it('is made once, whoever asks first', async () => {
      const made = await Promise.all(['a', 'b', 'c'].map((value) => gateway.setting('key', () => value)));
      expect(new Set(made).size).toBe(1);
    });

    it('of a pause holds until it is taken back', async () => {
      await gateway.setPaused('ada', 'stopped');
      expect([await gateway.isPaused('ada'), await gateway.isStopped('ada')]).toEqual([true, true]);
      await gateway.setPaused('ada', 'paused');
      expect([await gateway.pauseOf('ada'), await gateway.isStopped('ada')]).toEqual(['paused', false]);
      await gateway.setPaused('ada', null);
      expect(await gateway.pauseOf('ada')).toBeNull();
    });

    const states = [null, 'paused', 'stopped'] as const;
    it.each(states.flatMap((is) => states.map((from) => [is, from] as const)))(
      'of a pause that is %s is changed by whoever was shown that, not by who was shown %s',
      async (is, from) => {
        for (const to of states.filter((one) => one !== from)) {
          await gateway.setPaused('ada', is);
          expect(await gateway.setPaused('ada', to, from)).toBe(is === from);
          expect(await gateway.pauseOf('ada')).toBe(is === from ? to : is);
        }
      },
    );

    it('lets a provider rest until its time', async () => {
      await gateway.keepResting({ provider: 'p', until: NOON + 5 });
      expect(await gateway.resting(NOON)).toEqual([{ provider: 'p', until: NOON + 5 }]);
      expect(await gateway.resting(NOON + 5)).toEqual([]);
    });
  });
};
