import type { Clock } from '../lib/clock.ts';
import type { ParsedMail } from '../mail/mime/types.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { NewSeenMail, RefusedMail } from '../storage/types/gateway.ts';
import type { Tier } from '../storage/types/mail.ts';
import type { Decision } from './decide.ts';
import type { Location, MailResult } from './incoming.ts';
import { BEFORE_FIRST_CONNECT, mostOf } from './refused-mail.ts';
import type { UnderstoodMail } from './understand.ts';

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

/** The mail that a result is about, and how its sender was proven. */
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

/** Of a mail that nobody waited for: one for each persona that it names. Pure. */
export function notTaken({ addressees }: Pick<UnderstoodMail, 'addressees'>): DetailedResult[] {
  const fate = { decision: 'refused', code: BEFORE_FIRST_CONNECT } as const;
  if (addressees.length === 0) return [result(fate)];
  return addressees.map(({ address, entry }) => result({ ...fate, recipient: address, persona: entry.id }));
}

type SeenMail = Pick<ParsedMail, 'messageId' | 'subject' | 'from'> & {
  /** The mail itself, where it was refused and may be taken in later. */
  readonly kept?: Omit<RefusedMail, 'at'> | null;
};

/** One row per persona, which `why` reads; from now on all that is known of the mail's place in its mailbox. */
export async function recordResults(
  { clock, gateway }: { readonly clock: Clock; readonly gateway: GatewayStore },
  place: Location | null,
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
  const { kept = null } = mail;
  await gateway.recordSeen(rows, place, kept ? { mail: { ...kept, at: now }, most: mostOf(kept) } : undefined);
}
