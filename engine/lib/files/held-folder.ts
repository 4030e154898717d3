import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';

/** An open folder. It stays the same folder, whatever is renamed or linked in its place meanwhile. */
export interface HeldFolder {
  readonly fd: number;
  /** Path of an entry as seen from the open folder. `name` is one name, never a path. */
  at(name: string): string;
  /** Once. */
  close(): void;
}

/**
 * Opens a folder that is no link itself. Throws what the system says: ENOTDIR or ELOOP for a link, ENOENT, EACCES.
 *
 * Node has no openat(2). On Linux a path through the descriptor resolves from the open folder itself, as openat would;
 * elsewhere the path is used again, which leaves a small window for whoever may write in its parents.
 */
export function holdFolder(path: string): HeldFolder {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const anchor = process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
  return {
    fd,
    at: (name) => join(anchor, name),
    close: () => closeSync(fd),
  };
}
