import { readFileSync, type Stats, statSync } from 'node:fs';
import { problem } from './problems/problem.ts';
import type { Problem } from './types.ts';

/** A settings file over this is not one; reading it would only cost memory. */
const MAX_BYTES = 1024 * 1024;

export type TextFile =
  | { readonly state: 'absent' }
  | { readonly state: 'text'; readonly text: string }
  | { readonly state: 'bad'; readonly problem: Problem };

type JsonFile =
  | { readonly state: 'absent' }
  | { readonly state: 'json'; readonly value: unknown }
  | { readonly state: 'bad'; readonly problem: Problem };

/** The text of a settings file. `file` is its name in problems. Synchronous: configuration is small and read rarely. */
export function readTextFile(path: string, file: string): TextFile {
  const bad = (message: string): TextFile => ({
    state: 'bad',
    problem: problem({ file, code: 'unreadable', message }),
  });
  try {
    const found: Stats | undefined = statSync(path, { throwIfNoEntry: false });
    if (!found) return { state: 'absent' };
    // A named pipe would block the whole process for ever.
    if (!found.isFile()) return bad('is not a file');
    if (found.size > MAX_BYTES) return bad(`is larger than ${MAX_BYTES} bytes`);
    return { state: 'text', text: readFileSync(path, 'utf8') };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { state: 'absent' };
    return bad(`cannot be read (${codeOf(error) ?? 'unknown error'})`);
  }
}

export function readJsonFile(path: string, file: string): JsonFile {
  const read = readTextFile(path, file);
  return read.state === 'text' ? parseJson(read.text, file) : read;
}

export function parseJson(text: string, file: string): JsonFile {
  const read = parseWhole(text, file);
  return read.state === 'json' ? { state: 'json', value: withoutSchema(read.value) } : read;
}

/** The same with the `$schema` that it names: for whoever writes it back. */
export function parseWhole(text: string, file: string): JsonFile {
  // Windows editors begin a file with a byte order mark, which JSON forbids.
  const json = text.startsWith('\u{feff}') ? text.slice(1) : text;
  try {
    return { state: 'json', value: JSON.parse(json) };
  } catch {
    const place = locateJsonError(json);
    const message = place
      ? `is not JSON: line ${place.line}, column ${place.column}: expected ${place.expected}`
      : 'is not JSON';
    return {
      state: 'bad',
      problem: problem({ file, code: 'invalid_json', message, expected: place?.expected ?? null }),
    };
  }
}

/** A file may name the schema that it follows, for editors; it is no setting. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$schema' in value)) return value;
  const { $schema, ...settings } = value;
  return typeof $schema === 'string' ? settings : value;
}

/** The `code` of a system error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

// V8 names no position for most syntax errors ("Unexpected token '}', … is not valid JSON"), and quotes the
// file, which may hold a secret in the wrong place. This finds the place and quotes nothing.

interface JsonError {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

type Expecting = 'value' | 'value or ]' | 'key or }' | 'key' | 'colon' | 'next' | 'end';

const WORDS: Record<Expecting, string> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  'key or }': 'a key in double quotes or "}"',
  key: 'a key in double quotes (no comma stands before a closing bracket)',
  colon: '":" after the key',
  next: '"," or a closing bracket',
  end: 'the end of the file',
};

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Where `text` stops being JSON, and what should stand there; null when it is JSON. */
export function locateJsonError(text: string): JsonError | null {
  const open: ('{' | '[')[] = [];
  let expecting: Expecting = 'value';
  let offset = 0;
  for (;;) {
    offset = matchAt(SPACE, text, offset) ?? offset;
    if (offset === text.length && expecting === 'end') return null;
    const character = text[offset];
    const step = nextState(expecting, character, open);
    if (step === null) return placeOf(text, offset, WORDS[expecting]);
    const end = step.token === 'scalar' ? scalarEnd(text, offset) : offset + 1;
    if (end === null) return placeOf(text, offset, character === '"' ? 'a string that ends and is escaped' : 'a value');
    expecting = step.expecting;
    offset = end;
  }
}

interface Step {
  readonly token: 'mark' | 'scalar';
  readonly expecting: Expecting;
}

function nextState(expecting: Expecting, character: string | undefined, open: ('{' | '[')[]): Step | null {
  if (character === undefined) return null;
  const key: Step | null = character === '"' ? { token: 'scalar', expecting: 'colon' } : null;
  switch (expecting) {
    case 'value':
      return started(character, open);
    case 'value or ]':
      return character === ']' ? closed(character, open) : started(character, open);
    case 'key':
      return key;
    case 'key or }':
      return key ?? closed(character, open);
    case 'colon':
      return character === ':' ? { token: 'mark', expecting: 'value' } : null;
    case 'next':
      if (character !== ',') return closed(character, open);
      return { token: 'mark', expecting: open.at(-1) === '{' ? 'key' : 'value' };
    case 'end':
      return null;
  }
}

function started(character: string, open: ('{' | '[')[]): Step {
  if (character !== '{' && character !== '[') return { token: 'scalar', expecting: open.length === 0 ? 'end' : 'next' };
  open.push(character);
  return { token: 'mark', expecting: character === '{' ? 'key or }' : 'value or ]' };
}

function closed(character: string, open: ('{' | '[')[]): Step | null {
  const opener = character === '}' ? '{' : character === ']' ? '[' : null;
  if (opener === null || open.at(-1) !== opener) return null;
  open.pop();
  return { token: 'mark', expecting: open.length === 0 ? 'end' : 'next' };
}

function scalarEnd(text: string, start: number): number | null {
  if (text[start] !== '"') return matchAt(SCALAR, text, start);
  let offset = start + 1;
  while (offset < text.length) {
    const character = text.charAt(offset);
    if (character === '"') return offset + 1;
    if (character < ' ') return null;
    const next = character === '\\' ? matchAt(ESCAPE, text, offset) : offset + 1;
    if (next === null) return null;
    offset = next;
  }
  return null;
}

function matchAt(pattern: RegExp, text: string, offset: number): number | null {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function placeOf(text: string, offset: number, expected: string): JsonError {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, expected };
}
