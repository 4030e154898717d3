import { join } from 'node:path';
import { EngineError } from '#contract';
import { messageOf } from '../lib/error-message.ts';
import { versionOf } from '../storage/sqlite/database/snapshot.ts';
import { isWorkspaceLocked } from '../storage/sqlite/workspace-lock.ts';
import { personasIn } from './contents.ts';
import { type CreateOptions, createBackup } from './create.ts';
import { CURRENT, markCurrent } from './schema-marker.ts';

/**
 * Copies a workspace into its `backups/` before this version of Epistle changes its databases: the way back to the version
 * that wrote them. Returns where; null where none of them is older. Throws `storage_failed`, and then nothing may open
 * them.
 */
export async function backupBeforeUpgrade(
  options: Omit<CreateOptions, 'to' | 'secrets' | 'whose'>,
): Promise<string | null> {
  const { root, dataDir, progress } = options;
  // A gateway that works has made one when it started.
  if (isWorkspaceLocked(dataDir)) return null;
  const backup = isOlder(dataDir) ? await copied(options, join(root, 'backups')) : null;
  markCurrent(dataDir);
  if (backup !== null) progress(`The workspace was copied to ${backup} before its databases are changed.`);
  return backup;
}

const isOlder = (dataDir: string): boolean =>
  isBehind(join(dataDir, 'gateway.db'), CURRENT.gateway) ||
  personasIn(dataDir).some((id) => isBehind(join(dataDir, 'personas', id, 'persona.db'), CURRENT.persona));

/** What cannot be read is not changed either; whoever opens it says what is wrong with it. */
function isBehind(file: string, newest: number): boolean {
  try {
    return versionOf(file) < newest;
  } catch {
    return false;
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
