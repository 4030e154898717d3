import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../lib/error-message.ts';
import { inspectDatabase } from '../storage/sqlite/database/snapshot.ts';
import { openGatewayStore } from '../storage/sqlite/gateway/store.ts';
import { openStore } from '../storage/sqlite/persona/store.ts';
import { at, copyFile, digestOf } from './copy.ts';
import { COUNTED } from './create.ts';
import { listFiles } from './listing.ts';
import { type BackupManifest, type CopiedDatabase, type CopiedFile, isInside, MANIFEST } from './manifest.ts';

export interface BackupProblem {
  readonly path: string;
  /** One line for a person. */
  readonly problem: string;
}

/** Compares every file with the manifest, checks the databases, and opens a copy of each as this version would. */
export async function verifyBackup(path: string, manifest: BackupManifest): Promise<readonly BackupProblem[]> {
  const listed = [...manifest.databases, ...manifest.files];
  const outside = [...listed, ...manifest.links].filter((one) => !isInside(one.path));
  if (outside.length > 0) return outside.map((one) => ({ path: one.path, problem: 'leads out of the backup' }));
  const problems: BackupProblem[] = [];
  for (const file of listed) {
    const problem = await compared(at(path, file.path), file);
    if (problem !== null) problems.push({ path: file.path, problem });
  }
  const known = new Set([MANIFEST, ...listed.map((file) => file.path)]);
  for (const { path: found } of listFiles(path))
    if (!known.has(found)) problems.push({ path: found, problem: 'is not in the manifest' });
  if (problems.length > 0) return problems;
  for (const database of manifest.databases)
    for (const problem of await checked(path, database)) problems.push({ path: database.path, problem });
  return problems;
}

async function compared(path: string, file: CopiedFile): Promise<string | null> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return 'is missing';
  // What a link or a device says has no end, or is another file by the time it is put back.
  if (!found.isFile()) return 'is no file';
  const { bytes, sha256 } = await digestOf(path);
  if (bytes !== file.bytes) return `has ${bytes} bytes; the manifest says ${file.bytes}`;
  return sha256 === file.sha256 ? null : 'has other bytes than when it was copied';
}

async function checked(path: string, database: CopiedDatabase): Promise<readonly string[]> {
  const { problems, rows } = inspectDatabase(at(path, database.path), COUNTED);
  if (problems.length > 0) return problems;
  const differing = Object.entries(database.rows).filter(([table, count]) => rows[table] !== count);
  if (differing.length > 0)
    return differing.map(([table, count]) => `has ${rows[table] ?? 0} rows in ${table}; the manifest says ${count}`);
  return trialOpened(path, database);
}

/** Opens a copy: that brings it to the newest version, and the backup has to stay as it is. */
async function trialOpened(path: string, database: CopiedDatabase): Promise<readonly string[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'epistle-backup-'));
  try {
    const copy = join(scratch, 'trial.db');
    await copyFile(at(path, database.path), copy);
    await (database.persona === null ? openGatewayStore(copy) : openStore(copy)).close();
    return [];
  } catch (error) {
    return [`cannot be opened: ${messageOf(error)}`];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
