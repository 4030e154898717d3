import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Blobs = ReturnType<typeof createBlobs>;

/**
 * Bytes by their sha256 in one folder: raw mail, attachments, artifacts. `put` returns when the bytes would
 * survive a power cut: written under another name, flushed, renamed, and the folder flushed.
 *
 * Synchronous on purpose: four small system calls cost less than four trips through the thread pool, and the
 * caller cannot go on without them.
 */
export function createBlobs(folder: string, suffix = '') {
  const pathOf = (sha256: string) => join(folder, `${sha256}${suffix}`);
  return {
    pathOf,
    put(bytes: Uint8Array, sha256 = createHash('sha256').update(bytes).digest('hex')): string {
      const path = pathOf(sha256);
      if (!existsSync(path)) writeDurably(folder, path, bytes);
      return sha256;
    },
    remove: (sha256: string): void => rmSync(pathOf(sha256), { force: true }),
    has: (sha256: string): boolean => existsSync(pathOf(sha256)),
    get: (sha256: string): Promise<Uint8Array> => readFile(pathOf(sha256)),
    getSync: (sha256: string): Uint8Array => readFileSync(pathOf(sha256)),
  };
}

/** Atomic and durable: afterwards `path` has all of `bytes`, or is as before. */
export function writeDurably(folder: string, path: string, bytes: Uint8Array): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    // On a full disk every further attempt would leave its half behind and make it fuller.
    rmSync(temporary, { force: true });
    throw error;
  }
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
