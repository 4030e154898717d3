import { closeSync, openSync } from 'node:fs';

/**
 * Makes an empty file that no other account on the machine can read; one that is there is left alone. SQLite would
 * make it by the umask, and gives its -wal and -shm files the same rights. A file that exists is not even opened:
 * closing it again would drop every lock that this process holds on it (POSIX).
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
