import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { EngineError } from '#contract';
import { defaultConfigs, loadConfigs } from '../config/load.ts';
import { columnOf, countedSince, versionOf } from '../storage/sqlite/database/snapshot.ts';
import { openStore } from '../storage/sqlite/persona/store.ts';
import { at, copyFile, isBelow } from './copy.ts';
import type { BackupManifest, CopiedLink } from './manifest.ts';

interface RestoreOptions {
  /** A backup that was verified. */
  readonly from: string;
  readonly manifest: BackupManifest;
  /** Folder of the new workspace: absent or empty. */
  readonly to: string;
  /** Where the data may be put outside of it; null: nowhere. */
  readonly dataTo: string | null;
  readonly now: number;
  /** Databases stay as they are in the backup, for the version that wrote them. */
  readonly asItWas: boolean;
  progress(line: string): void;
}

/** What a workspace has done since a backup of it was made; it stays there, and is not in what is restored. */
export interface CameSince {
  readonly root: string;
  /** Mails that it took note of, and mails that left it. Null: nobody could count them. */
  readonly received: number | null;
  readonly sent: number | null;
}

interface Restored {
  readonly root: string;
  readonly data_dir: string;
  readonly personas: number;
  /** Mails that had not left when the backup was made. Each is looked for in Sent before it is sent. */
  readonly in_doubt: number;
  /** Symbolic links that lead out of the workspace, and so were not put back. */
  readonly links_left_out: readonly CopiedLink[];
  /** Null where the workspace that was copied is not on this machine any more. */
  readonly since: CameSince | null;
}

/** Puts a backup into a new workspace. Throws `not_empty` where something would be overwritten. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { from, manifest, to, now, asItWas, progress } = options;
  const settings = loadConfigs(at(from, 'workspace')).configs?.system;
  const dataDir = resolve(to, settings?.data_dir ?? 'data');
  // The settings are the backup's own: one from elsewhere would choose into which folder of whoever restores it files are put.
  if (!isBelow(resolve(to), dataDir) && dataDir !== options.dataTo) {
    const cure = `where that is meant, say so with --data ${dataDir}`;
    throw new EngineError(
      'usage',
      `the settings in the backup put the data into ${dataDir}, outside of ${to}; ${cure}`,
    );
  }
  // Before anything is written: what is half restored could not be restored again.
  assertEmpty(to, 'restore into a folder that is new or empty');
  assertEmpty(
    dataDir,
    'the settings in the backup put the data there (data_dir in configs/system.json); move it away first',
  );
  // Before anything is put down: the new one may take the place of what the old one is known by.
  const since = cameSince(manifest);
  const leftOut = [...(await put(from, manifest, 'workspace/', to)), ...(await put(from, manifest, 'data/', dataDir))];
  let inDoubt = 0;
  const personas = manifest.databases.flatMap(({ persona, path }) => (persona === null ? [] : [{ persona, path }]));
  for (const [index, { persona, path }] of personas.entries()) {
    const file = at(dataDir, path.slice('data/'.length));
    const store = asItWas ? openStore(file, versionOf(file)) : openStore(file);
    inDoubt += await store.doubtUnsent(now);
    await store.close();
    progress(`${persona}: restored (${index + 1} of ${personas.length})`);
  }
  return { root: to, data_dir: dataDir, personas: personas.length, in_doubt: inDoubt, links_left_out: leftOut, since };
}

function cameSince({ workspace: root, workspace_id: id, created_at }: BackupManifest): CameSince | null {
  if (root === undefined || !existsSync(root)) return null;
  const dataDir = resolve(root, (loadConfigs(root).configs ?? defaultConfigs()).system.data_dir);
  const file = join(dataDir, 'gateway.db');
  if (!existsSync(file)) return null;
  try {
    // Another workspace stands in that folder now.
    const known = id === undefined ? [] : columnOf(file, 'settings', 'value');
    if (id !== undefined && known.length > 0 && !known.includes(id)) return null;
    const counts = countedSince(file, 'seen', { kind: 'direction', at: 'received_at' }, Date.parse(created_at));
    return { root, received: counts.get('in') ?? 0, sent: counts.get('out') ?? 0 };
  } catch {
    return { root, received: null, sent: null };
  }
}

/** Returns the links that it leaves out. */
async function put(
  from: string,
  { databases, files, links }: BackupManifest,
  area: string,
  to: string,
): Promise<readonly CopiedLink[]> {
  for (const { path } of [...databases, ...files].filter((file) => file.path.startsWith(area)))
    await copyFile(at(from, path), at(to, path.slice(area.length)));
  return links.filter((one) => one.path.startsWith(area) && !putLink(one, at(to, one.path.slice(area.length)), to));
}

/**
 * A link that leads out of the workspace would let a changed backup have others' files overwritten. It is judged from
 * where it really lies, for its folder may be one of the links before it, and a way that goes up only at its beginning
 * meets none of those on its way.
 */
function putLink({ target }: CopiedLink, link: string, to: string): boolean {
  mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
  const leads = resolve(realpathSync(dirname(link)), target);
  if (normalize(target) !== target || !isBelow(realpathSync(to), leads)) return false;
  symlinkSync(target, link);
  return true;
}

function assertEmpty(folder: string, cure: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new EngineError('not_empty', `${folder} is not empty; ${cure}`);
}
