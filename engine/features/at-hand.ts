import { existsSync, opendirSync } from 'node:fs';
import type { Configs, Persona } from '../config/types.ts';
import { learningOf } from '../learning/settings.ts';
import type { RunInHand, Trigger } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import { ASKED } from '../suspensions/kinds.ts';
import type { Knowledge } from '../tools/knowledge/knowledge.ts';
import type { Hand } from '../tools/run-surface.ts';

interface WorkedOn {
  readonly run: Pick<RunInHand, 'tier'>;
  readonly trigger: Trigger;
}

interface Surroundings {
  /** Where the owner puts calendars. */
  calendarsOf(personaId: string): string;
  readonly persona: Pick<Persona, 'id' | 'calendar' | 'memory' | 'delegation' | 'learning'>;
  readonly knowledge: Pick<Knowledge, 'isLarge'>;
  readonly configs: Pick<Configs, 'system'>;
  readonly store: Pick<Store, 'pendingApprovals'>;
}

/** What a run has to work with. */
export const atHand = async (
  { run, trigger }: WorkedOn,
  { calendarsOf, persona, knowledge, configs, store }: Surroundings,
): Promise<Hand> => ({
  calendars: Object.keys(persona.calendar.urls).length > 0 || hasFiles(calendarsOf(persona.id)),
  knowledge: await knowledge.isLarge(),
  memory: persona.memory.facts === true,
  delegation: mayDelegate(persona.delegation, trigger),
  // Who has not written the mail that a run is for is told so where such a tool is called.
  learning: learningOf(persona, configs.system).enabled && run.tier === 'owner',
  rules: run.tier === 'owner' || run.tier === 'member',
  // What can be settled is rare, and costs nothing where there is none.
  waiting: run.tier === 'owner' && trigger.kind === 'mail' && (await callsWait(store)),
});

const callsWait = async (store: Surroundings['store']): Promise<boolean> =>
  (await store.pendingApprovals(MOST_LOOKED_AT)).some(({ kind }) => ASKED[kind].answeredBy !== 'words');

const MOST_LOOKED_AT = 50;

const mayDelegate = ({ enabled, max_depth }: Persona['delegation'], trigger: Trigger): boolean =>
  enabled && (trigger.kind === 'delegation' ? trigger.packet.depth : 0) < max_depth;

/**
 * Before the first write there is no folder at all. Synchronous inside: a look takes some microseconds, and each way
 * through the thread pool fifty.
 */
function hasFiles(root: string): boolean {
  if (!existsSync(root)) return false;
  try {
    const folder = opendirSync(root, { bufferSize: 1 });
    const first = folder.readSync();
    folder.closeSync();
    return first !== null;
  } catch {
    return false;
  }
}
