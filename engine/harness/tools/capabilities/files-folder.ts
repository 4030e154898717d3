import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { EngineError } from '#contract';

/** An open folder inside `files/`. It stays the same folder, whatever is renamed or linked meanwhile. */
export interface Folder {
  /** Path of an entry as seen from the open folder. */
  at(name: string): string;
  /** Makes renames and new entries durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Walks from `root` down the names and hands the last folder to `work`. Each step opens the next folder first and
 * only then asks where that handle really is: a check before opening can be raced by swapping in a symlink.
 * Throws `invalid_arguments` when a link leads outside.
 */
export async function inFolder<Result>(
  options: { readonly root: string; readonly folders: readonly string[]; readonly create: boolean },
  work: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  if (options.create) await mkdir(options.root, { recursive: true, mode: 0o700 });
  const real = await realpath(options.root);
  let folder = await openInside(real, real);
  try {
    for (const name of options.folders) {
      if (options.create) await makeFolder(folder, name);
      const next = await openInside(folder.at(name), real);
      await folder.close();
      folder = next;
    }
    return await work(folder);
  } finally {
    await folder.close();
  }
}

async function openInside(path: string, root: string): Promise<Folder> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  // Node has no openat(2). On Linux a path through the descriptor resolves from the open folder itself, as openat
  // would; elsewhere the path is used again, which leaves a small window for whoever may write in files/ already.
  const anchor = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  try {
    const real = await realpath(anchor);
    if (real !== root && !real.startsWith(root + sep)) {
      throw new EngineError('invalid_arguments', 'the path leads outside files/ through a link');
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    at: (name) => join(anchor, name),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function makeFolder(parent: Folder, name: string): Promise<void> {
  try {
    await mkdir(parent.at(name), { mode: 0o700 });
    await parent.sync();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The system's code of a failed call, such as `ENOENT`; undefined for anything else. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
