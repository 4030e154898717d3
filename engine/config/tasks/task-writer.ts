import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { flushFolder, writeDurably } from '../../lib/files/durable-file.ts';
import { codeOf } from '../json-file.ts';
import { parseTask, TASK_NAME, type TaskRead, taskFolderOf } from './task-file.ts';
import { yaml } from './yaml.ts';

/** What somebody wants to have in a task file; what is left out keeps its default. */
export interface TaskDraft {
  readonly id: string;
  readonly schedule?: string | undefined;
  readonly prompt?: string | undefined;
  readonly name?: string | undefined;
  readonly timezone?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly deliver?: string | readonly string[] | undefined;
  readonly missed?: string | undefined;
  readonly max_age?: string | undefined;
  readonly overlap?: string | undefined;
  readonly window?: string | undefined;
  readonly thread?: string | undefined;
  readonly condition?: string | undefined;
}

/** The file that says so, as a person would write it, and what it means when it is read. */
export function draftTask(
  personaId: string,
  zone: string,
  draft: TaskDraft,
): { readonly file: string; readonly text: string; readonly read: TaskRead } {
  const { id, prompt, ...front } = draft;
  const keys = Object.entries(front).filter(([, value]) => value !== undefined);
  const text = `---\n${yaml().stringify(Object.fromEntries(keys), { lineWidth: 0 })}---\n${(prompt ?? '').trim()}\n`;
  const file = `${taskFolderOf(personaId)}/${id}.md`;
  return { file, text, read: parseTask({ id, file, text, zone }) };
}

/** Puts the file there whole and flushed, or not at all. `create`: false when there is another one already. */
export function writeTaskFile(
  workspace: string,
  personaId: string,
  id: string,
  text: string,
  how: 'create' | 'replace',
): boolean {
  const folder = join(workspace, taskFolderOf(personaId));
  const path = pathOf(workspace, personaId, id);
  // A folder of the owner's own, as its files are: not hidden like what the gateway keeps.
  mkdirSync(folder, { recursive: true });
  try {
    writeDurably(folder, path, Buffer.from(text), { mode: 0o644, create: how === 'create' });
    return true;
  } catch (error) {
    if (how === 'create' && codeOf(error) === 'EEXIST') return readTaskFile(workspace, personaId, id) === text;
    throw error;
  }
}

/** The text of a task file; null when there is none. */
export function readTaskFile(workspace: string, personaId: string, id: string): string | null {
  try {
    return readFileSync(pathOf(workspace, personaId, id), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

export function removeTaskFile(workspace: string, personaId: string, id: string): void {
  rmSync(pathOf(workspace, personaId, id), { force: true });
  flushFolder(join(workspace, taskFolderOf(personaId)));
}

function pathOf(workspace: string, personaId: string, id: string): string {
  // Names come from models, too: what is no id could lead out of the folder.
  if (!TASK_NAME.test(id)) throw new Error('no task id');
  return join(workspace, taskFolderOf(personaId), `${id}.md`);
}
