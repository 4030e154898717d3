import { EngineError } from '#contract';
import { FEATURES } from '../../features/features.ts';
import { type Replayed, type ReplayOptions, replayRun } from '../../harness/replay/replay.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { QueryPorts } from '../ports.ts';
import { findRunOfAnything } from './find-run.ts';

const OPEN = new Set(['queued', 'running']);

export interface ReplayShape extends Replayed {
  readonly run_id: string;
  readonly persona: string;
  readonly identical: boolean;
}

/**
 * Works a run once more from what is on record, with no network, and says what comes out otherwise. Throws `not_found`;
 * the run's status while it has not ended.
 */
export async function replayOf(
  ports: QueryPorts,
  id: string,
): Promise<{ readonly replay: ReplayShape } | { readonly open: StoredRun['status'] }> {
  const { persona, row: run } = await findRunOfAnything(ports, id);
  if (OPEN.has(run.status)) return { open: run.status };
  const { artifacts } = personaFiles(ports.dataDir, persona);
  const recursionSecret = await ports.gateway.setting('recursion_secret', () => ports.ids.random(32));
  const { claims, compared, difference, stale } = await ports.stores.use(persona, async (store) => {
    const loaded = await store.loadRun(run.id);
    if (!loaded) throw new EngineError('not_found', `no run has the id ${run.id}`);
    const answer = await answerOf(store, run);
    const { parts } = FEATURES;
    return replayRun({ loaded, store, parts, artifacts, answer, recursionSecret, log: ports.log });
  });
  const identical = difference === null && stale === null;
  return { replay: { run_id: run.id, persona, identical, claims, compared, difference, stale } };
}

async function answerOf(store: Store, run: StoredRun): Promise<ReplayOptions['answer']> {
  if (run.reply_message_id === null) return null;
  const mail = await store.outboxByMessageId(run.reply_message_id);
  const draft = mail && (await store.getDraft(mail.id));
  const [sent] = await store.messagesByMessageId(run.reply_message_id);
  // A person may have sent other words.
  const message = draft?.message ?? sent;
  const raw = mail && (await store.outboxRaw(mail.id));
  if (!message || !mail || !raw) return null;
  return { message, envelopeFrom: raw.envelope_from, raw: raw.raw, at: mail.created_at };
}
