import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import { createDraftWatcher } from '../../../../engine/delivery/drafts/watch-drafts.ts';
import { createOutboxLane } from '../../../../engine/delivery/outbox-lane.ts';
import { announceBy } from '../../../../engine/dispatch/work-queue.ts';
import { passThrough } from '../../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { openGatewayStore } from '../../../../engine/storage/sqlite/gateway/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import type { AppendedDraft, DraftsFolder, SeenDraft } from '../../../../engine/storage/types/drafts.ts';
import { accept, finish, leased, NOON, outgoing } from '../../../storage/world.ts';

const ADA = { ...personaSchema.parse({ name: 'Ada', address: 'ada@agents.localhost' }), id: 'ada', owners: [] };
const SECOND = 1000;
const MINUTE = 60 * SECOND;

let folder: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-drafts-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A run that has ended in a draft, in a real database, and a mailbox that does what the test says. */
async function rig() {
  const gateway = openGatewayStore(join(folder, 'gateway.db'));
  const store = openStore(join(folder, 'persona.db'));
  closers.push(gateway.close, store.close);
  await accept(store, 'a');
  await finish(store, await leased(store), outgoing('mail-1', { mode: 'draft' }));
  const time = { now: NOON };
  const there = { appended: 0, lies: false, seen: null as SeenDraft | null, answer: 'lies' as AppendedDraft['kind'] };
  const place = { folder: 'Drafts', uidvalidity: '7', uid: 1 };
  const drafts: DraftsFolder = {
    async append() {
      if (there.answer === 'lies' || there.answer === 'unknown') {
        there.appended += 1;
        there.lies = true;
      }
      if (there.answer === 'lies') return { kind: 'lies', place };
      return there.answer === 'no_folder' ? { kind: 'no_folder' } : { kind: there.answer, message: 'as scripted' };
    },
    look: async (wanted) =>
      new Map(wanted.map(({ key }) => [key, there.seen ?? (there.lies ? { in: 'drafts', place } : { in: 'neither' })])),
  };
  const clock = { now: () => time.now, sleep: () => Promise.reject(new Error('nobody sleeps here')) };
  const delivery = () => ({ first_retry_s: 30, max_retry_s: 3600, give_up_hours: 48, watch_drafts_days: 30 });
  const shared = { gateway, delivery, clock, log: silentLog, draftsOf: () => ({ id: 'main', folder: drafts }) };
  const lane = createOutboxLane({
    ...shared,
    announce: announceBy(gateway, clock.now, () => {}),
    routeOf: () => null,
    hasMailbox: () => true,
    findPersona: () => undefined,
    outgoingFolder: join(folder, 'outgoing'),
    isOfChat: (id) => id === '<line@chat.test>',
    holder: { instance: 'one', deadHolders: 'all others' },
    random: () => 0,
    pass: passThrough,
  });
  const watcher = createDraftWatcher({
    ...shared,
    parse: () => Promise.reject(new Error('nothing is read here')),
    pass: passThrough,
  });
  return {
    store,
    there,
    async deliverAt(now: number) {
      time.now = now;
      const [work] = await lane.claim('ada', store, 1);
      await work?.(store, new AbortController().signal);
    },
    claimByTheDead: () =>
      store.claimOutbox({ instance: 'dead', deadHolders: 'all others', now: NOON, leaseMs: 1000, limit: 1 }),
    /** The job that looks for drafts, if it is due by then. */
    async lookAt(now: number) {
      time.now = now;
      const job = (await store.dueJobs(now, 10)).find(({ kind }) => kind === 'draft_watch');
      if (job) await watcher.prepare(job)(ADA, store, new AbortController().signal);
      return job !== undefined;
    },
    state: async () => (await store.getOutbox('mail-1'))?.state,
    notices: async () =>
      (await store.dueJobs(Number.MAX_SAFE_INTEGER, 20)).map(({ id }) => id).filter((id) => id.startsWith('notice:')),
  };
}

describe('an answer for Drafts', () => {
  it('is put there once, and its owners hear of it once', async () => {
    const { deliverAt, state, there, notices, store } = await rig();
    await deliverAt(NOON);
    await deliverAt(NOON + MINUTE);
    expect([await state(), there.appended]).toEqual(['draft', 1]);
    expect(await notices()).toEqual(['notice:drafted:mail-1']);
    expect(await store.threadMessages('t-a', 10)).toHaveLength(1);
  });

  it('that a dead process had in hand is found, or put there when two minutes are over', async () => {
    const found = await rig();
    await found.claimByTheDead();
    found.there.lies = true;
    await found.deliverAt(NOON + SECOND);
    expect([await found.state(), found.there.appended]).toEqual(['draft', 0]);
  });

  it('that a dead process had not handed over is put there when two minutes are over', async () => {
    const { claimByTheDead, deliverAt, state, there } = await rig();
    await claimByTheDead();
    await deliverAt(NOON + SECOND);
    await deliverAt(NOON + MINUTE);
    expect([await state(), there.appended]).toEqual(['unknown', 0]);
    await deliverAt(NOON + 3 * MINUTE);
    expect([await state(), there.appended]).toEqual(['draft', 1]);
  });

  it('whose answer was lost on the line is looked for, and not put there twice', async () => {
    const { deliverAt, state, there } = await rig();
    there.answer = 'unknown';
    await deliverAt(NOON);
    expect(await state()).toBe('unknown');
    there.answer = 'lies';
    await deliverAt(NOON + MINUTE);
    await deliverAt(NOON + 10 * MINUTE);
    expect([await state(), there.appended]).toEqual(['draft', 1]);
  });

  it('fails where the mailbox has no folder for drafts, and is put there when an owner has made one', async () => {
    const { deliverAt, state, there, notices, store } = await rig();
    there.answer = 'no_folder';
    await deliverAt(NOON);
    expect(await state()).toBe('failed');
    expect(await notices()).toEqual([`notice:not_drafted:mail-1:${NOON}`]);
    there.answer = 'lies';
    expect(await store.changeOutbox({ id: 'mail-1', change: 'retry', now: NOON + MINUTE })).toBe('changed');
    await deliverAt(NOON + MINUTE);
    expect([await state(), there.appended]).toEqual(['draft', 1]);
  });
});

describe('a draft that is looked for', () => {
  it('is deleted when it is missed for two minutes; put back by an owner it lies there again', async () => {
    const { deliverAt, lookAt, state, there, store } = await rig();
    await deliverAt(NOON);
    expect(await lookAt(NOON + 30 * SECOND)).toBe(false);
    there.lies = false;
    await lookAt(NOON + MINUTE);
    expect(await state()).toBe('draft');
    await lookAt(NOON + 4 * MINUTE);
    expect(await state()).toBe('deleted');
    await store.changeOutbox({ id: 'mail-1', change: 'retry', now: NOON + 5 * MINUTE });
    await deliverAt(NOON + 5 * MINUTE);
    expect([await state(), there.appended]).toEqual(['draft', 2]);
    expect(await lookAt(NOON + 6 * MINUTE)).toBe(true);
  });

  it('is looked for no more after 30 days, and the job ends with it', async () => {
    const { deliverAt, lookAt, state, store } = await rig();
    await deliverAt(NOON);
    await lookAt(NOON + 30 * 24 * 60 * MINUTE);
    expect(await state()).toBe('draft');
    expect((await store.getDraft('mail-1'))?.look_at).toBeNull();
    expect(await lookAt(Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
