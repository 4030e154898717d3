import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, type Folder } from './folder.ts';
import { TEMPORARY_PREFIX } from './path.ts';

/**
 * Hands `work` the path of a name that is free and that no shell can reach: in `temporary`, beside `files/` and on its
 * disk. What stands there afterwards is removed. It has to be one name: a folder that a shell can reach may be swapped
 * for a link, and whatever is then made or removed in it is made or removed somewhere else.
 */
export async function aside<Result>(
  { folder, temporary }: { readonly folder: Folder; readonly temporary: string },
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await during(temporaryName(temporary), work);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
  }
  // An owner put files/ on a disk of its own. Then a name in the open folder; no shell works while this one does.
  return during(folder.at(`${TEMPORARY_PREFIX}${freshName()}`), work);
}

/** The same in `temporary` alone, for what is not renamed to or from `files/`. */
export const inTemporary = async <Result>(temporary: string, work: (path: string) => Promise<Result>) =>
  during(temporaryName(temporary), work);

function temporaryName(temporary: string): string {
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  return join(temporary, freshName());
}

const freshName = () => randomBytes(8).toString('hex');

async function during<Result>(path: string, work: (path: string) => Promise<Result>): Promise<Result> {
  try {
    return await work(path);
  } finally {
    // One name and never more: what is a folder after all stays where it is.
    await unlink(path).catch(() => undefined);
  }
}

/** A new file with what `fill` writes, flushed. */
export async function writeNew(path: string, fill: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await fill(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
