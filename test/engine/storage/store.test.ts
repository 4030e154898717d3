import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { FencedError } from '../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { personaMigrations } from '../../../engine/storage/sqlite/persona/migrations.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import type { NewMessage } from '../../../engine/storage/types/mail.ts';
import type { NewOutboxMail } from '../../../engine/storage/types/outbox.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY = '2026-11-21';
const KEPT = { raw_sha256: 'a'.repeat(64), code: 'bounce', message_id: '<b@out.example>', bytes: 1, at: NOON };
const folder = mkdtempSync(join(tmpdir(), 'epistle-store-'));
const open: Store[] = [];
const numbers = { next: 0 };

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newStore(file = join(folder, `${numbers.next++}.db`)): Store {
  const store = openStore(file);
  open.push(store);
  return store;
}

const message = (id: string, thread: string, change: Partial<NewMessage> = {}): NewMessage => ({
  id,
  thread_id: thread,
  direction: 'in',
  message_id: `<${id}@x.example>`,
  duplicate_key: id,
  from_address: 'mia@member.example',
  to: [],
  cc: [],
  subject: 'Plan',
  references: [],
  received_at: NOON,
  text: `the text of ${id}`,
  new_text: '',
  ...change,
});

/** A mail with its run, in a thread of its own or in one that is there. */
async function accept(store: Store, id: string, thread?: string): Promise<void> {
  const threadId = thread ?? `t-${id}`;
  const query = {
    duplicateKey: id,
    messageId: `<${id}@x.example>`,
    sender: 'mia@member.example',
    proven: true,
    references: [],
    countTo: 120,
    signatures: [],
    forgottenBefore: 0,
    now: NOON,
  };
  await store.acceptMail(query, () => ({
    verdict: null,
    ...(thread ? {} : { newThread: { id: threadId, kind: 'thread', subject: 'Plan' } }),
    message: message(id, threadId, { run_id: `r-${id}` }),
    viewers: ['mia@member.example'],
    participants: [{ address: 'mia@member.example', role: 'sender' }],
    run: {
      id: `r-${id}`,
      thread_id: threadId,
      message: id,
      message_id: `<${id}@x.example>`,
      kind: 'message',
      status: 'queued',
      tier: 'member',
      recursion: 3,
      due_at: NOON,
      created_at: NOON,
    },
  }));
}

const claim = async (store: Store, instance = 'one', now = NOON) =>
  (await store.claimRuns({ instance, now, leaseMs: 1000, day: DAY, limit: 1 }))[0];

const outgoing = (id: string, change: Partial<NewOutboxMail> = {}) => ({
  row: {
    id,
    run_id: 'r-a',
    purpose: 'final',
    ordinal: 0,
    message_id: `<${id}@out.example>`,
    kind: 'reply',
    envelope_from: 'ada@agents.localhost',
    raw: Buffer.from(`bytes of ${id}`),
    state: 'queued',
    next_attempt_at: NOON,
    created_at: NOON,
    updated_at: NOON,
    ...change,
  } satisfies NewOutboxMail,
  recipients: ['mia@member.example', 'zoe@member.example'],
});

async function finish(store: Store, lease: { runId: string; fence: number }, mail: ReturnType<typeof outgoing>) {
  const reply = message(mail.row.id, 't-a', { direction: 'out', duplicate_key: null, run_id: lease.runId });
  await store.finishRun({
    lease,
    firstSeq: 10,
    events: [ownEvent('run_ended', {})],
    patch: { status: 'done', outcome: 'final', leased_by: null, leased_until: null },
    now: NOON,
    reply: { message: reply, mail, participants: ['zoe@member.example'] },
    jobs: [{ id: 'job', kind: 'notice', due_at: NOON, payload: '{}' }],
  });
}

describe('claiming runs', () => {
  it('gives each to one worker, oldest first, and one per thread', async () => {
    const store = newStore();
    await accept(store, 'a');
    await accept(store, 'b', 't-a');
    await accept(store, 'c');
    const claimed = await Promise.all([1, 2, 3, 4].map(() => claim(store)));
    expect(claimed.map((one) => one?.run.id)).toEqual(['r-a', 'r-c', undefined, undefined]);
    expect(await claim(store)).toBeUndefined();
  });

  it('takes a dead process’s runs over at once and a live one’s only after its lease', async () => {
    const store = newStore();
    await accept(store, 'a');
    expect(await claim(store)).toMatchObject({ run: { fence: 1 }, crashes: 0 });
    expect(await claim(store, 'one', NOON + 999)).toBeUndefined();
    expect(await claim(store, 'two', NOON + 1)).toMatchObject({ run: { fence: 2 }, crashes: 1 });
    expect(await claim(store, 'two', NOON + 1001)).toMatchObject({ run: { fence: 3 }, crashes: 2 });
  });

  it('counts a run on its day once, with its number', async () => {
    const store = newStore();
    await accept(store, 'a');
    await accept(store, 'b');
    await claim(store);
    await claim(store, 'two');
    const second = await claim(store, 'two');
    const started = second?.events.find(({ type }) => type === 'run_started');
    expect(JSON.parse(started?.payload_json ?? '{}')).toMatchObject({ run_of_day: 2 });
    expect(await store.budgetOfDay(DAY)).toMatchObject({ runs: 2 });
  });
});

