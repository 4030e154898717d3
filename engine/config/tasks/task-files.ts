import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../json-file.ts';
import type { Problem, TaskDefinition, TaskEntry } from '../types.ts';
import { parseTask } from './task-file.ts';

export const taskFolderOf = (personaId: string): string => `personas/${personaId}/tasks`;

/**
 * The tasks of one persona as their files stand now, by name. Of a file that is wrong the definition in `before` stays
 * in force, if there is one; a file that is gone is no task.
 */
export function readTasks(
  workspace: string,
  personaId: string,
  zone: string,
  before: readonly TaskEntry[] = [],
): readonly TaskEntry[] {
  const folder = taskFolderOf(personaId);
  return namesIn(join(workspace, folder))
    .filter((name) => name.endsWith('.md') && !name.startsWith('.') && name.toLowerCase() !== 'readme.md')
    .sort()
    .flatMap((name): TaskEntry[] => {
      const file = `${folder}/${name}`;
      const read = readTextFile(join(workspace, file), file);
      if (read.state === 'absent') return [];
      const id = name.slice(0, -'.md'.length);
      const good = before.find((entry) => entry.id === id)?.task ?? null;
      if (read.state === 'bad') return [entryOf(id, file, good, [read.problem])];
      const parsed = parseTask({ id, file, text: read.text, zone });
      return [parsed.ok ? entryOf(id, file, parsed.task, []) : entryOf(id, file, good, parsed.problems)];
    });
}

const entryOf = (id: string, file: string, task: TaskDefinition | null, problems: readonly Problem[]): TaskEntry => ({
  id,
  file,
  task,
  problems,
});

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
