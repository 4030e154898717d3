import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { QueryPorts } from '../ports.ts';
import { findRunOfAnything } from '../runs/find-run.ts';
import { type RunShape, runShape } from '../shapes.ts';
import type { Chain } from './chain.ts';
import { type AskedBelow, askedBelow, readChain } from './read.ts';

/** From an answer back to what its model was given, link by link. */
export interface Explained extends Chain {
  readonly run: RunShape;
  /** What its child runs, and theirs, have asked owners for. */
  readonly helpers_asked: readonly AskedBelow[];
  readonly question: {
    readonly message_id: string;
    readonly from: string | null;
    readonly tier: string;
    readonly subject: string;
    readonly text: string;
  };
  /** Null where none was sent. */
  readonly final: {
    readonly message_id: string;
    readonly text: string;
    readonly to: readonly string[];
    readonly state: string | null;
    /** The fact that took the place of one with which it was made; null: nobody has corrected it. */
    readonly corrected_by: string | null;
  } | null;
}

/** `id`: a run, the mail that it answered, or a mail that it wrote. Throws `not_found`. */
export async function explainRun(ports: QueryPorts, id: string): Promise<Explained> {
  const { persona, row: run } = await findRunOfAnything(ports, id);
  const { chain, log } = await readChain(ports, persona, run);
  const helpers_asked = await askedBelow(ports, persona, log, run);
  const ends = await ports.stores.use(persona, async (store) => ({
    question: await questionOf(store, run),
    final: await finalOf(store, run),
  }));
  return { run: runShape(persona, run), helpers_asked, ...ends, ...chain };
}

async function questionOf(store: Store, run: StoredRun): Promise<Explained['question']> {
  const mail = await store.messageById(run.message);
  return {
    message_id: run.message_id,
    from: run.sender,
    tier: run.tier,
    subject: mail?.subject ?? '',
    text: mail?.new_text ?? '',
  };
}

async function finalOf(store: Store, run: StoredRun): Promise<Explained['final']> {
  if (run.reply_message_id === null) return null;
  const mail = await store.outboxByMessageId(run.reply_message_id);
  const draft = mail && (await store.getDraft(mail.id));
  const [sent] = await store.messagesByMessageId(draft?.sent_message_id ?? run.reply_message_id);
  const message = sent ?? draft?.message;
  const recipients = mail ? await store.outboxRecipients([mail.id]) : [];
  return {
    message_id: run.reply_message_id,
    text: message?.text ?? '',
    to: recipients.map(({ address }) => address),
    state: mail?.state ?? null,
    corrected_by: sent === undefined ? null : ((await store.correctionOf(sent.id))?.fact ?? null),
  };
}
