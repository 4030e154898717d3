import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// What npm leaves out of a package would otherwise make an honest build look stale.
const isPacked = (name) => !name.startsWith('.') && name !== 'node_modules' && !/(~|\.orig)$/.test(name);

function addFolder(hash, root, folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => isPacked(entry.name));
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = folder + '/' + entry.name;
    if (entry.isDirectory()) addFolder(hash, root, path);
    else if (entry.isFile())
      hash
        .update(path + '\0')
        .update(readFileSync(join(root, path)))
        .update('\0');
  }
}

/**
 * One hash over the sources below `root`. The build stores it and the package ships the sources, so that a package
 * whose build is older than its sources can tell: npm cannot be made to build when it packs (see .npmrc).
 */
export function fingerprint(root) {
  const hash = createHash('sha256');
  for (const folder of ['engine', 'extensions']) {
    if (existsSync(join(root, folder))) addFolder(hash, root, folder);
  }
  return hash.digest('hex');
}
