import type { ExtensionRecord } from '../extensions/types.ts';
import { iso } from '../lib/clock.ts';
import type { DeadLetter } from '../storage/types/gateway.ts';
import type { StoredMessage, StoredThread } from '../storage/types/mail.ts';
import type { OutboxMail, OutboxRecipient } from '../storage/types/outbox.ts';
import type { StoredRun } from '../storage/types/runs.ts';

// The JSON shapes of interfaces.md section 4, from rows.

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

export const runShape = (persona: string, run: StoredRun) => ({
  id: run.id,
  persona,
  thread_id: run.thread_id,
  message_id: run.message_id,
  kind: run.kind,
  // It is queued, and not worked before what it waits for is over.
  status: run.deferred_code === null ? run.status : 'deferred',
  outcome: run.outcome,
  code: run.deferred_code ?? run.code,
  provider: run.provider,
  model: run.model,
  model_calls: run.model_calls,
  tool_calls: run.tool_calls,
  tokens: { input: run.input_tokens, output: run.output_tokens, cached: run.cached_tokens },
  cost_usd: run.cost_usd,
  deferred_until: isoOrNull(run.deferred_until),
  created_at: iso(run.created_at),
  started_at: isoOrNull(run.started_at),
  ended_at: isoOrNull(run.ended_at),
  reply_message_id: run.reply_message_id,
});

type ListedOutbox = Pick<
  OutboxMail,
  'id' | 'run_id' | 'message_id' | 'in_reply_to' | 'kind' | 'state' | 'attempts' | 'next_attempt_at' | 'last_error'
>;

export const outboxShape = (
  persona: string,
  mail: ListedOutbox,
  recipients: readonly Pick<OutboxRecipient, 'outbox_id' | 'address' | 'state' | 'smtp'>[],
) => ({
  id: mail.id,
  persona,
  run_id: mail.run_id === '' ? null : mail.run_id,
  message_id: mail.message_id,
  in_reply_to: mail.in_reply_to,
  kind: mail.kind,
  to: recipients
    .filter((recipient) => recipient.outbox_id === mail.id)
    .map(({ address, state, smtp }) => ({ address, state, smtp })),
  state: mail.state,
  attempts: mail.attempts,
  next_attempt_at: mail.state === 'queued' || mail.state === 'unknown' ? iso(mail.next_attempt_at) : null,
  last_error: mail.last_error,
});

export const threadShape = (persona: string, thread: StoredThread) => ({
  id: thread.id,
  persona,
  kind: thread.kind,
  subject: thread.subject,
  message_count: thread.message_count,
  created_at: iso(thread.created_at),
  updated_at: iso(thread.updated_at),
});

export const messageShape = (message: StoredMessage) => ({
  message_id: message.message_id,
  direction: message.direction,
  from: message.from_address,
  to: message.to,
  cc: message.cc,
  subject: message.subject,
  tier: message.tier,
  received_at: iso(message.received_at),
  run_id: message.run_id,
  text: message.text,
});

export const deadLetterShape = (letter: DeadLetter) => ({
  id: letter.id,
  persona: letter.persona_id,
  message_id: letter.message_id,
  stage: letter.stage,
  code: letter.code,
  message: letter.message,
  raw_path: letter.raw_path,
  at: iso(letter.at),
});

export const extensionShape = ({ kind, name, source, path, version, state, replaces, error }: ExtensionRecord) => ({
  kind,
  name,
  source,
  path,
  version,
  state,
  replaces,
  error,
});
