import { EngineError } from '#contract';

const MAX_PATH_BYTES = 1024;
/** Below the 255 of common file systems. */
const MAX_NAME_BYTES = 200;
const MAX_DEPTH = 16;

/** Names of unfinished writes; a tool can neither see nor make one. */
export const TEMPORARY_PREFIX = '.epistle-';

/** Control characters forge lines in a listing; bidi controls make an approval mail show another name. */
const DECEPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

const refused = (path: string, why: string) =>
  new EngineError('invalid_arguments', `the path ${JSON.stringify(path.slice(0, 200))} ${why}`);

/**
 * The names of a path below `files/`; empty for the folder itself. Throws `invalid_arguments` for whatever could
 * mean another place on some system: absolute, `..`, backslash, drive letter, NUL.
 */
export function segmentsOf(path: string): string[] {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refused(path, `is longer than ${MAX_PATH_BYTES} bytes`);
  if (DECEPTIVE.test(path) || !path.isWellFormed()) throw refused(path, 'has characters that cannot be in a name');
  if (path.includes('\\')) throw refused(path, 'has a backslash; folders are separated by /');
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) throw refused(path, 'is absolute; paths are relative to files/');
  const segments = path.split('/').filter((name) => name !== '' && name !== '.');
  if (segments.length > MAX_DEPTH) throw refused(path, `is deeper than ${MAX_DEPTH} folders`);
  for (const name of segments) {
    if (name === '..') throw refused(path, 'leaves files/');
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw refused(path, `has a name over ${MAX_NAME_BYTES} bytes`);
    if (name.startsWith(TEMPORARY_PREFIX)) throw refused(path, `has a name that begins with ${TEMPORARY_PREFIX}`);
  }
  return segments;
}

/** The folder part and the name of a file. */
export function fileSegments(path: string): { readonly folders: string[]; readonly name: string } {
  const folders = segmentsOf(path);
  const name = folders.pop();
  if (name === undefined || path.endsWith('/')) throw refused(path, 'does not name a file');
  return { folders, name };
}
