import { closingOf } from './closing.ts';
import { lettersOf, lexLine } from './lexer.ts';
import { readStatement } from './statement.ts';

export type EditReading =
  | { readonly ok: true; readonly number: number | null; readonly changes: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly why: string };

const COMMAND = /^P?,?e:?R?O*(?:I?(?<number>N))?(?:,?P)?[:.]?$/d;
/** A name that could be an argument of a tool; "https://" is none. */
const FIELD = /^([A-Za-z_][A-Za-z0-9_.-]{0,63})[ \t]*[:：](?!\/\/)(.*)$/;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_FIELDS = 50;

/** Whether a line asks for a change, well formed or not. */
export const isEditCommand = (line: string): boolean => /^P?,?e/.test(lettersOf(lexLine(line)));

/** `edit 1`, then `key: value` lines; a value goes on in lines that are indented. `lines[0]` is the command. */
export function readEdit(lines: readonly string[]): EditReading {
  const tokens = lexLine((lines[0] ?? '').trim());
  const command = COMMAND.exec(lettersOf(tokens));
  if (!command) return { ok: false, why: 'after "edit" stands one number, and each change on a line of its own' };
  const at = command.indices?.groups?.number?.[0];
  const number = at === undefined ? null : Number(tokens[at]?.text);
  const fields = readFields(lines.slice(1));
  if ('why' in fields) return { ok: false, ...fields };
  if (fields.size === 0) return { ok: false, why: 'no "key: value" line follows the edit' };
  return { ok: true, number, changes: Object.fromEntries([...fields].map(([key, value]) => [key, textOf(value)])) };
}

function readFields(lines: readonly string[]): Map<string, string[]> | { why: string } {
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    const open = [...fields.values()].at(-1);
    const [field, key = '', first = ''] = FIELD.exec(line) ?? [];
    if (line.trim() === '' || (open && /^\s/.test(line))) {
      open?.push(line);
    } else if (field !== undefined) {
      if (!maySet(key, fields)) return { why: 'the edit names a key twice, too many keys or a forbidden one' };
      fields.set(key, [first.replace(/^[ \t]+/, '')]);
    } else {
      return open && endsHere(line) ? fields : { why: 'a line of the edit is neither "key: value" nor indented' };
    }
  }
  return fields;
}

const maySet = (key: string, already: ReadonlyMap<string, unknown>): boolean =>
  !FORBIDDEN.has(key) && !already.has(key) && already.size < MAX_FIELDS;

/** Courtesy or a name ends the edit; what stands below it is a signature. */
function endsHere(line: string): boolean {
  const tokens = lexLine(line);
  return readStatement(line, tokens).kind === 'harmless' || closingOf(line, tokens, false) !== null;
}

/** The lines below the key lose the indentation that they share. */
function textOf([first = '', ...more]: readonly string[]): string {
  const indents = more.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0);
  const indent = indents.reduce((least, each) => Math.min(least, each), 1000);
  const lines = [first, ...more.map((line) => line.slice(indent))].map((line) => line.trimEnd());
  return lines.join('\n').replace(/^\n/, '').trimEnd();
}
