import { afterEach, beforeEach } from 'vitest';
import type { ArrivalQuery, NewArrival } from '../../engine/storage/ports/mail.ts';
import type { OutboxOutcome } from '../../engine/storage/ports/outbox.ts';
import type { RunsClaim, StepBatch } from '../../engine/storage/ports/runs.ts';
import type { Store } from '../../engine/storage/ports/store.ts';
import type { Approval, ApprovalNotice } from '../../engine/storage/types/approvals.ts';
import type { NewMessage } from '../../engine/storage/types/mail.ts';
import type { NewOutboxMail, OutgoingMail } from '../../engine/storage/types/outbox.ts';
import type { Lease } from '../../engine/storage/types/runs.ts';
import { ownEvent } from '../../engine/storage/types/runs.ts';
import type { StorageEngine } from './engine.ts';

export const NOON = Date.parse('2026-11-21T12:00:00Z');
export const DAY = '2026-11-21';
export const MIA = 'mia@member.example';
export const ZOE = 'zoe@member.example';

/** A store for each test, of the engine under test. */
export function eachWithAStore({ openStore }: StorageEngine): () => Store {
  let store: Store | undefined;
  beforeEach(async () => {
    store = await openStore();
  });
  afterEach(() => store?.close());
  return () => {
    if (!store) throw new Error('no test is running');
    return store;
  };
}

export const message = (id: string, thread: string, change: Partial<NewMessage> = {}): NewMessage => ({
  id,
  thread_id: thread,
  direction: 'in',
  message_id: `<${id}@x.example>`,
  duplicate_key: id,
  from_address: MIA,
  to: [],
  cc: [],
  subject: 'Plan',
  references: [],
  received_at: NOON,
  text: `the text of ${id}`,
  new_text: '',
  ...change,
});

export const arrival = (id: string, change: Partial<ArrivalQuery> = {}): ArrivalQuery => ({
  duplicateKey: id,
  messageId: `<${id}@x.example>`,
  sender: MIA,
  proven: true,
  references: [],
  limits: [120],
  signatures: [],
  forgottenBefore: 0,
  now: NOON,
  ...change,
});

/** A mail with its run, in a thread of its own or in one that is there. */
export const plan = (id: string, { thread, after = 0 }: { thread?: string; after?: number } = {}): NewArrival => {
  const threadId = thread ?? `t-${id}`;
  return {
    ...(thread ? {} : { newThread: { id: threadId, kind: 'thread', subject: 'Plan' } }),
    message: message(id, threadId, { run_id: `r-${id}` }),
    viewers: [MIA],
    participants: [{ address: MIA, role: 'sender' }],
    run: {
      id: `r-${id}`,
      thread_id: threadId,
      message: id,
      message_id: `<${id}@x.example>`,
      kind: 'message',
      status: 'queued',
      sender: MIA,
      tier: 'member',
      recursion: 3,
      due_at: NOON + after,
      created_at: NOON + after,
    },
  };
};

/** Stores a mail as if it had just come and been decided about. */
export async function arrive(store: Store, query: ArrivalQuery, arriving: NewArrival): Promise<void> {
  const rows = await store.readForArrival(query);
  if (!(await store.keepArrival(arriving, { query, rows }))) throw new Error('the rows changed meanwhile');
}

export const accept = async (
  store: Store,
  id: string,
  where: { thread?: string; after?: number } = {},
): Promise<void> => {
  await arrive(store, arrival(id), plan(id, where));
};

export const claim = async (store: Store, change: Partial<RunsClaim> = {}) =>
  (
    await store.claimRuns({
      instance: 'one',
      deadHolders: 'all others',
      now: NOON,
      leaseMs: 1000,
      day: DAY,
      limit: 1,
      ...change,
    })
  )[0];

/** Claims the oldest due run and says under which lease. */
export async function leased(store: Store, change: Partial<RunsClaim> = {}): Promise<Lease> {
  const claimed = await claim(store, change);
  if (!claimed) throw new Error('nothing is due');
  return { runId: claimed.run.id, fence: claimed.run.fence };
}

export const step = (lease: Lease, change: Partial<StepBatch> = {}): StepBatch => ({
  lease,
  firstSeq: 5,
  events: [ownEvent('decision', {})],
  patch: { active_ms: 1 },
  now: NOON,
  ...change,
});

export const outgoing = (id: string, change: Partial<NewOutboxMail> = {}): OutgoingMail => ({
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
  },
  recipients: [MIA, ZOE],
});

export const attempted = (state: OutboxOutcome['state'], change: Partial<OutboxOutcome> = {}): OutboxOutcome => ({
  state,
  attempts: 1,
  nextAttemptAt: NOON,
  unknownSince: null,
  lastError: null,
  now: NOON,
  recipients: [MIA, ZOE].map((address) => ({ address, state: state === 'sent' ? 'sent' : 'queued', smtp: null })),
  ...change,
});

export const finish = (store: Store, lease: Lease, mail: OutgoingMail): Promise<void> =>
  store.finishRun({
    lease,
    firstSeq: 10,
    events: [ownEvent('run_ended', {})],
    now: NOON,
    patch: { status: 'done', outcome: 'final', leased_by: null, leased_until: null },
    reply: {
      message: message(mail.row.id, 't-a', { direction: 'out', duplicate_key: null, run_id: lease.runId }),
      mail,
      participants: [ZOE],
    },
    jobs: [{ id: 'job', kind: 'notice', due_at: NOON, payload: '{}' }],
  });

export const approval = (id: string, runId: string, change: Partial<Approval> = {}): Approval => ({
  id,
  run_id: runId,
  thread_id: `t-${runId.slice(2)}`,
  call_id: `call-${id}`,
  kind: 'call',
  tool: 'send_email',
  arguments_json: '{"to":"zoe@member.example"}',
  arguments_hash: 'hash',
  fingerprint: 'f',
  risk: 'external',
  preview: null,
  basis: null,
  attached: [],
  origins: [],
  likeness: null,
  teaches: null,
  offered_at: null,
  state: 'pending',
  number: null,
  notice_id: null,
  expires_at: NOON + 1000,
  decided_by: null,
  decided_at: null,
  reason: null,
  created_at: NOON,
  updated_at: NOON,
  ...change,
});

export const notice = (id: string): ApprovalNotice => ({
  id,
  token_sha256: `token of ${id}`,
  message_id: `<${id}@out.example>`,
  created_at: NOON,
  reminded_at: null,
  again_json: null,
});
