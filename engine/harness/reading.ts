import { foldEvents } from '../record/fold.ts';
import { type RunLog, readLog } from '../record/run-log.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { ReadingRun } from '../tools/provenance-of-run.ts';
import { promptAsBuilt, settingsAsBuilt } from './context/as-built.ts';
import type { GatherPart } from './context/parts.ts';

/** What a run was shown; of one that carries out what was decided, what that run was shown whose call it is. */
export async function readingFor(
  own: Pick<ReadingRun, 'settings' | 'prompt' | 'state'> & { readonly loaded: LoadedRun; readonly log: RunLog },
  {
    parts,
    store,
    artifacts,
  }: {
    readonly parts: readonly GatherPart[];
    readonly store: Parameters<typeof promptAsBuilt>[0]['store'] & Pick<Store, 'loadRun'>;
    readonly artifacts: Blobs;
  },
): Promise<ReadingRun | null> {
  const { decided } = own.loaded;
  if (decided === undefined) return { ...own, isAgain: own.log.first('run_queued')?.data.retry_of !== undefined };
  const loaded = await store.loadRun(decided.run_id);
  const pinned = loaded?.run.settings_sha256 ?? null;
  if (!loaded || pinned === null) return null;
  const log = readLog(loaded.events, artifacts);
  const source = { parts, loaded, log, store, artifacts };
  return {
    loaded,
    settings: await settingsAsBuilt(source, pinned),
    prompt: await promptAsBuilt(source),
    state: foldEvents(log),
    isAgain: log.first('run_queued')?.data.retry_of !== undefined,
  };
}
