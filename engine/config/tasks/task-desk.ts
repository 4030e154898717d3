import type { TaskDefinition, TaskDesk, TaskEntry } from '../types.ts';
import { parseTask, taskFolderOf } from './task-file.ts';
import { draftTask, readTaskFile, removeTaskFile, type TaskDraft, writeTaskFile } from './task-writer.ts';

/** The task files of a workspace for whoever writes them in a persona's name. */
export function createTaskDesk(workspace: string, tasksOf: (personaId: string) => readonly TaskEntry[]): TaskDesk {
  return {
    tasksOf,
    text: (personaId, id) => readTaskFile(workspace, personaId, id),
    draft(personaId, zone, present, changes) {
      if (present === null) return draftTask(personaId, zone, changes);
      const file = `${taskFolderOf(personaId)}/${changes.id}.md`;
      const before = parseTask({ id: changes.id, file, text: present, zone });
      if (!before.ok) return { text: present, read: before };
      return draftTask(personaId, zone, { ...draftOf(before.task, zone), ...changes });
    },
    create: (personaId, id, text) => writeTaskFile(workspace, personaId, id, text, 'create'),
    replace: (personaId, id, text) => void writeTaskFile(workspace, personaId, id, text, 'replace'),
    remove: (personaId, id) => removeTaskFile(workspace, personaId, id),
  };
}

/** What a file says beyond the defaults, to be written again with a change in it. */
function draftOf(task: TaskDefinition, zone: string): TaskDraft {
  const unless = <Value>(value: Value, usual: Value) => (value === usual ? undefined : value);
  return {
    id: task.id,
    name: unless(task.name, task.id),
    schedule: task.schedule,
    timezone: unless(task.timezone, zone),
    enabled: unless(task.enabled, true),
    deliver: task.deliver === 'owner' ? undefined : task.deliver,
    missed: unless(task.missed, 'latest'),
    max_age: unless(task.max_age, '12h'),
    overlap: unless(task.overlap, 'skip'),
    window: task.window ?? undefined,
    thread: unless(task.thread, 'new'),
    condition: task.condition ? `/${task.condition.tool} ${JSON.stringify(task.condition.args)}` : undefined,
    prompt: task.prompt,
  };
}
