import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  /** Takes all the room that is left but so many megabytes. */
  fill(leftMegabytes?: number): void;
  free(): void;
  remove(): void;
}

/** A file system of its own at `path`, so small that a test can fill it; null where this account may not mount one. */
export function mountSmallDisk(path: string, megabytes: number): SmallDisk | null {
  mkdirSync(path, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path]);
  if (status !== 0) return null;
  const filler = join(path, 'filler');
  return {
    fill(leftMegabytes = 0) {
      const file = openSync(filler, 'w');
      const zeros = Buffer.alloc(1024 * 1024);
      for (let bytes = zeros.length; bytes > 0; )
        try {
          writeSync(file, zeros, 0, bytes);
        } catch {
          bytes = Math.floor(bytes / 2);
        }
      ftruncateSync(file, Math.max(0, fstatSync(file).size - leftMegabytes * 1024 * 1024));
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    // Lazily: databases in it may still be closing.
    remove: () => void spawnSync('umount', ['-l', path]),
  };
}
