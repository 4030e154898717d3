import { FEATURES } from '../../../engine/features/features.ts';
import { type Replayed, replayRun } from '../../../engine/harness/replay/replay.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import type { Rig } from './rig.ts';

/** Replays a run of a rig from what is on its disk. `parts`: those that its prompt was put together by. */
export function replayOf(
  rig: Pick<Rig, 'withStore' | 'harness'>,
  runId: string,
  parts = FEATURES.parts,
): Promise<Replayed> {
  return rig.withStore(async (store) => {
    const loaded = await store.loadRun(runId);
    if (!loaded) throw new Error(`no run ${runId}`);
    const { reply_message_id: id } = loaded.run;
    const [message] = id === null ? [] : await store.messagesByMessageId(id);
    const mail = id === null ? undefined : await store.outboxByMessageId(id);
    const raw = mail && (await store.outboxRaw(mail.id));
    const answer =
      message && mail && raw ? { message, envelopeFrom: raw.envelope_from, raw: raw.raw, at: mail.created_at } : null;
    const { artifacts } = rig.harness.filesOf('ada');
    const { recursionSecret } = rig.harness;
    return replayRun({ loaded, store, parts, artifacts, answer, recursionSecret, log: silentLog });
  });
}
