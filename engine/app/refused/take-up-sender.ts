import { EngineError } from '#contract';
import { retryMail } from '../../actions/mail/retry-mail.ts';
import { isRefusal } from '../../actions/refusal.ts';
import type { Intake } from '../../intake/incoming.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { keptSource } from '../../queries/mail/received.ts';
import type { SeenMail, SenderQuestion } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';
import { incomingOf } from './kept-mail.ts';

/** So many of the newest refusals of one sender are looked at. */
const LOOKED_AT = 1000;
const WAIT_MS = 60_000;

/**
 * Takes in what a sender wrote, was proven to have written, and is kept; how much of it is in now. `once`: what the
 * owner was told of, as a stranger's. The same when it is done a second time. Throws `unavailable` where the proof of
 * one could not be looked up, unless it is `patient` no more.
 */
export async function takeUpSender(
  { workspace, receive }: { readonly workspace: Workspace; readonly receive: Intake['receive'] },
  { persona_id: persona, sender, asked_at: askedAt }: SenderQuestion,
  { once, patient }: { readonly once: boolean; readonly patient: boolean },
): Promise<number> {
  const { gateway, live } = workspace;
  const found = await gateway.listReceived({ limit: LOOKED_AT, decision: 'refused', persona, from: partOf(sender) });
  const rows = found.filter(
    ({ from_address: from, code, received_at: at }) =>
      code === 'sender_not_allowed' && addressKey(from ?? '') === sender && (!once || at <= askedAt),
  );
  const taken = new Set<string>();
  let isDelayed = false;
  for (const row of rows.toReversed()) {
    const retried = await retryMail(
      {
        gateway,
        takeIn: (kept) =>
          receive({
            ...incomingOf(kept, live.current().gateway.mailboxes),
            fate: { again: ['sender_not_allowed', 'auth_failed'], ...(once ? { once: persona } : {}) },
          }),
      },
      { row, kept: await keptSource(workspace, row) },
    );
    isDelayed ||= !isRefusal(retried) && retried.results.some(({ decision }) => decision === 'deferred');
    if (await isTakenIn(gateway, row)) taken.add(row.message_id);
  }
  if (isDelayed && patient)
    throw new EngineError('unavailable', 'whose mail it is could not be looked up', { retry: { afterMs: WAIT_MS } });
  return taken.size;
}

/** The rows have an address as it was written, and the domain may have been written in other letters. */
const partOf = (sender: string): string => {
  const at = sender.lastIndexOf('@');
  return sender.includes('xn--', at) ? sender.slice(0, at) : sender;
};

async function isTakenIn(gateway: Workspace['gateway'], row: SeenMail): Promise<boolean> {
  const seen = await gateway.seenByMessageId(row.message_id);
  return seen.some(({ persona_id: persona, decision }) => persona === row.persona_id && decision === 'accepted');
}
