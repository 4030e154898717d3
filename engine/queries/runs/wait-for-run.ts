import type { Clock } from '../../lib/clock.ts';
import type { Store, Stores } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { outsideKind } from '../../suspensions/kinds.ts';

export interface ReplyShape {
  readonly message_id: string;
  readonly text: string;
  /** It is put into Drafts: nobody has got it. */
  readonly mode?: 'draft';
}

export interface Ended {
  readonly status: string | null;
  readonly outcome: string | null;
  readonly reply: ReplyShape | null;
  /** It was accepted, and waits: for whom or what. */
  readonly decision?: 'deferred';
  readonly code?: string;
}

const ENDED = new Set(['done', 'failed', 'cancelled', 'waiting_approval']);
const LOOK_MS = 50;

/** It has ended, or goes on only when somebody has decided: about it, or about what all that is below it waits for. */
async function isAtRest({ id, status, waiting_for }: StoredRun, store: Store): Promise<boolean> {
  if (!ENDED.has(status)) return false;
  if (waiting_for === null || outsideKind({ kind: waiting_for }) === undefined) return true;
  return !(await store.worksBelow(id)) && (await store.isAsked(id));
}

/** Looks at the run until it ends, waits for somebody, or `waitMs` is over. */
export async function waitForRun(
  { stores, clock }: { readonly stores: Pick<Stores, 'use'>; readonly clock: Pick<Clock, 'now' | 'sleep'> },
  persona: string,
  runId: string,
  waitMs: number,
): Promise<Ended> {
  const until = clock.now() + waitMs;
  return stores.use(persona, async (store) => {
    for (;;) {
      const run = await store.getRun(runId);
      if (!run) return { status: null, outcome: null, reply: null };
      if (run.deferred_code !== null) {
        return { decision: 'deferred', code: run.deferred_code, status: 'deferred', outcome: null, reply: null };
      }
      if ((await isAtRest(run, store)) || clock.now() >= until) return endOf(run, store);
      await clock.sleep(LOOK_MS);
    }
  });
}

async function endOf(run: StoredRun, store: Store): Promise<Ended> {
  const id = run.reply_message_id;
  return { status: run.status, outcome: run.outcome, reply: id === null ? null : await replyOf(id, store) };
}

async function replyOf(id: string, store: Store): Promise<ReplyShape | null> {
  const [message] = await store.messagesByMessageId(id);
  if (message) return { message_id: id, text: message.text };
  const mail = await store.outboxByMessageId(id);
  const draft = mail && (await store.getDraft(mail.id));
  return draft ? { message_id: id, text: draft.message.text, mode: 'draft' } : null;
}
