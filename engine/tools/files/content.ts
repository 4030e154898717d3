import { createHash, randomBytes } from 'node:crypto';
import { constants, mkdirSync } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { codeOf, type Folder, TEMPORARY_PREFIX } from './folder.ts';
import { weightOf } from './usage.ts';

export const MAX_FILE_BYTES = 10 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/** What stands at a name: a link or a device is never followed, read or replaced. */
export interface FoundAtName {
  readonly kind: 'absent' | 'file' | 'folder' | 'special';
  readonly bytes: number;
  /** What it takes of the disk. */
  readonly weight: number;
}

export async function inspect(folder: Folder, name: string): Promise<FoundAtName> {
  try {
    const found = await lstat(folder.at(name));
    const weight = weightOf(found);
    if (found.isFile()) return { kind: 'file', bytes: found.size, weight };
    return { kind: found.isDirectory() ? 'folder' : 'special', bytes: 0, weight };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'absent', bytes: 0, weight: 0 };
    throw error;
  }
}

/** All bytes of a regular file. Throws `tool_failed` over the limit, `invalid_arguments` for what is no file. */
export const readBytes = (folder: Folder, name: string): Promise<Buffer> =>
  withFile(folder.at(name), name, async (handle, size) => {
    if (size > MAX_FILE_BYTES) {
      throw new EngineError('tool_failed', `the file has ${size} bytes; at most ${MAX_FILE_BYTES} can be read`);
    }
    const bytes = Buffer.alloc(size);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  });

/**
 * Reads a regular file piece by piece: its hash and length, however long it is, up to `maxBytes` (throws
 * `tool_failed`). `copy` is given each piece.
 */
export const hashFile = (
  path: string,
  name: string,
  { maxBytes, copy }: { readonly maxBytes: number; copy?(piece: Uint8Array): Promise<unknown> },
): Promise<{ readonly sha256: string; readonly bytes: number }> =>
  withFile(path, name, async (handle) => {
    const hash = createHash('sha256');
    const piece = Buffer.alloc(PIECE_BYTES);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, bytes);
      if (bytesRead === 0) return { sha256: hash.digest('hex'), bytes };
      bytes += bytesRead;
      if (bytes > maxBytes) throw new EngineError('tool_failed', `the file has more than ${maxBytes} bytes`);
      hash.update(piece.subarray(0, bytesRead));
      await copy?.(piece.subarray(0, bytesRead));
    }
  });

async function withFile<Result>(
  path: string,
  name: string,
  work: (handle: FileHandle, size: number) => Promise<Result>,
): Promise<Result> {
  // O_NONBLOCK: opening a named pipe that nobody writes to would wait for ever.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new EngineError('invalid_arguments', `${JSON.stringify(name)} is not a regular file`);
    return await work(handle, stat.size);
  } finally {
    await handle.close();
  }
}

/** UTF-8 with its byte-order mark kept, so that an edit gives back what it did not touch. */
export function textOf(bytes: Uint8Array): string {
  const text = decodedOrNull(bytes);
  if (text === null) throw new EngineError('tool_failed', 'the file is not UTF-8 text and cannot be read as such');
  return text;
}

export const isText = (bytes: Uint8Array): boolean => decodedOrNull(bytes) !== null;

function decodedOrNull(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Old content or new, never a mixture, also after a power cut: written aside, synced, renamed, folder synced. */
export async function replaceFile(
  folder: Folder,
  file: { readonly name: string; readonly temporary: string },
  bytes: Uint8Array,
): Promise<void> {
  await aside({ folder, temporary: file.temporary }, async (path) => {
    await writeNew(path, (handle) => handle.writeFile(bytes));
    await rename(path, folder.at(file.name));
  });
  await folder.sync();
}

/** The same where nothing stands there; false where something does by now, which stays as it is. */
export async function makeFile(
  folder: Folder,
  file: { readonly name: string; readonly temporary: string },
  bytes: Uint8Array,
): Promise<boolean> {
  try {
    await aside({ folder, temporary: file.temporary }, async (path) => {
      await writeNew(path, (handle) => handle.writeFile(bytes));
      await link(path, folder.at(file.name));
    });
    await folder.sync();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(String(codeOf(error)))) throw error;
    if (!(await claimName(folder.at(file.name)))) return false;
    await replaceFile(folder, file, bytes);
  }
  return true;
}

/** Where the file system knows no second name for a file. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Whether the name was free, and is taken now by an empty file. */
async function claimName(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

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
