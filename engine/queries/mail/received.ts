import { EngineError } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { RefusedMail, SeenMail, SeenWanted } from '../../storage/types/gateway.ts';
import { personaNamed } from '../find-across.ts';
import { messageIdIn } from '../message-id.ts';
import type { QueryPorts } from '../ports.ts';
import { cureOf } from './cures.ts';

/** A mail that came, and what became of it for one persona. */
export interface ReceivedShape {
  readonly id: string;
  readonly message_id: string;
  readonly persona: string | null;
  readonly recipient: string | null;
  readonly from: string | null;
  readonly subject: string;
  readonly decision: string;
  readonly code: string | null;
  readonly tier: string | null;
  /** How its sender was or was not proven, in words. */
  readonly detail: string | null;
  readonly received_at: string;
  readonly mailbox: string | null;
  readonly thread_id: string | null;
  readonly run_id: string | null;
  /** What to do, so that such mail is taken in; null where nothing has to be done. */
  readonly cure: string | null;
}

export const receivedShape = (row: SeenMail): ReceivedShape => ({
  id: String(row.id),
  message_id: row.message_id,
  persona: row.persona_id,
  recipient: row.recipient,
  from: row.from_address,
  subject: row.subject,
  decision: row.decision,
  code: row.code,
  tier: row.tier,
  detail: row.detail,
  received_at: iso(row.received_at),
  mailbox: row.mailbox,
  thread_id: row.thread_id,
  run_id: row.run_id,
  cure: row.decision === 'refused' || row.decision === 'deferred' || row.code !== null ? cureOf(row) : null,
});

interface ReceivedPage {
  readonly mails: readonly ReceivedShape[];
  readonly next: string | null;
}

/** Which received mail is wanted; `after` is `next` of the page before. */
interface ReceivedWanted extends Omit<SeenWanted, 'before'> {
  readonly after?: string | undefined;
}

/** Received mail, newest first. Throws `not_found` for a persona that there is not, `usage` for an `after` that is none. */
export async function listReceived(ports: QueryPorts, { after, ...wanted }: ReceivedWanted): Promise<ReceivedPage> {
  const persona = wanted.persona === undefined ? undefined : personaNamed(ports, wanted.persona).id;
  const before = after === undefined ? undefined : Number(after);
  if (before !== undefined && !Number.isSafeInteger(before))
    throw new EngineError('usage', `no mail has the id ${after}`);
  const rows = await ports.gateway.listReceived({ ...wanted, persona, before, limit: wanted.limit + 1 });
  const shown = rows.slice(0, wanted.limit);
  return { mails: shown.map(receivedShape), next: rows.length > wanted.limit ? String(shown.at(-1)?.id) : null };
}

/** How a mail is named on a command line: its number, `last`, its Message-ID or an end of that, or by what it says. */
interface Named extends Pick<SeenWanted, 'from' | 'subject'> {
  readonly given: string | undefined;
}

/** The Message-ID that is meant. One that is given whole need not be known. Throws `usage` or `not_found`. */
export async function messageIdNamed({ gateway }: QueryPorts, { given, from, subject }: Named): Promise<string> {
  if (given === undefined || given === 'last') {
    if (given === undefined && from === undefined && subject === undefined) {
      throw new EngineError('usage', 'the message-id is missing; give one, or `last`, --from or --subject');
    }
    const [newest] = await gateway.listReceived({ limit: 1, from, subject });
    if (!newest) throw new EngineError('not_found', 'no such mail came here; see `epistle mail list`');
    return newest.message_id;
  }
  if (/^\d{1,15}$/.test(given)) {
    const row = await gateway.receivedById(Number(given));
    if (row) return row.message_id;
  }
  // No Message-ID has a blank in it; a subject has.
  if (/\s/.test(given.trim())) {
    const cure = 'mail of a subject: `epistle mail list --subject …`';
    throw new EngineError('usage', `${JSON.stringify(given)} is no Message-ID; ${cure}`);
  }
  const messageId = messageIdIn(given);
  if ((await gateway.seenByMessageId(messageId)).length > 0) return messageId;
  const [only, ...others] = await gateway.messageIdsLike(messageId.slice(1, -1), 5);
  if (only !== undefined && others.length > 0) {
    throw new EngineError('usage', `more than one mail fits ${given}: ${[only, ...others].join(', ')}`);
  }
  return only ?? messageId;
}

/** The newest row of the mail that is meant; a number names its own row. Throws `usage` or `not_found`. */
export async function receivedNamed(ports: QueryPorts, given: string): Promise<SeenMail> {
  const row = /^\d{1,15}$/.test(given) ? await ports.gateway.receivedById(Number(given)) : undefined;
  if (row) return row;
  const messageId = await messageIdNamed(ports, { given });
  const found = (await ports.gateway.seenByMessageId(messageId)).findLast(({ direction }) => direction === 'in');
  if (!found) throw new EngineError('not_found', `no mail that came here is ${given}; see \`epistle mail list\``);
  return found;
}

/** What is kept of a refused mail, of the row itself: another one of its Message-ID may be somebody else's. */
export const keptSource = async (
  { gateway }: { readonly gateway: Pick<GatewayStore, 'keptRefusal'> },
  { kept_sha256: sha256 }: SeenMail,
): Promise<RefusedMail | null> => (sha256 === null ? null : ((await gateway.keptRefusal(sha256)) ?? null));
