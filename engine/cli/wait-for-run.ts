import type { Workspace } from '../workspace.ts';

export interface ReplyShape {
  readonly message_id: string;
  readonly text: string;
}

interface Ended {
  readonly status: string | null;
  readonly outcome: string | null;
  readonly reply: ReplyShape | null;
  /** It was accepted, and waits: for whom or what. */
  readonly decision?: 'deferred';
  readonly code?: string;
}

const ENDED = new Set(['done', 'failed', 'cancelled', 'waiting_approval']);
const LOOK_MS = 50;

/** Looks at the run until it ends, waits for somebody, or `waitMs` is over. */
export async function waitForRun(
  { stores, clock }: Workspace,
  persona: string,
  runId: string,
  waitMs: number,
): Promise<Ended> {
  const until = clock.now() + waitMs;
  return stores.use(persona, async (store) => {
    for (;;) {
      const run = await store.getRun(runId);
      if (!run || ENDED.has(run.status) || run.deferred_code !== null || clock.now() >= until) {
        const id = run?.reply_message_id ?? null;
        const [message] = id === null ? [] : await store.messagesByMessageId(id);
        return {
          ...(run?.deferred_code ? { decision: 'deferred' as const, code: run.deferred_code } : {}),
          status: run?.deferred_code ? 'deferred' : (run?.status ?? null),
          outcome: run?.outcome ?? null,
          reply: message ? { message_id: message.message_id, text: message.text } : null,
        };
      }
      await clock.sleep(LOOK_MS);
    }
  });
}
