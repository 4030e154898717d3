// Exit 0 when node_modules holds what package-lock.json asks for, by npm's own record of what it put there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2];

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const wanted = packagesIn('package-lock.json');
const present = packagesIn('node_modules/.package-lock.json');

// Optional packages are mostly binaries for other systems; those of this one are present or the install had failed.
const isMissing = ([path, { optional, integrity }]) =>
  path !== '' && !optional && (present[path] === undefined || present[path].integrity !== integrity);

if (!wanted || !present || Object.entries(wanted).some(isMissing)) process.exitCode = 1;