describe('a worker whose lease was taken', () => {
  it('can neither commit, finish nor put back, and nothing of what it tried is there', async () => {
    const store = newStore();
    await accept(store, 'a');
    const old = await claim(store);
    await claim(store, 'two');
    const lease = { runId: 'r-a', fence: old?.run.fence ?? 0 };
    const step = {
      lease,
      firstSeq: 5,
      events: [ownEvent('decision', {})],
      patch: { active_ms: 1 },
      now: NOON,
    };
    await expect(store.commitStep({ ...step, spent: { day: DAY, usd: 1, tokens: 5 } })).rejects.toThrow(FencedError);
    await expect(finish(store, lease, outgoing('o1'))).rejects.toThrow(FencedError);
    await expect(store.releaseFaulted(lease, NOON)).rejects.toThrow(FencedError);
    await expect(store.releaseRun(lease, NOON)).rejects.toThrow(FencedError);
    expect((await store.runEvents('r-a')).map(({ type }) => type)).toEqual(['run_queued', 'run_started']);
    expect(await store.listOutbox({ limit: 10 })).toEqual([]);
    expect(await store.dueJobs(NOON, 10)).toEqual([]);
    expect(await store.threadMessages('t-a', 10)).toHaveLength(1);
    expect(await store.budgetOfDay(DAY)).toMatchObject({ usd: 0, tokens: 0 });
  });

  it('does not take down what others commit in the same turn', async () => {
    const store = newStore();
    await accept(store, 'a');
    await accept(store, 'b');
    const stale = { runId: 'r-a', fence: 99 };
    const live = await claim(store).then(() => claim(store));
    const lease = { runId: live?.run.id ?? '', fence: live?.run.fence ?? 0 };
    const step = (of: typeof lease) =>
      store.commitStep({
        lease: of,
        firstSeq: 2,
        events: [ownEvent('decision', {})],
        patch: { active_ms: 1 },
        now: NOON,
      });
    const settled = await Promise.allSettled([step(stale), step(lease), step(stale)]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await store.runEvents(lease.runId)).toHaveLength(3);
  });
});

describe('the end of a run', () => {
  it('is there with its reply, its mail and its jobs, also after the process is gone', async () => {
    const file = join(folder, 'kept.db');
    const store = newStore(file);
    await accept(store, 'a');
    const claimed = await claim(store);
    await finish(store, { runId: 'r-a', fence: claimed?.run.fence ?? 0 }, outgoing('o1'));
    const again = newStore(file);
    expect(await again.getRun('r-a')).toMatchObject({ status: 'done', outcome: 'final' });
    expect((await again.threadMessages('t-a', 10)).map(({ id }) => id)).toEqual(['o1', 'a']);
    expect(Buffer.from((await again.outboxRaw('o1'))?.raw ?? []).toString()).toBe('bytes of o1');
    expect((await again.dueJobs(NOON, 10)).map(({ id }) => id)).toEqual(['job']);
  });
});

describe('the outbox', () => {
  const sent = (attempts: number) => ({
    state: 'sent' as const,
    attempts,
    nextAttemptAt: 0,
    unknownSince: null,
    lastError: null,
    now: NOON,
    recipients: ['mia@member.example', 'zoe@member.example'].map((address) => ({
      ...{ address, state: 'sent' as const, smtp: '250' },
    })),
  });
  const notice = (store: Store, id: string, purpose: string) =>
    store.queueNotice('job', outgoing(id, { run_id: '', purpose, kind: 'notice' }));

  it('holds one mail per run, purpose and ordinal, whoever tries again', async () => {
    const store = newStore();
    await notice(store, 'n1', 'notice:budget:2026-11-21');
    await notice(store, 'n2', 'notice:budget:2026-11-21');
    await notice(store, 'n3', 'notice:budget:2026-11-22');
    expect((await store.listOutbox({ limit: 10 })).map(({ id }) => id)).toEqual(['n3', 'n1']);
  });

  it('gives each mail to one worker, and says of a dead worker’s that nobody knows', async () => {
    const store = newStore();
    await notice(store, 'n1', 'one');
    const claimFor = (instance: string, now = NOON) => store.claimOutbox({ instance, now, leaseMs: 1000, limit: 8 });
    const first = await claimFor('one');
    expect(first).toMatchObject([{ id: 'n1', crashed: false, recipients: [{ state: 'queued' }, { state: 'queued' }] }]);
    expect(await claimFor('one')).toEqual([]);
    expect(await claimFor('two')).toMatchObject([{ crashed: true }]);
    await store.settleOutbox('n1', sent(1));
    expect(await claimFor('two', NOON + 1e9)).toEqual([]);
  });

  it('marks the recipients that a bounce names, and no mail of anybody else’s', async () => {
    const store = newStore();
    await store.queueNotice('job', outgoing('n1'));
    await store.settleOutbox('n1', sent(1));
    const told = (outboxId: string) => [{ id: `n:${outboxId}`, kind: 'notice' as const, due_at: NOON, payload: '{}' }];
    const bounce = (messageId: string, address: string) =>
      store.recordBounce({ messageId, failed: [{ address, smtp: '550' }], now: NOON, kept: KEPT, notices: told });
    await bounce('<n1@out.example>', 'stranger@evil.example');
    await bounce('<other@out.example>', 'mia@member.example');
    expect(await store.dueJobs(NOON, 10)).toEqual([]);
    await bounce('<n1@out.example>', 'MIA@member.example');
    expect(await store.getOutbox('n1')).toMatchObject({ state: 'failed', last_error: '550' });
    expect((await store.dueJobs(NOON, 10)).map(({ id }) => id)).toEqual(['n:n1']);
  });
});

