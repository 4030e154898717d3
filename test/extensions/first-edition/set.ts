import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Extensions as the first edition of the contract had them, in no word changed since. */
export const FOLDER = join(import.meta.dirname, 'extensions');

/** Their files by the path in a workspace, where `#contract` is known as `epistle/contract`. */
export function firstEdition(): Record<string, string> {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(FOLDER, path), readFileSync(path, 'utf8').replaceAll("'#contract'", "'epistle/contract'")];
    }),
  );
}

/** A listing that switches all of them on. */
export function listingOfFirstEdition(): Record<string, string[]> {
  const kinds = ['providers', 'tools', 'resolvers', 'hooks'];
  return Object.fromEntries(kinds.map((kind) => [kind, readdirSync(join(FOLDER, kind)).sort()]));
}
