import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY_PREFIX } from './files/folder.ts';

/** Entries that are looked at for one mail, and how deep. */
const MOST_SEEN = 500;
const MAX_DEPTH = 3;

interface FileNames {
  /** Paths as tools take them, in the order of their letters. */
  readonly names: readonly string[];
  /** There may be more of them. */
  readonly isCut: boolean;
}

/** The files below a folder; links are not followed. None where there is no such folder. */
export async function fileNames(root: string): Promise<FileNames> {
  const names: string[] = [];
  const folders: string[][] = [[]];
  let seen = 0;
  let isCut = false;
  for (let folder = folders.shift(); folder; folder = folders.shift()) {
    for (const entry of await entriesOf(join(root, ...folder))) {
      seen += 1;
      if (seen > MOST_SEEN) return { names: names.toSorted(), isCut: true };
      const place = [...folder, entry.name];
      if (entry.isFile()) names.push(place.join('/'));
      if (!entry.isDirectory()) continue;
      if (place.length < MAX_DEPTH) folders.push(place);
      else isCut = true;
    }
  }
  return { names: names.toSorted(), isCut };
}

const entriesOf = async (folder: string) =>
  (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter(
    ({ name }) => !name.startsWith(TEMPORARY_PREFIX),
  );
