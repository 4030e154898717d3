import type { Persona, SecurityConfig } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { messageOf } from '../lib/error-message.ts';
import type { NotLoaded, PinnedPlaybook, Playbook } from '../record/codec/playbook.ts';
import type { PayloadOf } from '../record/events.ts';
import type { LearningStore } from '../storage/ports/learning/playbooks.ts';
import type { PlaybookInForce, PlaybookMode } from '../storage/types/learning/playbooks.ts';
import { type Ceiling, ceilingOf } from './ceiling.ts';
import { modeOf, standingOf, WINDOW } from './heuristic.ts';
import { holds, type MailScope } from './places.ts';
import { readPlaybook } from './read-playbook.ts';
import type { LearningSettings } from './settings.ts';

/** By what a run works. */
export interface SelectedPlaybook {
  readonly event: PayloadOf<'playbook_selected'>;
  /** The version that its outcome counts for; null: none was there. */
  readonly versionId: string | null;
  /** Null: nothing of a playbook is in prompt or runtime. */
  readonly pinned: PinnedPlaybook | null;
}

/** Asked once for each run, when its prompt is put together. */
type SelectPlaybook = (kind: string, scope: MailScope) => Promise<SelectedPlaybook>;

/** Asks the store nothing before it is asked itself. */
export function playbooksFor(from: {
  readonly settings: LearningSettings;
  readonly persona: Persona;
  readonly policy: SecurityConfig['tool_policy'];
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  readonly store: Pick<LearningStore, 'playbookInForce'>;
  now(): number;
}): SelectPlaybook {
  const { settings, persona, policy, tools, store } = from;
  return async (kind, scope) => {
    const ceiling = ceilingOf(persona, policy, tools);
    const loaded = await loadPlaybook(kind, { enabled: true, store, ceiling });
    const { mode_override: override, max_mode: most } = settings;
    return selected(kind, loaded, { override, most, scope, now: from.now() });
  };
}

/** Pure. */
export function selected(
  kind: string,
  loaded: LoadedPlaybook,
  {
    override,
    most,
    scope,
    now,
  }: {
    readonly override: PlaybookMode | null;
    readonly most?: PlaybookMode;
    readonly scope: MailScope;
    readonly now: number;
  },
): SelectedPlaybook {
  const { inForce } = loaded;
  const version = inForce?.version;
  const standing = inForce ? standingOf(inForce, { override, now, ...(most === undefined ? {} : { most }) }) : null;
  const h = standing?.h ?? null;
  if (loaded.loaded && isAside(loaded.playbook, scope)) {
    // The run is as one without it, and says nothing of how it does.
    const { number } = loaded.inForce.version;
    const event = { kind, loaded: true, mode: 'none', by: 'outcomes', h, version: number, stopped: true } as const;
    return { event, versionId: null, pinned: null };
  }
  const { mode, by } = (loaded.loaded && standing) || modeOf(null, null);
  const event = {
    kind,
    loaded: loaded.loaded,
    mode,
    by,
    h,
    ...(loaded.loaded ? {} : { reason: loaded.reason }),
    ...(loaded.loaded || loaded.detail === undefined ? {} : { detail: loaded.detail }),
    ...(version ? { version_id: version.id, version: version.number } : {}),
    ...(inForce?.pinIsGone ? { pin_is_gone: true as const } : {}),
  };
  if (!loaded.loaded || mode === 'none') return { event, versionId: version?.id ?? null, pinned: null };
  const { id: version_id, number, tainted, origin } = loaded.inForce.version;
  const said = origin === 'owner' ? ({ said: true } as const) : {};
  const pinned = { version_id, number, kind, mode, tainted: tainted === 1, ...said, playbook: loaded.playbook };
  return { event, versionId: version_id, pinned };
}

/** Whether it says of itself that it is not for this mail, whatever its steps would bring. */
const isAside = ({ stop }: Playbook, scope: MailScope): boolean =>
  stop.some((one) => /^(?:mail|thread)\./.test(one.of) && holds(one, { ...scope, steps: {} }));

export type LoadedPlaybook =
  | { readonly loaded: true; readonly inForce: PlaybookInForce; readonly playbook: Playbook }
  | {
      readonly loaded: false;
      readonly reason: NotLoaded;
      readonly detail?: string;
      /** The version that could not be used. */
      readonly inForce?: PlaybookInForce;
    };

/** The playbook that holds for a kind of work now. Never throws; where nothing is learned the store is not asked. */
export async function loadPlaybook(
  kind: string,
  from: {
    readonly enabled: boolean;
    readonly store: Pick<LearningStore, 'playbookInForce'>;
    readonly ceiling: Ceiling;
  },
): Promise<LoadedPlaybook> {
  if (!from.enabled) return { loaded: false, reason: 'disabled' };
  try {
    const inForce = await from.store.playbookInForce(kind, WINDOW);
    if (!inForce) return { loaded: false, reason: 'no_version' };
    const read = readPlaybook(inForce.version.playbook_json, kind, from.ceiling);
    if (read.ok) return { loaded: true, inForce, playbook: read.playbook };
    return { loaded: false, reason: read.reason, detail: read.detail, inForce };
  } catch (error) {
    return { loaded: false, reason: 'meta_threw', detail: messageOf(error).slice(0, 500) };
  }
}
