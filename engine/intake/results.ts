import type { Clock } from '../lib/clock.ts';
import type { ParsedMail } from '../mail/mime/types.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { NewSeenMail } from '../storage/types/gateway.ts';
import type { Tier } from '../storage/types/mail.ts';
import type { Decision } from './decide.ts';
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

/** Of whose mail a result is, and how its sender was proven. */
export interface Subject {
  readonly recipient: string;
  readonly persona: string;
  readonly detail: string;
  /** By the access rules alone. */
  readonly tier: Tier | null;
}

/** What the door is answered, and what `why` shows. */
export function resultOf({ tier, ...subject }: Subject, decision: Decision): DetailedResult {
  const base = { ...subject, code: decision.code };
  switch (decision.do) {
    case 'refuse':
      return result({ ...base, decision: 'refused', detail: decision.detail ?? subject.detail });
    case 'defer':
      return result({ ...base, decision: 'deferred', since: decision.since });
    case 'duplicate':
      return result({ ...base, ...decision.of, decision: 'duplicate' });
    case 'stay_silent':
      return result({ ...base, decision: 'recorded' });
    case 'obey':
    case 'refuse_answer':
    case 'act_on_answer':
      return result({ ...base, decision: 'recorded', tier });
    case 'keep_unreadable':
      return result({ ...base, decision: 'dead_letter', tier: decision.tier, detail: decision.detail });
    case 'stop_loop':
      return result({ ...base, decision: 'recorded', tier: decision.tier, threadId: decision.threadId });
    case 'run':
      return result({ ...base, decision: 'accepted', tier: decision.tier });
  }
}

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
