import { readChain } from '../../queries/explain/read.ts';
import { findRunOfAnything } from '../../queries/runs/find-run.ts';
import { runShape } from '../../queries/shapes.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';

import type { CommandContext, Outcome } from '../command.ts';
import { explainedText } from '../text/explained.ts';

/** From an answer back to what its model was given, link by link; exit 1 when one is missing. */
export async function runsExplain(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { persona, row: run } = await findRunOfAnything(workspace, id);
  const { chain } = await readChain(workspace, persona, run);
  const ends = await workspace.stores.use(persona, async (store) => ({
    question: await questionOf(store, run),
    final: await finalOf(store, run),
  }));
  const explained = { run: runShape(persona, run), ...ends, ...chain };
  return { data: { explained }, text: explainedText(explained), exitCode: chain.missing.length === 0 ? 0 : 1 };
}

async function questionOf(store: Store, run: StoredRun) {
  const mail = await store.messageById(run.message);
  return {
    message_id: run.message_id,
    from: run.sender,
    tier: run.tier,
    subject: mail?.subject ?? '',
    text: mail?.new_text ?? '',
  };
}

async function finalOf(store: Store, run: StoredRun) {
  if (run.reply_message_id === null) return null;
  const [message] = await store.messagesByMessageId(run.reply_message_id);
  const mail = await store.outboxByMessageId(run.reply_message_id);
  const recipients = mail ? await store.outboxRecipients([mail.id]) : [];
  return {
    message_id: run.reply_message_id,
    text: message?.text ?? '',
    to: recipients.map(({ address }) => address),
    state: mail?.state ?? null,
  };
}
