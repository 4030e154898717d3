import { beforeEach, describe, expect, it } from 'vitest';
import { FencedError } from '../../../engine/storage/ports/runs.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, attempted, claim, eachWithAStore, leased, NOON, outgoing } from '../world.ts';

const LEASE_MS = 2000;

/** Leases without a proof that their holder is dead. */
export const leasePromises = (engine: StorageEngine): void => {
  describe('a lease of a run', () => {
    const store = eachWithAStore(engine);
    const by = (instance: string, now: number) => ({ instance, now, leaseMs: LEASE_MS, deadHolders: undefined });

    it('keeps everybody else away until its end, which its holder puts off', async () => {
      await accept(store(), 'a');
      const lease = await leased(store(), by('one', NOON));
      expect(await claim(store(), by('two', NOON + LEASE_MS - 1))).toBeUndefined();
      expect(await store().extendRun(lease, NOON + 5000)).toBe(true);
      expect(await store().nextDue({ instance: 'two' })).toMatchObject({ runs: NOON + 5000 });
      expect(await claim(store(), by('two', NOON + 4999))).toBeUndefined();
      expect(await claim(store(), by('two', NOON + 5000))).toMatchObject({ run: { id: 'r-a' }, crashes: 1 });
      expect(await store().extendRun(lease, NOON + 9000)).toBe(false);
      await expect(store().releaseRun(lease, NOON)).rejects.toThrow(FencedError);
    });
  });

  describe('a lease of a mail or a job', () => {
    const store = eachWithAStore(engine);
    beforeEach(async () => {
      await store().addJobs([{ id: 'job', kind: 'notice', due_at: NOON, payload: '{}' }]);
      await store().queueNotice('none', outgoing('mail', { run_id: '', purpose: 'p', kind: 'notice' }));
    });
    const claimJob = (instance: string, now: number, dead?: 'all others') =>
      store().claimJob({ instance, now, leaseMs: LEASE_MS, ...(dead && { deadHolders: dead }) });
    const claimMail = async (instance: string, now: number, dead?: 'all others') =>
      (
        await store().claimOutbox({ instance, now, leaseMs: LEASE_MS, limit: 1, ...(dead && { deadHolders: dead }) })
      )[0];
    it('keeps everybody else away until its end', async () => {
      expect(await claimJob('one', NOON)).toMatchObject({ id: 'job' });
      expect(await claimMail('one', NOON)).toMatchObject({ id: 'mail' });
      expect(await claimJob('two', NOON + LEASE_MS - 1)).toBeUndefined();
      expect(await claimMail('two', NOON + LEASE_MS - 1)).toBeUndefined();
      expect(await claimJob('two', NOON + LEASE_MS)).toMatchObject({ id: 'job' });
      expect(await claimMail('two', NOON + LEASE_MS)).toMatchObject({ id: 'mail', crashed: true });
    });

    it('is over at once for whoever proves that its holder is dead', async () => {
      await claimJob('one', NOON);
      await claimMail('one', NOON);
      expect(await store().nextDue({ instance: 'two', deadHolders: 'all others' })).toMatchObject({
        outbox: 0,
        jobs: NOON,
      });
      expect(await claimJob('two', NOON + 1, 'all others')).toMatchObject({ id: 'job' });
      expect(await claimMail('two', NOON + 1, 'all others')).toMatchObject({ id: 'mail', crashed: true });
      // Its own leases are not those of the dead.
      expect(await claimJob('two', NOON + 2, 'all others')).toBeUndefined();
      expect(await claimMail('two', NOON + 2, 'all others')).toBeUndefined();
    });

    it('lasts as long as its holder extends it', async () => {
      const job = await claimJob('one', NOON);
      const mail = await claimMail('one', NOON);
      expect(await store().extendJob('job', job?.lease ?? '', NOON + 10 * LEASE_MS)).toBe(true);
      expect(await store().extendOutbox('mail', mail?.leased_by ?? '', NOON + 10 * LEASE_MS)).toBe(true);
      expect(await claimJob('two', NOON + 9 * LEASE_MS)).toBeUndefined();
      expect(await claimMail('two', NOON + 9 * LEASE_MS)).toBeUndefined();
      expect(await store().nextDue({ instance: 'two' })).toMatchObject({
        outbox: NOON + 10 * LEASE_MS,
        jobs: NOON + 10 * LEASE_MS,
      });
    });

    it('that was lost neither extends nor settles', async () => {
      const job = await claimJob('one', NOON);
      const mail = await claimMail('one', NOON);
      await claimJob('two', NOON + LEASE_MS);
      const taken = await claimMail('two', NOON + LEASE_MS);
      expect(await store().extendJob('job', job?.lease ?? '', NOON)).toBe(false);
      expect(await store().extendOutbox('mail', mail?.leased_by ?? '', NOON)).toBe(false);
      await expect(store().settleOutbox('mail', attempted('sent', { lease: mail?.leased_by ?? null }))).rejects.toThrow(
        FencedError,
      );
      await store().settleOutbox('mail', attempted('sent', { lease: taken?.leased_by ?? null }));
      expect(await store().getOutbox('mail')).toMatchObject({ state: 'sent' });
    });
  });
};
