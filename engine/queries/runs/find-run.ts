import { EngineError } from '#contract';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { findAcross } from '../find-across.ts';
import { idNamed } from '../id-named.ts';
import { messageIdIn } from '../message-id.ts';
import type { QueryPorts } from '../ports.ts';

/** The run of that id, of a part of it, or the `last`. Throws `not_found`, and `usage` where several fit. */
export async function findRun(ports: QueryPorts, given: string): Promise<{ persona: string; row: StoredRun }> {
  const id = await idNamed(ports, 'runs', given);
  const found = await findAcross(ports, (store) => store.getRun(id));
  if (!found) throw new EngineError('not_found', `no run has the id ${id}; see \`epistle runs list\``);
  return found;
}

/** The run that an id stands for: its own or a part of that, that of the mail it answered, or that of a mail it wrote. */
export async function findRunOfAnything(
  ports: QueryPorts,
  given: string,
): Promise<{ persona: string; row: StoredRun }> {
  const id = /^(?:last|[0-9a-f-]{4,36})$/.test(given) ? await idNamed(ports, 'runs', given) : given;
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id)) return findRun(ports, id);
  const messageId = messageIdIn(id);
  // One row per mail and recipient says whose it is; only mail that has not left yet stands in none.
  for (const { persona_id: persona } of await ports.gateway.seenByMessageId(messageId)) {
    if (persona === null || !ports.stores.exists(persona)) continue;
    const row = await ports.stores.use(persona, (store) => runOfMail(store, messageId));
    if (row) return { persona, row };
  }
  const found = await findAcross(ports, (store) => runOfMail(store, messageId));
  if (!found)
    throw new EngineError('not_found', `no run has to do with ${messageId}; see \`epistle why ${messageId}\``);
  return found;
}

async function runOfMail(store: Store, messageId: string): Promise<StoredRun | undefined> {
  const runs = await store.runsByMessageId(messageId);
  if (runs.length > 0) return runs.at(-1);
  const mail = await store.outboxByMessageId(messageId);
  return mail === undefined || mail.run_id === '' ? undefined : store.getRun(mail.run_id);
}
