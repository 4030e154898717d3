import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { EngineError } from '#contract';
import { loadConfigs } from '../config/load.ts';
import { versionOf } from '../storage/sqlite/database/snapshot.ts';
import { openStore } from '../storage/sqlite/persona/store.ts';
import { at, copyFile } from './copy.ts';
import type { Manifest } from './manifest.ts';

export interface RestoreOptions {
  /** A backup that was verified. */
  readonly from: string;
  readonly manifest: Manifest;
  /** Folder of the new workspace: absent or empty. */
  readonly to: string;
  readonly now: number;
  /** Databases stay as they are in the backup, for the version that wrote them. */
  readonly asItWas: boolean;
  progress(line: string): void;
}

export interface Restored {
  readonly root: string;
  readonly data_dir: string;
  readonly personas: number;
  /** Mails that had not left when the backup was made. Each is looked for in Sent before it is sent. */
  readonly in_doubt: number;
}

/** Puts a backup into a new workspace. Throws `not_empty` where something would be overwritten. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { from, manifest, to, now, asItWas, progress } = options;
  assertEmpty(to);
  await put(from, manifest, 'workspace/', to);
  const dataDir = resolve(to, loadConfigs(to).configs?.system.data_dir ?? 'data');
  assertEmpty(dataDir);
  await put(from, manifest, 'data/', dataDir);
  let inDoubt = 0;
  const personas = manifest.databases.flatMap(({ persona, path }) => (persona === null ? [] : [{ persona, path }]));
  for (const [index, { persona, path }] of personas.entries()) {
    const file = at(dataDir, path.slice('data/'.length));
    const store = asItWas ? openStore(file, versionOf(file)) : openStore(file);
    inDoubt += await store.doubtUnsent(now);
    await store.close();
    progress(`${persona}: restored (${index + 1} of ${personas.length})`);
  }
  return { root: to, data_dir: dataDir, personas: personas.length, in_doubt: inDoubt };
}

async function put(from: string, { databases, files, links }: Manifest, area: string, to: string): Promise<void> {
  for (const { path } of [...databases, ...files].filter((file) => file.path.startsWith(area)))
    await copyFile(at(from, path), at(to, path.slice(area.length)));
  for (const { path, target } of links.filter((link) => link.path.startsWith(area))) {
    const link = at(to, path.slice(area.length));
    // A link that leads out of the workspace would let a changed backup have others' files overwritten.
    if (!isBelow(to, resolve(dirname(link), target))) continue;
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
    symlinkSync(target, link);
  }
}

const isBelow = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

function assertEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new EngineError('not_empty', `${folder} is not empty; restore into a folder that is new or empty`);
}
