import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface ListedFile {
  /** Below the folder that was listed, with `/`. */
  readonly path: string;
  readonly kind: 'file' | 'link';
}

/**
 * Files and symbolic links below a folder, sorted; nothing where it is missing. Links are not followed; sockets, pipes
 * and devices are left out. `enter` decides about each folder.
 */
export function listFiles(folder: string, enter: (path: string) => boolean = () => true): ListedFile[] {
  const found: ListedFile[] = [];
  const walk = (below: string): void => {
    for (const entry of entriesOf(join(folder, below))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (enter(path)) walk(path);
      } else if (entry.isSymbolicLink()) found.push({ path, kind: 'link' });
      else if (entry.isFile()) found.push({ path, kind: 'file' });
    }
  };
  walk('');
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A folder that disappears while it is listed has nothing in it. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
