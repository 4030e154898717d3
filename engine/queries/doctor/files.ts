import { accessSync, constants, existsSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnvironment } from '../../config/environment.ts';
import { defaultConfigs, loadConfigs } from '../../config/load.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import type { Problem } from '../../config/types.ts';
import { bad, type Check, fine } from './check.ts';

/** What can be said before anything of the workspace is opened. */
export function fileChecks(root: string, nodeVersion: string): Check[] {
  const node = nodeCheck(nodeVersion);
  if (!existsSync(join(root, 'configs'))) {
    return [
      node,
      bad(
        'workspace',
        `${root} has no configs/ folder`,
        'make a workspace with `epistle init DIR`, or name one with --workspace',
      ),
    ];
  }
  const { configs, problems } = loadConfigs(root);
  const environment = loadEnvironment(root).problems;
  const { data_dir } = (configs ?? defaultConfigs()).system;
  return [
    node,
    fine('workspace', root),
    ...wrong('configs', problems, 'all of configs/*.json and extensions.json are fine'),
    ...wrong('env_file', environment, '.env can be read, or is not there'),
    ...envModeCheck(join(root, '.env')),
    dataCheck(resolve(root, data_dir)),
    ...roomCheck(resolve(root, data_dir)),
  ];
}

/** One check per problem, or one that says that there is none. */
export const wrong = (name: string, problems: readonly Problem[], message: string): Check[] =>
  problems.length === 0
    ? [fine(name, message)]
    : problems.map((one) => bad(name, describeProblem(one), cureOf(one), one));

function cureOf({ file, key, expected, nearest }: Problem): string {
  const where = key === '' ? file : `${key} in ${file}`;
  if (nearest !== null) return `change it to ${nearest} (${where})`;
  return expected === null ? `mend ${where}` : `make it ${expected} (${where})`;
}

function nodeCheck(version: string): Check {
  const isRight = Number(version.split('.')[0]) >= 24;
  return isRight ? fine('node', `Node ${version}`) : bad('node', `Node ${version}`, 'install Node 24 or newer');
}

/** Windows has no such bits. */
function envModeCheck(path: string): Check[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || process.platform === 'win32') return [];
  if ((found.mode & 0o077) === 0) return [fine('env_mode', '.env can be read by its owner alone')];
  return [bad('env_mode', '.env can be read by other users, and keys lie in it', `chmod 600 ${path}`)];
}

const LEAST_FREE_BYTES = 50 * 1024 * 1024;

/** Mail that cannot be stored is not taken. */
function roomCheck(dataDir: string): Check[] {
  if (!existsSync(dataDir)) return [];
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const megabytes = `${Math.floor(free / 1024 / 1024)} MB`;
  if (free >= LEAST_FREE_BYTES) return [fine('disk', `${megabytes} are free`)];
  return [
    bad(
      'disk',
      `${megabytes} are free on the disk of ${dataDir}`,
      'make room there, or move data_dir to a larger disk',
    ),
  ];
}

function dataCheck(dataDir: string): Check {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    // Permission bits do not tell of a full or read-only disk; a write does.
    const probe = join(dataDir, `.doctor-${process.pid}`);
    writeFileSync(probe, 'x', { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return bad('data_dir', message, `make ${dataDir} a folder that this user can write to, on a disk with room`);
  }
  const open = statSync(dataDir).mode & 0o077;
  if (open === 0) return fine('data_dir', `${dataDir} can be written`);
  return bad('data_dir', `${dataDir} is open to other users, and mail lies in it`, `chmod -R go-rwx ${dataDir}`);
}
