import { EngineError } from '#contract';
import type { Store } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

import type { Workspace } from '../workspace.ts';
import { messageIdIn } from './addresses.ts';
import { findAcross } from './find-across.ts';

/** The run of that id. Throws `not_found`. */
export async function findRun(workspace: Workspace, id: string): Promise<{ persona: string; row: StoredRun }> {
  const found = await findAcross(workspace, (store) => store.getRun(id));
  if (!found) throw new EngineError('not_found', `no run has the id ${id}; see \`epistle runs list\``);
  return found;
}

/** The run that an id stands for: its own, that of the mail it answered, or that of a mail it wrote. */
export async function findRunOfAnything(
  workspace: Workspace,
  id: string,
): Promise<{ persona: string; row: StoredRun }> {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id)) return findRun(workspace, id);
  const messageId = messageIdIn(id);
  // One row per mail and recipient says whose it is; only mail that has not left yet stands in none.
  for (const { persona_id: persona } of await workspace.gateway.seenByMessageId(messageId)) {
    if (persona === null || !workspace.stores.exists(persona)) continue;
    const row = await workspace.stores.use(persona, (store) => runOfMail(store, messageId));
    if (row) return { persona, row };
  }
  const found = await findAcross(workspace, (store) => runOfMail(store, messageId));
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
