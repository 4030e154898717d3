import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FencedError } from '../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const LEASE_MS = 2000;
let store: Store;
beforeEach(async () => {
  store = openStore(':memory:');
  await store.addJobs([{ id: 'job', kind: 'notice', due_at: NOON, payload: '{}' }]);
  await store.queueNotice('none', {
    row: {
      ...{ id: 'mail', run_id: '', purpose: 'p', ordinal: 0, thread_id: null, message_id: '<m@x>', in_reply_to: null },
      ...{ kind: 'notice', mailbox: null, envelope_from: 'a@x', raw: new Uint8Array(), state: 'queued' },
      ...{ leased_by: null, next_attempt_at: NOON, trying_since: null, unknown_since: null, last_error: null },
      ...{ created_at: NOON, updated_at: NOON },
    },
    recipients: ['b@x'],
  });
});
afterEach(() => store.close());

const claimJob = (instance: string, now: number, dead?: 'all others') =>
  store.claimJob({ instance, now, leaseMs: LEASE_MS, ...(dead && { deadHolders: dead }) });
const claimMail = async (instance: string, now: number, dead?: 'all others') =>
  (await store.claimOutbox({ instance, now, leaseMs: LEASE_MS, limit: 1, ...(dead && { deadHolders: dead }) }))[0];
const sent = (lease: string | null) => ({
  ...{ state: 'sent' as const, attempts: 1, nextAttemptAt: 0, unknownSince: null, lastError: null, now: NOON },
  ...{ recipients: [{ address: 'b@x', state: 'sent' as const, smtp: null }], lease },
});

describe('a lease of a mail or a job', () => {
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
    expect(await store.nextDue({ instance: 'two', deadHolders: 'all others' })).toMatchObject({
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
    expect(await store.extendJob('job', job?.lease ?? '', NOON + 10 * LEASE_MS)).toBe(true);
    expect(await store.extendOutbox('mail', mail?.leased_by ?? '', NOON + 10 * LEASE_MS)).toBe(true);
    expect(await claimJob('two', NOON + 9 * LEASE_MS)).toBeUndefined();
    expect(await claimMail('two', NOON + 9 * LEASE_MS)).toBeUndefined();
    expect(await store.nextDue({ instance: 'two' })).toMatchObject({
      outbox: NOON + 10 * LEASE_MS,
      jobs: NOON + 10 * LEASE_MS,
    });
  });

  it('that was lost neither extends nor settles', async () => {
    const job = await claimJob('one', NOON);
    const mail = await claimMail('one', NOON);
    await claimJob('two', NOON + LEASE_MS);
    const taken = await claimMail('two', NOON + LEASE_MS);
    expect(await store.extendJob('job', job?.lease ?? '', NOON)).toBe(false);
    expect(await store.extendOutbox('mail', mail?.leased_by ?? '', NOON)).toBe(false);
    await expect(store.settleOutbox('mail', sent(mail?.leased_by ?? null))).rejects.toThrow(FencedError);
    await store.settleOutbox('mail', sent(taken?.leased_by ?? null));
    expect(await store.getOutbox('mail')).toMatchObject({ state: 'sent' });
  });
});
