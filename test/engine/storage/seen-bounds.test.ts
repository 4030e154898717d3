import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import type { NewSeenMail } from '../../../engine/storage/types/gateway.ts';

let store: GatewayStore;
beforeEach(() => {
  store = openGatewayStore(':memory:');
});
afterEach(() => store.close());

const row = (id: string, change: Partial<NewSeenMail> = {}): NewSeenMail => ({
  message_id: id,
  persona_id: 'ada',
  recipient: 'ada@agents.localhost',
  direction: 'in',
  decision: 'refused',
  code: 'auth_failed',
  from_address: 'eve@evil.test',
  tier: null,
  detail: null,
  subject: '',
  received_at: 1000,
  thread_id: null,
  run_id: null,
  mailbox: null,
  uidvalidity: null,
  uid: null,
  ...change,
});
const has = async (id: string) => (await store.seenByMessageId(id)).length > 0;
const prune = async (limits: { olderThan?: number; rows?: number; batch?: number }) => {
  const all = { olderThan: 0, rows: 1_000_000, batch: 100, ...limits };
  let removed = 0;
  for (let last = all.batch; last >= all.batch; removed += last) last = await store.pruneSeen(all);
  return removed;
};

describe('L2: the row of a mail', () => {
  it('is bounded, however long what its sender wrote, and is found by all of its Message-ID', async () => {
    const [one, other] = ['1', '2'].map((end) => `<${'x'.repeat(900)}${end}@evil.test>`) as [string, string];
    const long = 'y'.repeat(5000);
    const all = { subject: long, detail: long, from_address: long, recipient: long };
    await store.recordSeen([row(one, { ...all, code: 'one' }), row(other, { code: 'other' })]);
    const [found, ...more] = await store.seenByMessageId(one);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ message_id: one, code: 'one' });
    expect(await store.seenByMessageId(other)).toMatchObject([{ message_id: other, code: 'other' }]);
    const { subject, detail, from_address, recipient } = found ?? {};
    expect([subject, detail, from_address, recipient].join('').length).toBeLessThan(1000);
  });
});

describe('L2: rows about mail that nobody answers', () => {
  it('go when they are too old', async () => {
    await store.recordSeen([row('<old@x>', { received_at: 10 }), row('<new@x>', { received_at: 20 })]);
    expect(await prune({ olderThan: 20 })).toBe(1);
    expect([await has('<old@x>'), await has('<new@x>')]).toEqual([false, true]);
  });

  it('go when there are too many, the oldest first, batch by batch', async () => {
    const decisions = ['refused', 'recorded', 'duplicate', 'deferred'] as const;
    for (let n = 0; n < 40; n += 1) {
      await store.recordSeen([row(`<${n}@x>`, { received_at: n, decision: decisions[n % 4] ?? 'refused' })]);
    }
    expect(await prune({ rows: 10, batch: 7 })).toBe(30);
    expect([await has('<29@x>'), await has('<30@x>')]).toEqual([false, true]);
    expect(await prune({ rows: 10, batch: 7 })).toBe(0);
  });

  it('of a sender who was let in by nobody go, too', async () => {
    for (const tier of ['stranger', 'unauthenticated'] as const) {
      await store.recordSeen([row(`<${tier}@x>`, { decision: 'recorded', code: 'loop_limit', tier })]);
    }
    expect(await prune({ olderThan: 5000 })).toBe(2);
  });

  it.each<[string, Partial<NewSeenMail>]>([
    ['a mail that was answered', { decision: 'accepted', tier: 'member', run_id: 'r1', thread_id: 't1' }],
    ['a run of a stranger', { decision: 'accepted', tier: 'stranger', run_id: 'r1', thread_id: 't1' }],
    ['an owner’s word', { decision: 'recorded', code: 'approval_answer', tier: 'owner' }],
    ['a dead letter', { decision: 'dead_letter', code: 'mime_limit', tier: 'member' }],
    ['mail that left', { direction: 'out', decision: 'sent' }],
    ['mail that waits in a mailbox', { decision: 'deferred', mailbox: 'main', uidvalidity: '1', uid: 7 }],
  ])('are not these: %s', async (_, change) => {
    await store.recordSeen([row('<kept@x>', change)]);
    expect(await prune({ olderThan: 1e9, rows: 0 })).toBe(0);
    expect(await has('<kept@x>')).toBe(true);
  });

  it('stay while the mailbox is to be read past their place, and go when the cursor has passed it', async () => {
    const place = (uid: number, uidvalidity = '5') => ({ mailbox: 'main', uidvalidity, uid });
    await store.saveCursor('main', { uidvalidity: '5', uid: 2, since: null });
    for (const uid of [1, 2, 3]) await store.recordSeen([row(`<${uid}@x>`, place(uid))], place(uid));
    await store.recordSeen([row('<anew@x>', place(1, '6'))], place(1, '6'));
    expect(await prune({ rows: 0 })).toBe(2);
    expect(await store.isPlaceSettled(place(3))).toBe(true);
    expect(await store.isPlaceSettled(place(1, '6'))).toBe(true);
    await store.saveCursor('main', { uidvalidity: '5', uid: 3, since: null });
    expect(await prune({ rows: 0 })).toBe(1);
  });

  it('are counted by code while they are there', async () => {
    await store.recordSeen([row('<1@x>'), row('<2@x>'), row('<3@x>', { code: 'sender_denied' })]);
    expect(await store.refusalCounts()).toEqual([
      { code: 'auth_failed', count: 2 },
      { code: 'sender_denied', count: 1 },
    ]);
  });
});
