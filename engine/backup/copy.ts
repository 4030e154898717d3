import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, linkSync, mkdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CopiedFile } from './manifest.ts';

/** Length and SHA-256 of a file. */
export async function digestOf(path: string): Promise<Pick<CopiedFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies a file for its owner alone, flushed, and hashes what was copied. A program stays one. Null: it was gone. */
export async function copyFile(from: string, to: string): Promise<Pick<CopiedFile, 'bytes' | 'sha256'> | null> {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  let bytes = 0;
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  try {
    const mode = statSync(from).mode & 0o100 ? 0o700 : 0o600;
    await pipeline(createReadStream(from), measured, createWriteStream(to, { mode, flags: 'wx', flush: true }));
  } catch (error) {
    if (isGone(error) && !existsSync(from)) return null;
    throw error;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Lets a backup share an unchanged file with an earlier one; false where the file system cannot. */
export function shareFile(from: string, to: string): boolean {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Target of a symbolic link; null: it was gone. */
export function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

export const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const at = (folder: string, path: string): string => join(folder, ...path.split('/'));

/** Whether `path` is `folder` or lies below it; both are absolute. */
export const isBelow = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);
