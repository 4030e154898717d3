import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from './json-file.ts';
import type { Problem } from './types.ts';

export interface TaskFile {
  /** The file's name without `.md`. */
  readonly task: string;
  /** Relative to the workspace. */
  readonly file: string;
  /** Null when the file cannot be read; `problem` says why. */
  readonly text: string | null;
  readonly problem: Problem | null;
}

/** The task files of one persona as they stand now, sorted by name; what is in them is for the schedule to judge. */
export function taskFiles(workspace: string, personaId: string): TaskFile[] {
  const folder = `personas/${personaId}/tasks`;
  return namesIn(join(workspace, folder))
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .sort()
    .flatMap((name) => {
      const file = `${folder}/${name}`;
      const read = readTextFile(join(workspace, file), file);
      if (read.state === 'absent') return [];
      const task = name.slice(0, -'.md'.length);
      return [
        read.state === 'bad'
          ? { task, file, text: null, problem: read.problem }
          : { task, file, text: read.text, problem: null },
      ];
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
