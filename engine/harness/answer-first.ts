import type { Configs, Persona } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { foldEvents } from '../record/fold.ts';
import { type RunLog, readLog } from '../record/run-log.ts';
import type { PinnedSettings } from '../record/settings.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import { ownerName } from '../suspensions/asker.ts';
import type { Reading } from '../tools/provenance-of-run.ts';
import { promptAsBuilt, settingsAsBuilt } from './context/as-built.ts';
import { recipientsOf } from './respond/recipients.ts';
import { replyModeOf } from './respond/respond.ts';

/**
 * Which calls do not hold the answer where owners are asked about them; undefined: the run waits for all. Only where it is a mail
 * of somebody who belongs here, and the answer leaves by itself: the second mail follows the first, and somebody outside has
 * asked for nothing of the kind.
 */
export async function answersFirst(
  run: Omit<Parameters<typeof recipientsOf>[0], 'loaded' | 'persona'> & {
    readonly loaded: LoadedRun;
    readonly persona: Persona;
    readonly configs: Pick<Configs, 'security'>;
    readonly store: Pick<Store, 'knownParticipants' | 'nameOfSender'>;
    /** Those that the model is shown. */
    readonly names: readonly string[];
    readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  },
): Promise<PinnedSettings['later']> {
  const { loaded, persona, configs, store, names, tools } = run;
  const { tier } = loaded.run;
  if (configs.security.approvals.answer !== 'now' || loaded.trigger.kind !== 'mail') return undefined;
  if ((tier !== 'owner' && tier !== 'member') || replyModeOf(persona, loaded) !== 'send') return undefined;
  const later = names.filter((name) => tools.get(name)?.definition.later === true);
  if (later.length === 0 || (await recipientsOf(run)).to.length === 0) return undefined;
  return { of: await ownerName(persona.owners, store), tools: later };
}

/** What a run was shown; of one that carries out what was decided, what that run was shown whose call it is. */
export async function readingFor(
  own: Pick<Reading, 'settings' | 'prompt' | 'state'> & { readonly loaded: LoadedRun; readonly log: RunLog },
  {
    store,
    artifacts,
  }: {
    readonly store: Parameters<typeof promptAsBuilt>[0]['store'] & Pick<Store, 'loadRun'>;
    readonly artifacts: Blobs;
  },
): Promise<Reading | null> {
  const { decided } = own.loaded;
  if (decided === undefined) return { ...own, isAgain: own.log.first('run_queued')?.data.retry_of !== undefined };
  const loaded = await store.loadRun(decided.run_id);
  const pinned = loaded?.run.settings_sha256 ?? null;
  if (!loaded || pinned === null) return null;
  const log = readLog(loaded.events, artifacts);
  const source = { loaded, log, store, artifacts };
  return {
    loaded,
    settings: await settingsAsBuilt(source, pinned),
    prompt: await promptAsBuilt(source),
    state: foldEvents(log),
    isAgain: log.first('run_queued')?.data.retry_of !== undefined,
  };
}
