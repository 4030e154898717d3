import type { ParsedMail } from '../mail/mime/types.ts';
import type { NewSeenMail, SeenDecision } from '../storage/types/gateway.ts';
import type { Tier } from '../storage/types/mail.ts';

import type { Incoming, ReceiveDeps } from './intake.ts';

export interface RecipientResult {
  readonly recipient: string | null;
  readonly persona: string | null;
  readonly decision: SeenDecision;
  readonly code: string | null;
  readonly tier: Tier | null;
  readonly threadId: string | null;
  readonly runId: string | null;
}

export type ResultWithDetail = RecipientResult & {
  readonly detail?: string;
  /** Of a mail that is left for later once more: since when it has been. */
  readonly since?: number | null;
};

export const result = (fields: Partial<ResultWithDetail> & Pick<RecipientResult, 'decision'>): ResultWithDetail => ({
  recipient: null,
  persona: null,
  code: null,
  tier: null,
  threadId: null,
  runId: null,
  ...fields,
});

/** One row per persona, which `why` reads; all that is known of the mail's place in its mailbox from now on. */
export async function writeSeen(
  deps: Pick<ReceiveDeps, 'clock' | 'gateway'>,
  incoming: Incoming,
  mail: Pick<ParsedMail, 'messageId' | 'subject' | 'from'>,
  results: readonly ResultWithDetail[],
): Promise<void> {
  const now = deps.clock.now();
  const rows = results.map((one) => seenRow(one, incoming, mail, now));
  await deps.gateway.recordSeen(rows, incoming.place);
}

function seenRow(
  one: ResultWithDetail,
  { place }: Incoming,
  mail: Pick<ParsedMail, 'messageId' | 'subject' | 'from'>,
  now: number,
): NewSeenMail {
  return {
    message_id: mail.messageId,
    persona_id: one.persona,
    recipient: one.recipient,
    direction: 'in',
    decision: one.decision,
    code: one.code,
    from_address: mail.from.kind === 'one' ? mail.from.mailbox.address : null,
    tier: one.tier,
    detail: one.detail ?? null,
    subject: mail.subject,
    received_at: one.since ?? now,
    thread_id: one.threadId,
    run_id: one.runId,
    mailbox: place?.mailbox ?? null,
    uidvalidity: place?.uidvalidity ?? null,
    uid: place?.uid ?? null,
  };
}
