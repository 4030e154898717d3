import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { codeOf } from '../json-file.ts';
import { problem } from '../problems/problem.ts';
import type { PersonaDirectory, Problem } from '../types.ts';

/** Each problem once: one of configs/context.json puts every persona in error and is still one problem. */
export function problemsIn(directory: PersonaDirectory): Problem[] {
  const found = new Set<Problem>();
  for (const entry of directory.all()) {
    if (entry.state === 'error') for (const each of entry.problems) found.add(each);
  }
  return [...found];
}

/** Names of the folders in `personas/`, sorted; a link counts when it stays inside the workspace. */
export function personaFolders(workspace: string): { readonly ids: string[]; readonly problems: Problem[] } {
  const folder = join(workspace, 'personas');
  const problems: Problem[] = [];
  const isFolder = (entry: Dirent): boolean => {
    if (entry.name.startsWith('.')) return false;
    if (!entry.isSymbolicLink()) return entry.isDirectory();
    if (staysInside(workspace, join(folder, entry.name))) return true;
    const message = 'is a link that leaves the workspace';
    problems.push(problem({ file: `personas/${entry.name}`, code: 'unreadable', message }));
    return false;
  };
  try {
    const names = readdirSync(folder, { withFileTypes: true })
      .filter(isFolder)
      .map(({ name }) => name);
    return { ids: names.sort(), problems };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { ids: [], problems };
    return { ids: [], problems: [problem({ file: 'personas', code: 'unreadable', message: 'cannot be read' })] };
  }
}

function staysInside(workspace: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(realpathSync(workspace) + sep);
  } catch {
    return false;
  }
}
