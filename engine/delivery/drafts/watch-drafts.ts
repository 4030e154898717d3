import { z } from 'zod';
import type { Log } from '#contract';
import type { GatewayConfig } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { ParsedMail, ParseOutcome } from '../../mail/mime/types.ts';
import { readMessages } from '../../record/codec/run-events.ts';
import { defineJob, handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import { FencedError } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import {
  DRAFT_WATCH,
  type SeenDraft,
  type UnsentMessage,
  type WantedDraft,
  type WatchedDraft,
} from '../../storage/types/drafts.ts';
import type { NewSeenMail } from '../../storage/types/gateway.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { NewMessage } from '../../storage/types/mail.ts';
import type { DraftsRoute } from '../outbound-routes.ts';
import { afterLook } from './decide.ts';

interface WatchDeps {
  readonly gateway: Pick<GatewayStore, 'recordSeen'>;
  /** Null: the mailbox has no IMAP any more. */
  draftsOf(mailbox: string | null, personaId: string): DraftsRoute | null;
  delivery(): GatewayConfig['delivery'];
  parse(raw: Uint8Array): Promise<ParseOutcome>;
  readonly clock: Clock;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

const draftWatch = defineJob(DRAFT_WATCH, z.object({}));

/** One for all drafts of a persona: one that is there already is brought forward. */
export const draftWatchJob = (dueAt: number): NewJob => draftWatch.job({ id: DRAFT_WATCH, due_at: dueAt, payload: {} });

/** Drafts that one search looks for. */
const AT_ONCE = 100;
const BLIND_MS = 5 * 60_000;

/** Looks what became of drafts: one command for all that lie where they lay, two searches for each that does not. */
export function createDraftWatcher(deps: WatchDeps): JobHandler {
  return handleJobs(draftWatch, async (persona, _job, store, signal) => {
    const due = await store.dueDrafts(deps.clock.now(), AT_ONCE);
    for (const [mailbox, drafts] of Map.groupBy(due, (draft) => draft.mailbox)) {
      if (signal.aborted) break;
      const seen = await lookFor(deps, { mailbox, personaId: persona.id }, drafts);
      const watching = { deps, personaId: persona.id, store };
      for (const draft of drafts) await takeOne(watching, draft, seen?.get(draft.outbox_id));
    }
    await store.planDraftLooks();
  });
}

/** Null: nobody could look. */
async function lookFor(
  deps: WatchDeps,
  { mailbox, personaId }: { readonly mailbox: string | null; readonly personaId: string },
  drafts: readonly WatchedDraft[],
) {
  try {
    return (await deps.draftsOf(mailbox, personaId)?.folder.look(drafts.map(wantedOf))) ?? null;
  } catch (error) {
    deps.log.warn({ mailbox, error: String(error) }, 'drafts could not be looked for');
    return null;
  }
}

const wantedOf = (draft: WatchedDraft): WantedDraft => ({
  key: draft.outbox_id,
  messageId: draft.message_id,
  inReplyTo: draft.in_reply_to,
  runId: draft.run_id,
  place:
    draft.folder !== null && draft.uidvalidity !== null && draft.uid !== null
      ? { folder: draft.folder, uidvalidity: draft.uidvalidity, uid: draft.uid }
      : null,
  since: draft.appended_at ?? draft.message.received_at,
});

interface Watching {
  readonly deps: WatchDeps;
  readonly personaId: string;
  readonly store: Store;
}

/** One that cannot be dealt with holds up no other. */
async function takeOne(watching: Watching, draft: WatchedDraft, seen: SeenDraft | undefined): Promise<void> {
  try {
    await take(watching, draft, seen);
  } catch (error) {
    const { deps, personaId, store } = watching;
    deps.log.error({ persona: personaId, outbox: draft.outbox_id, error: String(error) }, 'a draft');
    await store.noteDraft(draft.outbox_id, { look_at: deps.clock.now() + BLIND_MS });
  }
}

async function take(watching: Watching, draft: WatchedDraft, seen: SeenDraft | undefined): Promise<void> {
  const { deps, store } = watching;
  const now = deps.clock.now();
  if (!seen) return store.noteDraft(draft.outbox_id, { look_at: now + BLIND_MS });
  const watchMs = deps.delivery().watch_drafts_days * 86_400_000;
  const state = { state: draft.state, appendedAt: draft.appended_at ?? now, goneSince: draft.gone_since };
  const after = afterLook(state, seen.in, { now, watchMs });
  if (seen.in === 'sent') return wasSent(watching, draft, seen.raw);
  if (after.next === 'sent') return;
  const place = seen.in === 'drafts' ? seen.place : {};
  const goneSince = after.next === 'lies' ? null : after.since;
  const patch = { ...place, gone_since: goneSince, looked_at: now, look_at: after.lookAt };
  const isChange = after.next === 'lies' ? after.back : after.next === 'deleted' && draft.state === 'draft';
  if (!isChange) return store.noteDraft(draft.outbox_id, patch);
  const isDeleted = after.next === 'deleted';
  const recipients = (await store.outboxRecipients([draft.outbox_id])).map(({ address }) => ({
    address,
    state: 'queued' as const,
    smtp: isDeleted ? 'the draft was deleted' : `in ${draft.folder ?? 'Drafts'}`,
  }));
  await settle(watching, draft, { state: isDeleted ? 'deleted' : 'draft', recipients, draft: { patch } });
}

async function wasSent(watching: Watching, draft: WatchedDraft, raw: Uint8Array): Promise<void> {
  const { deps, personaId, store } = watching;
  const now = deps.clock.now();
  const [own, copy] = [await store.outboxRaw(draft.outbox_id), await read(deps, raw)];
  const sent = sentMessage(draft.message, own ? await read(deps, own.raw) : null, copy, now);
  const got = new Set(sent.viewers);
  const recipients = (await store.outboxRecipients([draft.outbox_id])).map(({ address }) =>
    got.has(address.toLowerCase())
      ? { address, state: 'sent' as const, smtp: 'sent from Drafts' }
      : { address, state: 'failed' as const, smtp: 'not among those whom it was sent to' },
  );
  const { message_id: id } = sent.message;
  const patch = { looked_at: now, look_at: null, gone_since: null, sent_message_id: id, edited: sent.edited };
  const isDone = await settle(watching, draft, {
    state: 'sent',
    recipients,
    draft: { patch, sent: { message: sent.message, viewers: sent.viewers } },
  });
  if (!isDone) return;
  const row: NewSeenMail = {
    message_id: id,
    persona_id: personaId,
    direction: 'out',
    decision: 'sent',
    code: null,
    tier: null,
    from_address: draft.envelope_from,
    detail: 'sent from Drafts',
    subject: '',
    received_at: now,
    thread_id: draft.message.thread_id,
    run_id: draft.run_id,
    mailbox: null,
    uidvalidity: null,
    uid: null,
  };
  await deps.gateway.recordSeen(sent.viewers.map((recipient) => ({ ...row, recipient })));
}

async function read(deps: WatchDeps, raw: Uint8Array): Promise<ParsedMail | null> {
  const outcome = await deps.parse(raw);
  return outcome.ok ? outcome.mail : null;
}

/** False where it does not lie there any more: an owner has had it put there anew meanwhile. */
async function settle(
  { deps, personaId, store }: Watching,
  draft: WatchedDraft,
  outcome: Pick<Parameters<Store['settleOutbox']>[1], 'state' | 'recipients' | 'draft'>,
): Promise<boolean> {
  const now = deps.clock.now();
  try {
    await store.settleOutbox(draft.outbox_id, {
      ...outcome,
      attempts: draft.attempts,
      nextAttemptAt: now,
      unknownSince: null,
      lastError: null,
      now,
    });
  } catch (error) {
    if (error instanceof FencedError) return false;
    throw error;
  }
  deps.log.info({ persona: personaId, outbox: draft.outbox_id, state: outcome.state }, 'a draft');
  deps.pass('draft.ended');
  return true;
}

interface SentAnswer {
  readonly message: NewMessage;
  readonly viewers: readonly string[];
  readonly edited: boolean;
}

/** Programs wrap lines anew, and write blanks as they like. */
const words = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * The row of the thread for a draft that was sent: with the words that were sent, to those who were written to, under the
 * Message-ID by which answers name it. `draft` is ours as it was put there, read like any mail; `sent` null: nobody can
 * read the copy.
 */
export function sentMessage(
  message: UnsentMessage,
  draft: ParsedMail | null,
  sent: ParsedMail | null,
  now: number,
): SentAnswer {
  if (sent === null) {
    const text = '[the copy of what was sent cannot be read]';
    return { message: said(message, text, now), viewers: [...message.to, ...message.cc], edited: true };
  }
  const edited = draft === null || words(draft.newText) !== words(sent.newText);
  const [to, cc] = [addressesOf(sent.to), addressesOf(sent.cc)];
  const own = edited ? said(message, sent.newText.trim(), now) : { ...message, received_at: now };
  return {
    message: {
      ...own,
      to,
      cc,
      message_id: sent.messageId,
      subject: sent.subject,
      date: sent.date ?? now,
      ...(sent.inReplyTo[0] ? { in_reply_to: sent.inReplyTo[0] } : {}),
      ...(sent.references.length > 0 ? { references: sent.references } : {}),
    },
    viewers: [...to, ...cc],
    edited,
  };
}

const addressesOf = (boxes: ParsedMail['to']): readonly string[] => boxes.map(({ address }) => address.toLowerCase());

/** The same row with other words; what was called for it stays. */
function said(message: UnsentMessage, text: string, now: number): NewMessage {
  const shown = message.rendered_json === null ? [] : readMessages(message.rendered_json);
  const rendered = JSON.stringify([...shown.slice(0, -1), { role: 'assistant', text, toolCalls: [] }]);
  return { ...message, text, new_text: text, rendered_json: rendered, received_at: now };
}
