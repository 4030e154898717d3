import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { EngineError } from '#contract';
import type { Clock } from '../../lib/clock.ts';
import { makePrivateFile } from '../private-file.ts';

/** The exclusive right to work on a workspace, until the process ends. Throws `workspace_locked`. */
export function lockWorkspace(dataDir: string): { release(): void } {
  const lock = tryLock(join(dataDir, 'lock.db'));
  if (lock) return lock;
  throw new EngineError('workspace_locked', 'another gateway is working on this workspace; stop it first');
}

/**
 * An SQLite write lock that is held open, so the operating system takes it back when the process dies, however it dies.
 * Null: another one has it.
 */
export function tryLock(path: string): { release(): void } | null {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makePrivateFile(path);
  const database = new SQLite(path, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  return {
    release() {
      database.exec('rollback');
      database.close();
    },
  };
}

export interface LockPatience {
  readonly lockWaitMs?: number;
  /** Asked while the lock is held by another: true when waiting for it is in vain. */
  readonly waitIsVain?: () => boolean;
}

/** The same, after another process has let go of it. Throws `workspace_locked` when that takes too long. */
export async function waitForLock(
  { dataDir, clock }: { readonly dataDir: string; readonly clock: Clock },
  { lockWaitMs = 0, waitIsVain = () => false }: LockPatience,
): Promise<{ release(): void }> {
  const until = clock.now() + lockWaitMs;
  for (;;) {
    try {
      return lockWorkspace(dataDir);
    } catch (error) {
      if (!(error instanceof EngineError) || clock.now() >= until || waitIsVain()) throw error;
      await clock.sleep(100);
    }
  }
}

/** Whether some process works on the workspace now. Looks only; the answer may be old the moment it is given. */
export function isWorkspaceLocked(dataDir: string): boolean {
  const path = join(dataDir, 'lock.db');
  if (!existsSync(path)) return false;
  const database = new SQLite(path, { timeout: 0, readonly: true });
  try {
    database.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}
