import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where a folder has settings, it is a workspace. */
export const isWorkspace = (folder: string): boolean => existsSync(join(folder, 'configs'));

/** Where a workspace is made that nobody has named a folder for. */
export const homeWorkspace = (home: string): string => join(home, 'epistle');

/**
 * Which workspace `setup` is about where no folder is typed: the one that the environment names, else the one that was started
 * last and is still there, else a new one at home. Whoever is not asked is never taken to one that they have not named.
 */
export function workspaceToSetUp(where: {
  named: string | null;
  home: string;
  isAsked: boolean;
  lastStarted(): string | null;
}): string {
  const { named, home, isAsked, lastStarted } = where;
  return named ?? (isAsked ? lastStarted() : null) ?? homeWorkspace(home);
}

/** A workspace, and whether it is the one that was started last, which nobody named and whoever types may not think of. */
export interface FoundWorkspace {
  readonly root: string;
  readonly fromMemory: boolean;
}

/**
 * The workspace of a command that names none: the folder where it is typed, else the one that was started last, else
 * `~/epistle` where that is one. `makes`: `~/epistle` also where there is none yet, for whoever starts a gateway from
 * nowhere in particular.
 */
export function workspaceHere(where: {
  folder: string;
  home: string;
  makes: boolean;
  /** Asked only where the folder is no workspace. */
  lastStarted(): string | null;
}): FoundWorkspace {
  const { folder, home, makes } = where;
  if (isWorkspace(folder)) return { root: folder, fromMemory: false };
  const usual = homeWorkspace(home);
  const last = where.lastStarted();
  if (last !== null) return { root: last, fromMemory: last !== usual };
  return { root: makes || isWorkspace(usual) ? usual : folder, fromMemory: false };
}
