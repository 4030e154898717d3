#!/usr/bin/env node
// Plain JavaScript in old syntax: an older Node must get one line from this file, not a crash.
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fingerprint } from './fingerprint.js';
import { tooOld } from './node-version.js';
import { resolveQuickly } from './quick-resolve.js';

const root = fileURLToPath(new URL('..', import.meta.url));
// Node strips types everywhere but below node_modules, so there only the built copy can run.
const isInstalled = root.includes(sep + 'node_modules' + sep);
const main = isInstalled ? join(root, 'dist', 'engine', 'cli', 'main.js') : join(root, 'engine', 'cli', 'main.ts');

function builtFingerprint() {
  try {
    return JSON.parse(readFileSync(join(root, 'dist', 'build.json'), 'utf8')).fingerprint;
  } catch {
    return undefined;
  }
}

/** What keeps this copy from running at all; undefined when nothing does. */
function obstacle() {
  const old = tooOld(process.versions.node);
  if (old) return old;
  if (isInstalled && builtFingerprint() !== fingerprint(root)) {
    return 'This package was packed without a build of its sources. Run ./scripts/build in the checkout and pack it again.';
  }
  if (!existsSync(main)) return 'Epistle is incomplete: ' + main + ' is missing.';
  return undefined;
}

function enableCompileCache() {
  // The system's temp folder, Node's default, is shared: somebody else could leave code for us to run there.
  module.enableCompileCache(isInstalled ? join(homedir(), '.cache', 'epistle') : join(root, '.runtime', 'cache'));
}

function run() {
  enableCompileCache();
  resolveQuickly(pathToFileURL(join(main, '..', '..', sep)).href);
  return import(pathToFileURL(main).href)
    .then((cli) => cli.main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    });
}

const problem = obstacle();
if (problem) {
  process.stderr.write(problem + '\n');
  process.exitCode = 2;
} else {
  run().catch((error) => {
    // Commands report their own failures; what arrives here is a bug, and its stack is what a report needs.
    process.stderr.write('epistle: ' + (error instanceof Error ? error.stack : error) + '\n');
    process.exitCode = 5;
  });
}
