import { constants } from 'node:fs';
import { lstat, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { codeOf, type Folder } from './files-folder.ts';
import { TEMPORARY_PREFIX } from './files-path.ts';

export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** What stands at a name: a link or a device is never followed, read or replaced. */
export interface Found {
  readonly kind: 'absent' | 'file' | 'folder' | 'special';
  readonly bytes: number;
}

export async function inspect(folder: Folder, name: string): Promise<Found> {
  try {
    const found = await lstat(folder.at(name));
    if (found.isFile()) return { kind: 'file', bytes: found.size };
    return { kind: found.isDirectory() ? 'folder' : 'special', bytes: 0 };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'absent', bytes: 0 };
    throw error;
  }
}

/** All bytes of a regular file. Throws `tool_failed` over the limit, `invalid_arguments` for what is no file. */
export async function readBytes(folder: Folder, name: string): Promise<Buffer> {
  // O_NONBLOCK: opening a named pipe that nobody writes to would wait for ever.
  const handle = await open(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new EngineError('invalid_arguments', `${JSON.stringify(name)} is not a regular file`);
    if (stat.size > MAX_FILE_BYTES) {
      throw new EngineError('tool_failed', `the file has ${stat.size} bytes; at most ${MAX_FILE_BYTES} can be read`);
    }
    const bytes = Buffer.alloc(stat.size);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

/** UTF-8 with its byte-order mark kept, so that an edit gives back what it did not touch. */
export function textOf(bytes: Uint8Array): string {
  const text = decodedOrNull(bytes);
  if (text === null || text.includes('\0')) {
    throw new EngineError('tool_failed', 'the file is not UTF-8 text and cannot be read as such');
  }
  return text;
}

function decodedOrNull(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Old content or new, never a mixture, also after a power cut: written aside, synced, renamed, folder synced. */
export async function replaceFile(folder: Folder, name: string, bytes: Uint8Array): Promise<void> {
  const aside = await mkdtemp(folder.at(TEMPORARY_PREFIX));
  try {
    const handle = await open(join(aside, 'content'), 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(join(aside, 'content'), folder.at(name));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  await folder.sync();
}
