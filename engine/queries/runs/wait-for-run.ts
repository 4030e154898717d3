import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { outsideKind } from '../../suspensions/kinds.ts';
import type { QueryPorts } from '../ports.ts';

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

/** It has ended, or goes on only when somebody has decided. */
const isAtRest = ({ status, waiting_for }: StoredRun): boolean =>
  ENDED.has(status) && (waiting_for === null || outsideKind({ kind: waiting_for }) === undefined);

/** Looks at the run until it ends, waits for somebody, or `waitMs` is over. */
export async function waitForRun(
  { stores, clock }: QueryPorts,
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
      if (isAtRest(run) || clock.now() >= until) return endOf(run, store);
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
