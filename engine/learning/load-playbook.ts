import { messageOf } from '../lib/error-message.ts';
import type { NotLoaded, Playbook } from '../record/codec/playbook.ts';
import type { LearningStore } from '../storage/ports/learning/playbooks.ts';
import type { PlaybookInForce } from '../storage/types/learning/playbooks.ts';
import type { Ceiling } from './ceiling.ts';
import { WINDOW } from './heuristic.ts';
import { readPlaybook } from './read-playbook.ts';

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
