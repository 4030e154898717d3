import { readFileSync, type Stats, statSync } from 'node:fs';
import { locateJsonError } from './problems/json-position.ts';
import { problem } from './problems/problem.ts';
import type { Problem } from './types.ts';

/** A settings file over this is not one; reading it would only cost memory. */
const MAX_BYTES = 1024 * 1024;

export type TextFile =
  | { readonly state: 'absent' }
  | { readonly state: 'text'; readonly text: string }
  | { readonly state: 'bad'; readonly problem: Problem };

export type JsonFile =
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
