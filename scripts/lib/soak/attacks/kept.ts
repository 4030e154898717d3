import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Kept {
  readonly bytes: number;
  /** By name below the folder. */
  readonly files: ReadonlyMap<string, number>;
}

/** What lies on disk. What SQLite needs while it runs comes and goes: it is not counted. */
export function keptIn(folder: string): Kept {
  const files = new Map<string, number>();
  const entries: Dirent[] = existsSync(folder) ? readdirSync(folder, { withFileTypes: true, recursive: true }) : [];
  for (const entry of entries.filter((one) => one.isFile() && !/-(wal|shm)$/.test(one.name))) {
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1), sizeOf(path));
  }
  return { bytes: [...files.values()].reduce((sum, size) => sum + size, 0), files };
}

/** A file may go between the listing and the look. */
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Files that came since and are larger than what people wrote meanwhile. */
export const keptSince = (before: Kept, after: Kept, worthBytes: number): string[] =>
  [...after.files]
    .filter(([name, size]) => !name.endsWith('.db') && size >= worthBytes && !before.files.has(name))
    .map(([name]) => name);
