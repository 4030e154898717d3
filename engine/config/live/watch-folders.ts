import { type FSWatcher, statSync, watch } from 'node:fs';

export interface FolderWatch {
  /** Watches what is not watched yet: a folder that was absent, or was removed and made again. */
  ensure(): void;
  close(): void;
}

/**
 * One non-recursive watch per folder, as a hint to look at once. It may miss events (network file systems, limits of
 * the kernel), so whoever uses it also looks from time to time.
 */
export function watchFolders(folders: readonly string[], onEvent: () => void): FolderWatch {
  const watched = new Map<string, { watcher: FSWatcher; inode: number }>();
  const drop = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const ensureOne = (folder: string): void => {
    const inode = inodeOf(folder);
    if (watched.get(folder)?.inode === inode) return;
    drop(folder);
    if (inode === undefined) return;
    try {
      const watcher = watch(folder, { persistent: false }, onEvent);
      watcher.on('error', () => drop(folder));
      watched.set(folder, { watcher, inode });
    } catch {
      // No watch left in the kernel: the regular look has to do.
    }
  };
  return {
    ensure: () => folders.forEach(ensureOne),
    close: () => folders.forEach(drop),
  };
}

function inodeOf(folder: string): number | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}
