import { constants } from 'node:fs';
import { copyFile, link, open, rename, stat } from 'node:fs/promises';
import { EngineError } from '#contract';
import type { Blobs } from '../../storage/blobs.ts';
import { aside, hashFile, inspect, inTemporary, writeNew } from './content.ts';
import { codeOf, type Folder } from './folder.ts';

/** What is kept of taken-away files together; more is not taken away until older ones have ended. */
export const MAX_KEPT_BYTES = 256 * 1024 * 1024;

export interface RemovedRecord {
  /** Stores that this run takes the file away, before it does. */
  removing(file: { path: string; sha256: string; bytes: number }): Promise<void>;
  /** What this run took away there. */
  removed(path: string): Promise<{ readonly sha256: string; readonly bytes: number } | undefined>;
  keptBytes(): Promise<number>;
}

/** One file: its path below `files/`, its name in the folder, and where things are put meanwhile. */
interface Named {
  readonly path: string;
  readonly name: string;
  readonly temporary: string;
}

/** Keeps the bytes and says so on disk, and only then takes the file away: at no moment is it in neither place. */
export async function removeFile(
  folder: Folder,
  file: Named,
  kept: { readonly blobs: Pick<Blobs, 'adopt'>; readonly record: RemovedRecord },
): Promise<{ path: string; bytes: number; sha256: string }> {
  const { path, name, temporary } = file;
  const { kind, bytes: size } = await inspect(folder, name);
  if (kind === 'absent') {
    const before = await kept.record.removed(path);
    if (before) return { path, bytes: before.bytes, sha256: before.sha256 };
  }
  if ((await kept.record.keptBytes()) + size > MAX_KEPT_BYTES) {
    throw new EngineError('tool_failed', 'too much was deleted in the last days to keep this, too; it stays');
  }
  const { bytes, sha256 } = await keep(folder, file, kept.blobs);
  await kept.record.removing({ path, sha256, bytes });
  await aside({ folder, temporary }, async (moved) => {
    await rename(folder.at(name), moved);
    // Somebody wrote to it in between: what they wrote is not what was kept, so it goes back.
    const found = await hashFile(moved, name, { maxBytes: MAX_KEPT_BYTES }).catch(() => null);
    if (found?.sha256 !== sha256) await putBack(folder, moved, name);
  });
  await folder.sync();
  return { path, bytes, sha256 };
}

/** A copy, flushed and under its hash: whoever has the file open may still write to what is taken away. */
const keep = (folder: Folder, { name, temporary }: Named, blobs: Pick<Blobs, 'adopt'>) =>
  inTemporary(temporary, async (path) => {
    const made: { found?: { sha256: string; bytes: number } } = {};
    await writeNew(path, async (handle) => {
      const copy = (piece: Uint8Array) => handle.writeFile(piece);
      made.found = await hashFile(folder.at(name), name, { maxBytes: MAX_KEPT_BYTES, copy });
    });
    if (!made.found) throw new EngineError('tool_failed', 'the file could not be kept; it stays');
    blobs.adopt(path, made.found.sha256);
    return made.found;
  });

/** Whatever it is, and never over something else. */
async function putBack(folder: Folder, moved: string, name: string): Promise<never> {
  try {
    // A link, not a rename: it fails where something has appeared since. A folder cannot be linked, and is not
    // renamed over anything but an empty one.
    await link(moved, folder.at(name)).catch((error: unknown) => {
      if (codeOf(error) !== 'EPERM') throw error;
      return rename(moved, folder.at(name));
    });
  } catch {
    const beside = `${name}.kept-${moved.slice(-16)}`;
    await rename(moved, folder.at(beside));
    throw new EngineError('tool_failed', `the file changed while it was being deleted; it stays as ${beside}`);
  }
  throw new EngineError('tool_failed', 'the file changed while it was being deleted; it stays');
}

/** Puts the bytes back under their name, unless something else stands there. */
export async function restoreFile(
  folder: Folder,
  file: Named & { readonly sha256: string },
  blobs: Pick<Blobs, 'pathOf' | 'has'>,
): Promise<{ path: string }> {
  const { path, name, temporary } = file;
  const { kind } = await inspect(folder, name);
  const there =
    kind === 'file' ? await hashFile(folder.at(name), name, { maxBytes: MAX_KEPT_BYTES }).catch(() => null) : null;
  if (there?.sha256 === file.sha256) return { path };
  if (kind !== 'absent') throw inTheWay(path);
  await checkKept(file, blobs);
  try {
    await aside({ folder, temporary }, async (copy) => {
      await copyFile(blobs.pathOf(file.sha256), copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      const handle = await open(copy, constants.O_RDWR | constants.O_NOFOLLOW);
      await handle.sync().finally(() => handle.close());
      // A link, not a rename: it fails where something has appeared since the look.
      await link(copy, folder.at(name));
    });
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? inTheWay(path) : error;
  }
  await folder.sync();
  return { path };
}

/** How long what is to be brought back is. Throws `tool_failed` where it is not kept any more. */
export async function checkKept(
  { path, sha256 }: { readonly path: string; readonly sha256: string },
  blobs: Pick<Blobs, 'pathOf' | 'has'>,
): Promise<number> {
  if (!blobs.has(sha256)) throw new EngineError('tool_failed', `${JSON.stringify(path)} is not kept any more`);
  return (await stat(blobs.pathOf(sha256))).size;
}

const inTheWay = (path: string): EngineError =>
  new EngineError('tool_failed', `something newer stands at ${JSON.stringify(path)}; it is left as it is`);
