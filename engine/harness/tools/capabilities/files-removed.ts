import { link, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { sha256 } from '../../../lib/ids.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { inspect, readBytes } from './files-content.ts';
import { codeOf, type Folder } from './files-folder.ts';
import { TEMPORARY_PREFIX } from './files-path.ts';

/** What is kept of taken-away files together; more is not taken away until older ones have ended. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

export interface RemovedRecord {
  /** Stores that this run takes the file away, before it does. */
  removing(file: { path: string; sha256: string; bytes: number }): Promise<void>;
  /** What this run took away there. */
  removed(path: string): Promise<{ readonly sha256: string; readonly bytes: number } | undefined>;
  keptBytes(): Promise<number>;
}

/** Keeps the bytes and says so on disk, and only then takes the file away: at no moment is it in neither place. */
export async function removeFile(
  folder: Folder,
  file: { readonly path: string; readonly name: string },
  kept: { readonly blobs: Pick<Blobs, 'put'>; readonly record: RemovedRecord },
): Promise<{ path: string; bytes: number; sha256: string }> {
  const { path, name } = file;
  const { kind } = await inspect(folder, name);
  if (kind === 'absent') {
    const before = await kept.record.removed(path);
    if (before) return { path, bytes: before.bytes, sha256: before.sha256 };
  }
  const bytes = await readBytes(folder, name);
  if ((await kept.record.keptBytes()) + bytes.length > MAX_KEPT_BYTES) {
    throw new EngineError('tool_failed', 'too much was deleted in the last days to keep this, too; it stays');
  }
  const hash = kept.blobs.put(bytes);
  await kept.record.removing({ path, sha256: hash, bytes: bytes.length });
  const aside = await mkdtemp(folder.at(TEMPORARY_PREFIX));
  try {
    const moved = join(aside, 'content');
    await rename(folder.at(name), moved);
    // Somebody wrote to it in between: what they wrote is not what was kept, so it goes back.
    if (sha256(await readBytes({ ...folder, at: () => moved }, 'content')) !== hash) {
      await link(moved, folder.at(name));
      throw new EngineError('tool_failed', 'the file changed while it was being deleted; it stays');
    }
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  await folder.sync();
  return { path, bytes: bytes.length, sha256: hash };
}

/** Puts the bytes back under their name, unless something else stands there. */
export async function restoreFile(
  folder: Folder,
  file: { readonly path: string; readonly name: string; readonly sha256: string },
  blobs: Pick<Blobs, 'get' | 'has'>,
): Promise<{ path: string }> {
  const { path, name } = file;
  const { kind } = await inspect(folder, name);
  if (kind === 'file' && sha256(await readBytes(folder, name)) === file.sha256) return { path };
  if (kind !== 'absent') throw inTheWay(path);
  if (!blobs.has(file.sha256)) throw new EngineError('tool_failed', `${JSON.stringify(path)} is not kept any more`);
  const aside = await mkdtemp(folder.at(TEMPORARY_PREFIX));
  try {
    const handle = await open(join(aside, 'content'), 'wx', 0o600);
    try {
      await handle.writeFile(await blobs.get(file.sha256));
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link, not a rename: it fails where something has appeared since the look.
    await link(join(aside, 'content'), folder.at(name));
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? inTheWay(path) : error;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  await folder.sync();
  return { path };
}

const inTheWay = (path: string): EngineError =>
  new EngineError('tool_failed', `something newer stands at ${JSON.stringify(path)}; it is left as it is`);