describe('search', () => {
  it('finds what its reader may see and takes no syntax from the words', async () => {
    const store = newStore();
    await accept(store, 'a');
    await accept(store, 'b');
    const found = async (query: string, address: string | null) =>
      (await store.search({ query, limit: 10, viewer: address === null ? null : { address, threadId: null } })).length;
    expect(await found('text', 'mia@member.example')).toBe(2);
    expect(await found('text', 'zoe@member.example')).toBe(0);
    expect(await found('text', null)).toBe(2);
    for (const hostile of ['"', 'text"', 'NEAR(', '* OR *', 'subject:', "'; drop table runs; --", '\u0000', '(((']) {
      await expect(found(hostile, null)).resolves.toBeTypeOf('number');
    }
    expect(await store.getRun('r-a')).toBeDefined();
  });
});

describe('a database', () => {
  it('of the first version is brought up to date with what is in it', async () => {
    const file = join(folder, 'old.db');
    const old = new SQLite(file);
    old.exec(personaMigrations[0] ?? '');
    old.exec(`insert into budget_days (day, runs) values ('${DAY}', 7)`);
    old.pragma('user_version = 1');
    old.close();
    const store = newStore(file);
    expect(await store.budgetOfDay(DAY)).toMatchObject({ runs: 7 });
    const job = { id: 'near', kind: 'waiting_notice' as const, due_at: NOON, payload: '{}' };
    await store.warnOnce(DAY, NOON, job);
    await store.endJob('near');
    await store.warnOnce(DAY, NOON, job);
    expect(await store.dueJobs(NOON, 10)).toEqual([]);
  });

  it('of before it was written down who may see a message is told by what its mails say', async () => {
    const file = join(folder, 'unseen.db');
    const old = new SQLite(file);
    const version = personaMigrations.findIndex((sql) => sql.includes('create table message_viewers'));
    for (const sql of personaMigrations.slice(0, version)) old.exec(sql);
    old.exec(`insert into threads (id, kind, subject, created_at, updated_at) values ('t', 'thread', '', 0, 0)`);
    const insert = old.prepare(
      `insert into messages (id, thread_id, direction, message_id, from_address, to_json, cc_json, subject, references_json,
         received_at, tier, text, new_text) values (?, 't', ?, ?, ?, ?, ?, '', '[]', 0, ?, 'words', '')`,
    );
    const mia = 'mia@member.example';
    insert.run('sent', 'in', '<sent>', mia, '["ada@x.example"]', '[]', 'member');
    insert.run('copied', 'in', '<copied>', 'boss@x.example', '["ada@x.example"]', '["Mia@Member.Example"]', 'owner');
    insert.run('private', 'in', '<private>', 'boss@x.example', '["ada@x.example"]', '[]', 'owner');
    insert.run('forged', 'in', '<forged>', mia, '["ada@x.example"]', '[]', 'unauthenticated');
    insert.run('task', 'in', '<task>', null, '["ada@x.example"]', '[]', 'owner');
    insert.run('answer', 'out', '<answer>', 'ada@x.example', '["mia@member.example"]', '[]', null);
    insert.run('other', 'out', '<other>', 'ada@x.example', '["boss@x.example"]', '[]', null);
    old.pragma(`user_version = ${version}`);
    old.close();
    const store = newStore(file);
    const seenBy = async (address: string | null) => {
      const viewer = address === null ? null : { address, threadId: null };
      return (await store.threadPage('t', 1e9, 50, viewer)).map(({ id }) => id);
    };
    expect(await seenBy(mia)).toEqual(['answer', 'copied', 'sent']);
    expect(await seenBy('boss@x.example')).toEqual(['other', 'private', 'copied']);
    expect(await seenBy('')).toEqual([]);
    expect(await seenBy(null)).toHaveLength(7);
  });

  it('is closed once all that was asked for is in it', async () => {
    const file = join(folder, 'closed.db');
    const store = openStore(file);
    const job = { kind: 'notice' as const, due_at: NOON, payload: '{}' };
    const asked = ['one', 'two'].map((id) => store.addJobs([{ ...job, id }]));
    await store.close();
    await Promise.all(asked);
    expect((await newStore(file).dueJobs(NOON, 9)).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('of a later version is left alone', () => {
    const file = join(folder, 'new.db');
    const later = new SQLite(file);
    later.pragma('user_version = 999');
    later.close();
    expect(() => openStore(file)).toThrow('written by a newer version');
  });
});
