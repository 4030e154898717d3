import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { flushFolder, writeDurably } from '../../lib/files/durable-file.ts';
import { activeMemory } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { ActiveStore } from '../../storage/ports/memory/active.ts';
import type { Fact } from '../../storage/types/facts.ts';
import { composeActive, fits, ROOM_OF_EMPTY } from './compose.ts';

export interface ActiveDeps {
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly pass: PassCrashPoint;
}

/** Writes `active.md` of a persona anew where what everybody may be told has changed. */
export function createActiveKeeper(deps: ActiveDeps): JobHandler {
  return handleJobs(activeMemory, (persona, _job, store) => keepActive(deps, persona.id, store));
}

/**
 * The same at once. Cut off anywhere it is done again from the rows, and comes to the same file; it is on record as
 * written once.
 */
export async function keepActive(
  { dataDir, clock, pass }: ActiveDeps,
  personaId: string,
  store: ActiveStore,
): Promise<void> {
  const state = await store.activeState();
  if (!state) return;
  const now = clock.now();
  const facts = await store.factsForEverybody(now);
  pass('active.begun');
  const { room, error } = writeActive(join(dataDir, 'personas', personaId), facts);
  pass('active.written');
  const ends = facts.flatMap(({ expires_at: at }) => (at === null ? [] : [at]));
  const overAt = ends.length === 0 ? null : Math.min(...ends);
  await store.activeWritten({ changes: state.changes, room, error, overAt, now });
}

function writeActive(folder: string, facts: readonly Fact[]) {
  const path = join(folder, 'active.md');
  for (;;) {
    const before = textOf(path);
    const composed = composeActive(before, facts);
    // Whoever saves it in an editor meanwhile has their words in it.
    if (textOf(path) !== before) continue;
    if (composed.text === before) return composed;
    if (composed.text === null) {
      rmSync(path, { force: true });
      flushFolder(folder);
    } else writeDurably(folder, path, Buffer.from(composed.text));
    return composed;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether everybody can be told this, too. `replaces`: what is told no longer. */
export async function hasRoomFor(
  store: Pick<ActiveStore, 'activeState' | 'factsForEverybody'>,
  fact: Fact,
  { replaces, now }: { readonly replaces: string | null; readonly now: number },
): Promise<boolean> {
  if (fact.visibility !== 'persona') return true;
  const state = await store.activeState();
  const others = (await store.factsForEverybody(now)).filter(({ id }) => id !== replaces);
  return fits([fact, ...others], state?.room ?? ROOM_OF_EMPTY);
}
