import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

interface Durably {
  readonly mode?: number;
  readonly create?: boolean;
  /** Called when the bytes are on disk, under another name. */
  readonly onPrepared?: () => void;
}

/**
 * Atomic and durable: afterwards `path` has all of `bytes`, or is as before. `mode`: for their owner alone unless it
 * says otherwise. `create`: throws EEXIST where there is a file already.
 */
export function writeDurably(
  folder: string,
  path: string,
  bytes: Uint8Array,
  { mode = 0o600, create = false, onPrepared }: Durably = {},
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    onPrepared?.();
    // Unlike a rename, a link does not take the place of what is there.
    if (create) linkSync(temporary, path);
    else renameSync(temporary, path);
  } finally {
    // On a full disk every further attempt would leave its half behind and make it fuller.
    rmSync(temporary, { force: true });
  }
  flushFolder(folder);
}

/** Flushes the folder, so that a file that was made, renamed or removed in it survives a power cut. */
export function flushFolder(folder: string): void {
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
