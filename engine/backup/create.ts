import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EngineError } from '#contract';
import { flushFolder, writeDurably } from '../lib/files/durable-file.ts';
import { columnOf, inspectDatabase, snapshotDatabase } from '../storage/sqlite/database/snapshot.ts';
import { listBackups, manifestIn, removeBrokenOff, type WhoseBackups } from './backups.ts';
import { blobsOf, copiedFolders, filesOf, outgoingFiles, ownFiles, personasIn, sharedFiles } from './contents.ts';
import { at, copyFile, digestOf, isBelow, shareFile, targetOf } from './copy.ts';
import type { ListedFile } from './listing.ts';
import {
  type BackupManifest,
  type CopiedDatabase,
  type CopiedFile,
  type CopiedLink,
  MANIFEST,
  manifestBytes,
} from './manifest.ts';

/** Tables whose rows are counted, so that a person can see what a backup holds. */
export const COUNTED = ['messages', 'runs', 'outbox', 'approvals', 'tasks', 'facts', 'seen'];

export interface CreateOptions {
  readonly root: string;
  readonly dataDir: string;
  /** Folder that the backup is put into, in a folder of its own. */
  readonly to: string;
  readonly secrets: boolean;
  /** By which the backup says whose it is, besides the folder; null: by nothing else. */
  readonly whose: Pick<WhoseBackups, 'id' | 'host'> | null;
  readonly version: string;
  readonly now: number;
  progress(line: string): void;
}

interface CreatedBackup {
  readonly path: string;
  readonly manifest: BackupManifest;
}

/**
 * Copies a workspace while its gateway works. The database of the gateway comes first: mail that it does not know yet is
 * offered again and recognised, but mail that only it knew would be lost. Files named by their hash are copied before
 * and after the database of their persona, so none that a row names is missing. Throws `usage` where the backup would be
 * part of the next one.
 */
export async function createBackup(options: CreateOptions): Promise<CreatedBackup> {
  const { to, now, dataDir, root, whose } = options;
  const own = copiedFolders(root, dataDir).find((folder) => isBelow(folder, to));
  if (own !== undefined)
    throw new EngineError(
      'usage',
      `${to} lies in ${own}, which is copied itself; choose a folder outside, such as backups/`,
    );
  removeBrokenOff(to, now);
  const name = `epistle-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  const earlier = listBackups(to).at(-1);
  const partial = join(to, `${name}.partial`);
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    const copy = createCopy(partial, earlier?.path ?? null);
    await copy.all(root, 'workspace', ownFiles(root, options));
    await copy.database(dataDir, 'gateway.db', null);
    await copy.all(dataDir, 'data', sharedFiles(dataDir, options));
    const personas = personasIn(dataDir);
    const known = new Set<string>();
    for (const [index, persona] of personas.entries()) {
      await copy.blobs(dataDir, blobsOf(dataDir, persona));
      await copy.database(dataDir, `personas/${persona}/persona.db`, persona);
      const copied = at(partial, `data/personas/${persona}/persona.db`);
      for (const id of columnOf(copied, 'outbox', 'id')) known.add(`outgoing/${id}.eml`);
      await copy.blobs(dataDir, blobsOf(dataDir, persona));
      await copy.all(dataDir, 'data', filesOf(dataDir, persona));
      options.progress(`${persona}: copied (${index + 1} of ${personas.length})`);
    }
    // What left while the databases were copied is sent by their rows; the file is all there is of it. What no row names was
    // written after that: its mail is answered again, and would have two answers.
    await copy.blobs(
      dataDir,
      outgoingFiles(dataDir).filter(({ path }) => known.has(path)),
    );
    const manifest: BackupManifest = {
      format: 1,
      version: options.version,
      created_at: new Date(now).toISOString(),
      workspace: resolve(root),
      ...(whose?.id ? { workspace_id: whose.id, host: whose.host } : {}),
      secrets: options.secrets,
      ...copy.listed(),
    };
    writeDurably(partial, join(partial, MANIFEST), manifestBytes(manifest));
    renameSync(partial, join(to, name));
    flushFolder(to);
    return { path: join(to, name), manifest };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

type Area = 'workspace' | 'data';

/** Copies into one backup and lists what was copied. Files of `earlier` with the same hash are shared, not copied. */
function createCopy(backup: string, earlier: string | null) {
  const databases: CopiedDatabase[] = [];
  const files = new Map<string, CopiedFile>();
  const links: CopiedLink[] = [];
  const before = earlier === null ? undefined : manifestIn(earlier);
  const known = new Map(before?.files.map((file) => [file.path, file]));

  const addFile = async (source: string, path: string) => {
    const copied = await copyFile(source, at(backup, path));
    if (copied) files.set(path, { path, ...copied });
  };
  return {
    async all(folder: string, area: Area, listed: readonly ListedFile[]) {
      for (const { path, kind } of listed) {
        if (kind === 'file') await addFile(at(folder, path), `${area}/${path}`);
        else {
          const target = targetOf(at(folder, path));
          if (target !== null) links.push({ path: `${area}/${path}`, target });
        }
      }
    },
    /** Files that never change: one that the earlier backup has is the same file. */
    async blobs(dataDir: string, listed: readonly ListedFile[]) {
      for (const { path } of listed) {
        const named = `data/${path}`;
        if (files.has(named)) continue;
        const shared = known.get(named);
        if (shared && earlier !== null && shareFile(at(earlier, named), at(backup, named))) files.set(named, shared);
        else await addFile(at(dataDir, path), named);
      }
    },
    async database(dataDir: string, path: string, persona: string | null) {
      if (!existsSync(at(dataDir, path))) return;
      const copied = at(backup, `data/${path}`);
      mkdirSync(dirname(copied), { recursive: true, mode: 0o700 });
      await snapshotDatabase(at(dataDir, path), copied);
      const { rows } = inspectDatabase(copied, COUNTED);
      databases.push({ path: `data/${path}`, persona, rows, ...(await digestOf(copied)) });
    },
    listed: () => ({ databases, files: [...files.values()], links }),
  };
}
