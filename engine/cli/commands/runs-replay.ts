import { EngineError } from '#contract';
import type { Difference } from '../../harness/replay/compare.ts';
import { type ReplayOptions, replayRun } from '../../harness/replay/replay.ts';
import { findRunOfAnything } from '../../queries/runs/find-run.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';

import type { CommandContext, Outcome } from '../command.ts';
import { refusal } from '../command.ts';

const OPEN = new Set(['queued', 'running']);

/** Works a run once more from what is on record, with no network, and says what comes out otherwise. */
export async function runsReplay(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { persona, row: run } = await findRunOfAnything(workspace, id);
  if (OPEN.has(run.status)) return refusal('wrong_state', `the run is ${run.status}; wait until it has ended`);
  const { artifacts } = personaFiles(workspace.dataDir, persona);
  const recursionSecret = await workspace.gateway.setting('recursion_secret', () => workspace.ids.random(32));
  const { claims, compared, difference, stale } = await workspace.stores.use(persona, async (store) => {
    const loaded = await store.loadRun(run.id);
    if (!loaded) throw new EngineError('not_found', `no run has the id ${run.id}`);
    const answer = await answerOf(store, run);
    return replayRun({ loaded, store, artifacts, answer, recursionSecret, log: workspace.log });
  });
  const identical = difference === null && stale === null;
  const { decisions, requests, calls, mail_bytes } = compared;
  const what = `${decisions} decisions, ${requests} requests to models, ${calls} results, ${mail_bytes} bytes of mail`;
  return {
    data: { replay: { run_id: run.id, persona, identical, claims, compared, difference, stale } },
    text: [
      `Run ${run.id} of ${persona}: ${identical ? `the same, to the byte: ${what}` : 'NOT the same'}.`,
      ...described('First difference', difference),
      ...described('A view that does not say what the events say', stale),
    ].join('\n'),
    exitCode: identical ? 0 : 1,
  };
}

async function answerOf(store: Store, run: StoredRun): Promise<ReplayOptions['answer']> {
  if (run.reply_message_id === null) return null;
  const [message] = await store.messagesByMessageId(run.reply_message_id);
  const mail = await store.outboxByMessageId(run.reply_message_id);
  const raw = mail && (await store.outboxRaw(mail.id));
  if (!message || !mail || !raw) return null;
  return { message, envelopeFrom: raw.envelope_from, raw: raw.raw, at: mail.created_at };
}

const described = (title: string, difference: Difference | null): string[] =>
  difference === null
    ? []
    : [
        '',
        `${title}: ${difference.what}${difference.seq === null ? '' : `, event ${difference.seq}`}`,
        `  on record  ${brief(difference.recorded)}`,
        `  now        ${brief(difference.replayed)}`,
      ];

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
