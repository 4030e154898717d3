import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { messageOf } from '../lib/error-message.ts';
import { WRITTEN_BY_NEWER } from '../storage/sqlite/database/open.ts';
import { versionOf } from '../storage/sqlite/database/snapshot.ts';
import { isWorkspaceLocked } from '../storage/sqlite/workspace-lock.ts';
import { personasIn } from './contents.ts';
import { type CreateOptions, createBackup } from './create.ts';
import { CURRENT, markCurrent } from './schema-marker.ts';

/**
 * Copies a workspace into its `backups/` before this version of Epistle changes its databases: the way back to the version
 * that wrote them. Returns where; null where none of them is older. Throws `storage_failed`, or
 * `workspace_locked` while an older version works there; then nothing may open them.
 */
export async function backupBeforeUpgrade(
  options: Omit<CreateOptions, 'to' | 'secrets' | 'whose'>,
): Promise<string | null> {
  const { root, dataDir, progress } = options;
  const versions = versionsIn(dataDir);
  if (versions.some(({ version, newest }) => version > newest))
    throw new EngineError('storage_failed', WRITTEN_BY_NEWER);
  const isOlder = versions.some(({ version, newest }) => version < newest);
  // What works there says nothing that this version would write down, and loses what its own would.
  if (isOlder && isWorkspaceLocked(dataDir)) throw new EngineError('workspace_locked', OLDER_WORKS);
  const backup = isOlder ? await copied(options, join(root, 'backups')) : null;
  markCurrent(dataDir);
  if (backup !== null) progress(`The workspace was copied to ${backup} before its databases are changed.`);
  return backup;
}

const OLDER_WORKS =
  'a gateway of an older version of Epistle works on this workspace; end it with `epistle stop` before this version changes its databases';

interface DatabaseVersion {
  readonly version: number;
  /** The one to which this program brings it. */
  readonly newest: number;
}

const versionsIn = (dataDir: string): readonly DatabaseVersion[] => [
  ...versionIn(join(dataDir, 'gateway.db'), CURRENT.gateway),
  ...personasIn(dataDir).flatMap((id) => versionIn(join(dataDir, 'personas', id, 'persona.db'), CURRENT.persona)),
];

/**
 * What is no database, or a broken one, is not changed either; whoever opens it says what is wrong with it. Any other that
 * cannot be read now, on a full disk or while another process holds it, may be older all the same, and would be changed a
 * moment later without a copy.
 */
function versionIn(file: string, newest: number): readonly DatabaseVersion[] {
  if (!existsSync(file)) return [];
  try {
    const version = versionOf(file);
    // One that is being made this moment holds nothing that could be lost.
    return version === 0 ? [] : [{ version, newest }];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(code)) return [];
    const message = `nobody can tell now whether this version would change ${file} (${messageOf(error)}), so it was not opened; look whether the disk is full, and try again`;
    throw new EngineError('storage_failed', message, { cause: error });
  }
}

async function copied(options: Omit<CreateOptions, 'to' | 'secrets' | 'whose'>, to: string): Promise<string> {
  try {
    return (await createBackup({ ...options, to, secrets: true, whose: null, progress: () => {} })).path;
  } catch (error) {
    const message = `this version changes the databases, and no backup of them could be made in ${to}: ${messageOf(error)}`;
    throw new EngineError('storage_failed', message, { cause: error });
  }
}
