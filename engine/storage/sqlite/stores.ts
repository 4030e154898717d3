import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Store, Stores } from '../ports/store.ts';
import { openStore } from './persona/store.ts';

interface Open {
  readonly store: Store;
  users: number;
}

/**
 * The persona databases, opened at first use and kept while fewer than `maxOpen` are (each costs about 240 KB and
 * three file descriptors; opening again costs about a millisecond). One in use is never closed.
 */
export function createStores(options: { readonly dataDir: string; readonly maxOpen: number }): Stores {
  // A Map keeps insertion order, so the first entry is the one that was unused for longest.
  const open = new Map<string, Open>();
  const fileOf = (personaId: string) => join(options.dataDir, 'personas', personaId, 'persona.db');

  const acquire = (personaId: string): Open => {
    const known = open.get(personaId);
    const entry = known ?? { store: openStore(fileOf(personaId)), users: 0 };
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
    }
  };

  return {
    exists: (personaId: string): boolean => open.has(personaId) || existsSync(fileOf(personaId)),

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
