import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseStamp, StampedStores, Store } from '../ports/store.ts';
import { openStore } from './persona/store.ts';

interface Open {
  readonly store: Store;
  users: number;
}

/**
 * The persona databases, opened at first use and kept while fewer than `maxOpen` are (each costs about 240 KB and
 * three file descriptors; opening again costs about a millisecond). One in use is never closed. `onWrite`: called after each
 * commit of this process that may have changed a row of the persona's; `onClose`: after its files were closed.
 */
export function createStores(options: {
  readonly dataDir: string;
  readonly maxOpen: number;
  onWrite?(personaId: string): void;
  onClose?(personaId: string): void;
  /** The clock of the file system, ms: file times are the system's, whatever our own clock says. */
  fileTime?(): number;
}): StampedStores {
  const { fileTime = Date.now } = options;
  // A Map keeps insertion order, so the first entry is the one that was unused for longest.
  const open = new Map<string, Open>();
  const fileOf = (personaId: string) => join(options.dataDir, 'personas', personaId, 'persona.db');

  const acquire = (personaId: string): Open => {
    const known = open.get(personaId);
    const entry = known ?? {
      store: openStore(fileOf(personaId), undefined, () => options.onWrite?.(personaId)),
      users: 0,
    };
    open.delete(personaId);
    open.set(personaId, entry);
    entry.users += 1;
    return entry;
  };

  const shrink = async () => {
    for (const [personaId, entry] of open) {
      if (open.size <= options.maxOpen) return;
      if (entry.users > 0) continue;
      open.delete(personaId);
      await entry.store.close();
      options.onClose?.(personaId);
    }
  };

  return {
    exists: (personaId: string): boolean => open.has(personaId) || existsSync(fileOf(personaId)),
    stampOf: (personaId: string): DatabaseStamp | null => stampOf(fileOf(personaId), fileTime()),

    async use<Result>(personaId: string, work: (store: Store) => Promise<Result>): Promise<Result> {
      const entry = acquire(personaId);
      try {
        return await work(entry.store);
      } finally {
        entry.users -= 1;
        if (open.size > options.maxOpen) await shrink();
      }
    },

    async close(): Promise<void> {
      const all = [...open.values()];
      open.clear();
      for (const entry of all) await entry.store.close();
    },
  };
}

/** File times tick in steps of milliseconds, on some file systems of seconds: within this a second write may go unseen. */
const RACY_MS = 2000;

/**
 * Each commit is appended to the log, and a checkpoint writes the file itself, so one of the two has other times or another
 * size after any change. A checkpoint changes the stamp and no row, which costs a look. An empty log is as good as none:
 * whoever only reads makes one. The inode and the time of change, which nobody can set, tell a file that was put back from a
 * backup from the one that was there.
 */
function stampOf(file: string, now: number): DatabaseStamp | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const isLogged = log !== undefined && log.size > 0;
  const changedAt = isLogged ? Math.max(found.ctimeMs, log.ctimeMs) : found.ctimeMs;
  const text = `${found.ino}:${found.size}:${found.ctimeMs}`;
  return {
    text: isLogged ? `${text} ${log.ino}:${log.size}:${log.ctimeMs}` : text,
    settled: Math.abs(now - changedAt) > RACY_MS,
  };
}
