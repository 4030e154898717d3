import type { Clock } from '../lib/clock.ts';
import type { ParsedMail } from '../mail/mime/types.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { NewSeenMail } from '../storage/types/gateway.ts';
import type { MailResult, Place } from './incoming.ts';

/** A result with what only `why` shows. */
export type DetailedResult = MailResult & {
  readonly detail?: string;
  /** When a deferred mail was first deferred, ms. */
  readonly since?: number | null;
};

export const result = (fields: Partial<DetailedResult> & Pick<MailResult, 'decision'>): DetailedResult => ({
  recipient: null,
  persona: null,
  code: null,
  tier: null,
  threadId: null,
  runId: null,
  ...fields,
});

type SeenMail = Pick<ParsedMail, 'messageId' | 'subject' | 'from'>;

/** One row per persona, which `why` reads; from now on all that is known of the mail's place in its mailbox. */
export async function recordResults(
  { clock, gateway }: { readonly clock: Clock; readonly gateway: GatewayStore },
  place: Place | null,
  mail: SeenMail,
  results: readonly DetailedResult[],
): Promise<void> {
  const now = clock.now();
  const rows = results.map((one): NewSeenMail => {
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
  });
  await gateway.recordSeen(rows, place);
}
