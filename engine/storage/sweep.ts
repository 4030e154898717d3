import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Younger ones may be a living writer's, such as a command's beside the gateway. */
const OLD_MS = 3_600_000;
/** Names that are looked at in one start: a large workspace is swept over several. */
const MAX_NAMES = 200_000;

/** What `writeDurably` and the personas' files write under before they rename. */
const HALF_WRITTEN = /\.[0-9a-f]{8}\.tmp$/;
const ASIDE = /^\.epistle-/;

/**
 * Removes what killed writers left half-written, one folder after the other, from a persona on that `from` (0 to 1)
 * picks. Returns how many there were. Never throws: what cannot be looked at stays.
 */
export async function sweepHalfWritten(dataDir: string, now: number, from: number): Promise<number> {
  const left = { names: MAX_NAMES, removed: 0 };

  const sweep = async (folder: string, isLeft: RegExp, deep: boolean): Promise<void> => {
    const entries = await opendir(folder).catch(() => null);
    if (!entries) return;
    for await (const entry of entries) {
      left.names -= 1;
      if (left.names < 0) return;
      const path = join(folder, entry.name);
      if (isLeft.test(entry.name)) await removeOld(path);
      else if (deep && entry.isDirectory()) await sweep(path, isLeft, deep);
    }
  };
  const removeOld = async (path: string): Promise<void> => {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (now - mtimeMs < OLD_MS) return;
    left.removed += await rm(path, { recursive: true, force: true }).then(
      () => 1,
      () => 0,
    );
  };

  const personas = await namesIn(join(dataDir, 'personas'));
  const first = Math.floor(from * personas.length);
  for (const folder of ['.', 'outgoing', 'quarantine']) await sweep(join(dataDir, folder), HALF_WRITTEN, false);
  for (const id of [...personas.slice(first), ...personas.slice(0, first)]) {
    if (left.names <= 0) break;
    const folder = join(dataDir, 'personas', id);
    for (const blobs of ['mail', 'artifacts']) await sweep(join(folder, blobs), HALF_WRITTEN, false);
    await sweep(join(folder, 'files'), ASIDE, true);
  }
  return left.removed;
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  const entries = await opendir(folder).catch(() => null);
  if (entries) for await (const { name } of entries) names.push(name);
  return names;
}
