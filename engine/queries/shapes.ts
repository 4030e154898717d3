import type { ExtensionRecord } from '../extensions/types.ts';
import { iso } from '../lib/clock.ts';
import { isClosed } from '../memory/threads/closing-shown.ts';
import type { Draft } from '../storage/types/drafts.ts';
import type { DeadLetter } from '../storage/types/gateway.ts';
import type { StoredMessage, StoredThread } from '../storage/types/mail.ts';
import type { OutboxMail, OutboxRecipient } from '../storage/types/outbox.ts';
import type { StoredRun } from '../storage/types/runs.ts';

// The JSON shapes of what is stored, as every list and every page shows it. Times are ISO 8601, money is in USD.

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

type SameOfRun =
  | 'id'
  | 'thread_id'
  | 'message_id'
  | 'kind'
  | 'outcome'
  | 'provider'
  | 'model'
  | 'model_calls'
  | 'tool_calls'
  | 'cost_usd'
  | 'reply_message_id';

export interface RunShape extends Pick<StoredRun, SameOfRun> {
  readonly persona: string;
  /** Of a child run: the run that began it; absent of any other. */
  readonly parent_run_id?: string;
  readonly status: StoredRun['status'] | 'deferred';
  readonly code: string | null;
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number };
  readonly deferred_until: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export const runShape = (persona: string, run: StoredRun): RunShape => ({
  id: run.id,
  persona,
  thread_id: run.thread_id,
  message_id: run.message_id,
  kind: run.kind,
  ...(run.parent_run_id === null ? {} : { parent_run_id: run.parent_run_id }),
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

type SameOfOutbox = 'id' | 'message_id' | 'in_reply_to' | 'kind' | 'state' | 'attempts' | 'last_error';

export interface OutboxShape extends Pick<OutboxMail, SameOfOutbox> {
  readonly persona: string;
  /** Null for mail of no run. */
  readonly run_id: string | null;
  readonly to: readonly Pick<OutboxRecipient, 'address' | 'state' | 'smtp'>[];
  /** Null while nothing is to be tried. */
  readonly next_attempt_at: string | null;
}

export const outboxShape = (
  persona: string,
  mail: Pick<OutboxMail, SameOfOutbox | 'run_id' | 'next_attempt_at'>,
  recipients: readonly Pick<OutboxRecipient, 'outbox_id' | 'address' | 'state' | 'smtp'>[],
): OutboxShape => ({
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

export interface DraftShape extends Pick<Draft, 'folder' | 'sent_message_id' | 'edited'> {
  readonly mailbox: string | null;
  readonly since: string | null;
  /** Since when it is missed without a trace of having been sent. */
  readonly missed_since: string | null;
  readonly looked_at: string | null;
  /** Null where nobody looks for it any more. */
  readonly next_look_at: string | null;
}

export const draftShape = (draft: Draft, mailbox: { readonly id: string } | null): DraftShape => ({
  mailbox: mailbox?.id ?? null,
  folder: draft.folder,
  since: isoOrNull(draft.appended_at),
  missed_since: isoOrNull(draft.gone_since),
  looked_at: isoOrNull(draft.looked_at),
  next_look_at: isoOrNull(draft.look_at),
  sent_message_id: draft.sent_message_id,
  edited: draft.edited,
});

export interface ThreadShape extends Pick<StoredThread, 'id' | 'kind' | 'subject' | 'message_count'> {
  readonly persona: string;
  readonly private: boolean;
  /** Which person answers in it in place of the persona: an address, or `cli`; null: none. */
  readonly taken_by: string | null;
  readonly taken_since: string | null;
  /** It had no mail for long; the next one opens it again. */
  readonly closed: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export const threadShape = (
  persona: string,
  thread: StoredThread,
  closing: Parameters<typeof isClosed>[1],
): ThreadShape => ({
  id: thread.id,
  persona,
  kind: thread.kind,
  subject: thread.subject,
  message_count: thread.message_count,
  private: thread.private_since !== null,
  taken_by: thread.taken_by,
  taken_since: thread.taken_at === null ? null : iso(thread.taken_at),
  closed: isClosed(thread, closing),
  created_at: iso(thread.created_at),
  updated_at: iso(thread.updated_at),
});

export interface MessageShape
  extends Pick<StoredMessage, 'message_id' | 'direction' | 'subject' | 'tier' | 'run_id' | 'text'> {
  readonly from: string | null;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly received_at: string;
}

export const messageShape = (message: StoredMessage): MessageShape => ({
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

export interface DeadLetterShape
  extends Pick<DeadLetter, 'id' | 'message_id' | 'stage' | 'code' | 'message' | 'raw_path'> {
  readonly persona: string | null;
  readonly at: string;
}

export const deadLetterShape = (letter: DeadLetter): DeadLetterShape => ({
  id: letter.id,
  persona: letter.persona_id,
  message_id: letter.message_id,
  stage: letter.stage,
  code: letter.code,
  message: letter.message,
  raw_path: letter.raw_path,
  at: iso(letter.at),
});

export const extensionShape = ({
  kind,
  name,
  source,
  path,
  version,
  state,
  replaces,
  error,
}: ExtensionRecord): ExtensionRecord => ({ kind, name, source, path, version, state, replaces, error });
