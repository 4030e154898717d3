import { sha256 } from '../lib/ids.ts';
import { contentId } from '../mail/head.ts';
import type { ParsedMail, ParseOutcome } from '../mail/types.ts';
import { addDeadLetter } from './dead-letter.ts';
import type { Incoming, ReceiveDeps, Received, Target } from './receive.ts';
import { type ResultWithDetail, result, writeSeen } from './results.ts';

export interface Unreadable {
  readonly failure: Extract<ParseOutcome, { ok: false }>;
  /** What its headers say; null when there are none. */
  readonly head: ParsedMail | null;
  readonly targets: readonly Target[];
}

/** Its body cannot be believed, so nobody is answered: the raw source is kept and the owner is told once. */
export async function receiveUnreadable(
  deps: ReceiveDeps,
  incoming: Incoming,
  { failure, head, targets }: Unreadable,
): Promise<Received> {
  const hash = sha256(incoming.raw);
  const mail = head ?? { messageId: contentId(hash), subject: '', from: { kind: 'missing' as const } };
  const results: ResultWithDetail[] = [];
  if (targets.length === 0 && head !== null) {
    // In a mailbox that people use too, it is simply not ours.
    results.push(result({ decision: 'refused', code: 'unknown_recipient' }));
  }
  for (const target of targets.length === 0 && head === null ? [null] : targets) {
    const base = { recipient: target?.address ?? null, persona: target?.entry.id ?? null, code: failure.code };
    if (failure.code === 'too_many_attachments') {
      results.push(result({ ...base, decision: 'refused', detail: failure.message }));
      continue;
    }
    await addDeadLetter(deps, {
      key: hash,
      messageId: mail.messageId,
      raw: incoming.raw,
      persona: target?.entry.state === 'ready' ? target.entry.persona : null,
      stage: 'parse',
      code: failure.code,
      message: failure.message,
    });
    results.push(result({ ...base, decision: 'dead_letter', detail: failure.message }));
  }
  await writeSeen(deps, incoming, mail, results);
  return { messageId: mail.messageId, results };
}
