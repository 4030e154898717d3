// Builds dist/, a copy of the checkout in plain JavaScript with the same layout, so that code which finds files by
// its own place finds them in both. `./scripts/build` runs this; types are checked by `./scripts/test`, not here.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint } from '../../bin/fingerprint.js';
import { builtManifest, builtModule, builtPackage, builtTypes } from './built-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const staging = join(root, '.runtime', 'staging-dist');

function write(path: string, content: string | Buffer): void {
  const target = join(staging, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

/** Paths from `base`, without dotfiles; none when the folder does not exist. */
function filesBelow(base: string, folder: string): string[] {
  if (!existsSync(join(base, folder))) return [];
  return readdirSync(join(base, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(base, join(entry.parentPath, entry.name)));
}

function compile(): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', staging];
  const { status } = spawnSync(process.execPath, [tsc, ...options], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('tsc did not build the sources');
}

/** tsc knows imports only; what else names a source file by its extension is put right here. */
function finishModules(): void {
  for (const path of filesBelow(staging, 'engine').concat(filesBelow(staging, 'extensions'))) {
    const text = readFileSync(join(staging, path), 'utf8');
    if (path.endsWith('.js')) write(path, builtModule(text));
    else if (path.startsWith('engine/contract/')) write(path, builtTypes(text));
    else if (path.endsWith('.d.ts')) rmSync(join(staging, path));
  }
}

function copyAssets(): void {
  for (const path of filesBelow(root, 'engine').concat(filesBelow(root, 'extensions'))) {
    if (path.endsWith('.ts')) continue;
    const content = readFileSync(join(root, path));
    write(path, path.endsWith('/manifest.json') ? builtManifest(content.toString('utf8')) : content);
  }
}

/**
 * `configs/` and `personas/` are the templates of `init`, and also the owner's own workspace: only what is under
 * version control may be packed, or a private persona would be published with the next package.
 */
function templates(): string[] {
  const tracked = spawnSync('git', ['-C', root, 'ls-files', '-z', 'configs', 'personas'], { encoding: 'utf8' });
  if (existsSync(join(root, '.git')) && tracked.status === 0) {
    return tracked.stdout.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  }
  return ['configs', 'personas'].flatMap((f) => filesBelow(root, f));
}

function swap(): void {
  const old = join(root, '.runtime', 'old-dist');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(staging, join(root, 'dist'));
  rmSync(old, { recursive: true, force: true });
}

rmSync(staging, { recursive: true, force: true });
// First of all, so that its time is older than any edit made while the build runs.
write('build.json', `${JSON.stringify({ fingerprint: fingerprint(root) })}\n`);
compile();
finishModules();
copyAssets();
for (const path of templates()) write(path, readFileSync(join(root, path)));
write('package.json', builtPackage(readFileSync(join(root, 'package.json'), 'utf8')));
swap();
