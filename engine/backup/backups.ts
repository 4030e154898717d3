import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isGone } from './copy.ts';
import { type BackupManifest, MANIFEST, readManifest } from './manifest.ts';

interface ListedBackup {
  readonly path: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** Complete backups in a folder, oldest first; a folder without a manifest of ours is none. */
export function listBackups(folder: string): readonly ListedBackup[] {
  return namesIn(folder)
    .filter((name) => !name.endsWith('.partial'))
    .flatMap((name) => {
      const path = join(folder, name);
      const manifest = manifestIn(path);
      return manifest ? [{ path, created_at: manifest.created_at }] : [];
    })
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

/** Undefined where the folder is no backup. */
export function manifestIn(path: string): BackupManifest | undefined {
  try {
    return readManifest(readFileSync(join(path, MANIFEST), 'utf8'));
  } catch {
    return undefined;
  }
}

/** A workspace, as its backups name it. */
export interface WhoseBackups {
  readonly root: string;
  /** Its own, also after it was moved; null: not known. A copy of it has the same one. */
  readonly id: string | null;
  /** This machine. */
  readonly host: string;
}

/**
 * Those of one workspace, also from where it was before it was moved or renamed. One that says another id is of another
 * workspace, be it of the same folder; one of another folder is of a copy, unless that folder was on this machine and
 * is no workspace any more. Older ones do not say whose they are, or by their folder alone.
 */
export const backupsOf = (folder: string, whose: WhoseBackups): readonly ListedBackup[] =>
  listBackups(folder).filter(({ path }) => {
    const made = manifestIn(path);
    return made !== undefined && isOwn(made, whose, (root) => existsSync(join(root, 'configs')));
  });

/** Pure. `isThere`: whether a workspace stands in that folder now. */
export function isOwn(
  made: Pick<BackupManifest, 'workspace' | 'workspace_id' | 'host'>,
  { root, id, host }: WhoseBackups,
  isThere: (root: string) => boolean,
): boolean {
  const from = made.workspace ?? root;
  if (made.workspace_id === undefined || id === null) return from === root;
  if (made.workspace_id !== id) return false;
  return from === root || (made.host === host && !isThere(from));
}

/**
 * Removes all complete backups of one workspace in a folder but the newest `keep`; those of others there stay. What is
 * of a later time than `now` was made while the clock was wrong, and goes first. The removed ones.
 */
export function removeOldBackups(
  folder: string,
  keep: number,
  { now, ...whose }: WhoseBackups & { readonly now: number },
): readonly string[] {
  const own = backupsOf(folder, whose);
  const isLater = ({ created_at: at }: ListedBackup) => Date.parse(at) > now;
  const old = [...own.filter(isLater), ...own.filter((one) => !isLater(one))].slice(0, -keep);
  for (const { path } of old) rmSync(path, { recursive: true, force: true });
  return old.map(({ path }) => path);
}

/** No backup takes so long; its process has ended. */
const BROKEN_OFF_MS = 86_400_000;

/** Removes what backups left that were ended in the middle: it holds secrets, too, and nobody would look for it. */
export function removeBrokenOff(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    if (!/^epistle-[0-9TZ-]{1,40}\.partial$/.test(name)) continue;
    const path = join(folder, name);
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - since > BROKEN_OFF_MS) rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
