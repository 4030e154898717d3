import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where a folder has settings, it is a workspace. */
export const isWorkspace = (folder: string): boolean => existsSync(join(folder, 'configs'));

/** The folder that `setup` suggests. */
export const homeWorkspace = (home: string): string => join(home, 'epistle');

/**
 * The workspace of a command that names none: the folder where it is typed, else `~/epistle` where that is one. `makes`:
 * `~/epistle` also where there is none yet, for whoever starts a gateway from nowhere in particular.
 */
export function workspaceHere({ folder, home, makes }: { folder: string; home: string; makes: boolean }): string {
  if (isWorkspace(folder)) return folder;
  return makes || isWorkspace(homeWorkspace(home)) ? homeWorkspace(home) : folder;
}
