import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseDuration } from '../../lib/schedule/schedule.ts';
import { readTextFile } from '../json-file.ts';
import { check } from '../problems/issues.ts';
import { problem } from '../problems/problem.ts';
import type { Problem, TaskDefinition, TaskEntry } from '../types.ts';
import { readCondition, scheduleFault, taskSchema } from './task-schema.ts';
import { yaml } from './yaml.ts';

export const TASK_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const MAX_FRONT_MATTER = 8192;

export type TaskRead =
  | { readonly ok: true; readonly task: TaskDefinition }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Pure: the text of one task file. `zone`: the persona's, for tasks that name none. Throws nothing. */
export function parseTask(source: { id: string; file: string; text: string; zone: string }): TaskRead {
  const { id, file, text, zone } = source;
  const wrong = (parts: Omit<Parameters<typeof problem>[0], 'file'>): TaskRead => ({
    ok: false,
    problems: [problem({ file, ...parts })],
  });
  if (!TASK_NAME.test(id)) {
    const expected = 'lower-case letters, digits, - and _, at most 64, not - or _ first, then .md';
    const message = `the file name ${JSON.stringify(id.slice(0, 100))} is no task id; expected ${expected}`;
    return wrong({ code: 'invalid_value', message, expected });
  }
  const parts = splitFrontMatter(text);
  if (!parts) {
    const expected = 'a first line ---, keys such as `schedule: "0 9 * * 1"`, a line ---, then the prompt';
    return wrong({ code: 'invalid_value', message: `has no front matter; expected ${expected}`, expected });
  }
  const read = readYaml(parts.head);
  if (!read.ok) return wrong({ code: 'invalid_yaml', message: read.message, expected: read.expected });
  const checked = check(taskSchema, read.value ?? {}, file);
  if (!checked.ok) return { ok: false, problems: checked.problems };
  const front = checked.value;
  const prompt = parts.body.trim();
  if (prompt === '') return wrong({ code: 'missing_key', message: 'has no prompt below its front matter' });
  const timezone = front.timezone ?? zone;
  const fault = scheduleFault(front.schedule, timezone);
  if (fault) {
    const message = `${fault.message}; expected ${fault.expected}`;
    return wrong({ key: 'schedule', code: 'invalid_value', message, expected: fault.expected });
  }
  return {
    ok: true,
    task: {
      ...front,
      id,
      file,
      name: front.name ?? id,
      timezone,
      maxAgeMs: parseDuration(front.max_age) ?? 0,
      condition: front.condition === null ? null : readCondition(front.condition),
      prompt,
      sha256: sha256(text),
      scheduleKey: sha256(JSON.stringify([front.schedule, timezone, front.enabled])),
    },
  };
}

/** Windows editors write CRLF and begin with a byte order mark; neither is anybody's mistake. */
function splitFrontMatter(text: string): { head: string; body: string } | null {
  const lines = text.replace(/^\u{feff}/u, '').split(/\r\n|\n|\r/);
  if (lines[0]?.trimEnd() !== '---') return null;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  return end < 0 ? null : { head: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

function readYaml(
  head: string,
): { ok: true; value: unknown } | { ok: false; message: string; expected: string | null } {
  // The parser's time grows with the square of how deep it is led.
  if (head.length > MAX_FRONT_MATTER) {
    const expected = `at most ${MAX_FRONT_MATTER} characters of front matter`;
    return { ok: false, message: `has ${head.length} characters of front matter; expected ${expected}`, expected };
  }
  const document = yaml().parseDocument(quoteTraps(head), { schema: 'core', uniqueKeys: true, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    // The front matter begins on the file's second line.
    const line = quoteTraps(head).slice(0, error.pos[0]).split('\n').length + 1;
    const expected = 'lines such as key: value';
    return { ok: false, message: `line ${line} is not YAML: ${error.message}; expected ${expected}`, expected };
  }
  try {
    // No aliases: a few lines of them can stand for gigabytes.
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) };
  } catch {
    return { ok: false, message: 'uses YAML aliases, which a task has no need of', expected: 'plain values' };
  }
}

/** To YAML a star begins an alias and `": "` a mapping; in these two lines both are meant as they stand. */
const quoteTraps = (head: string): string =>
  head
    .replace(
      /^(schedule:[ \t]+)([^'"\s#][^\n#]*)(#[^\n]*)?$/m,
      // A comment stands behind a blank; without one the sign belongs to the value, and YAML shall say so.
      (line, key: string, value: string, comment?: string) =>
        comment === undefined || /[ \t]$/.test(value) ? key + JSON.stringify(value.trim()) : line,
    )
    .replace(
      /^(condition:[ \t]+)(\/[^\n]*)$/m,
      (_line, key: string, value: string) => key + JSON.stringify(value.trim()),
    );

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

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
