import { fsync, mkdirSync, readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { promisify } from 'node:util';
import { EngineError } from '#contract';
import { type HeldFolder, holdFolder } from '../../lib/files/held-folder.ts';

/** An open folder inside `files/`. */
export interface Folder {
  /** Path of an entry as seen from the open folder. */
  at(name: string): string;
  /** Makes renames and new entries durable. */
  sync(): Promise<void>;
}

const MAX_LINKS = 16;

const flush = promisify(fsync);

/**
 * Walks from `root` down the names and hands the last folder to `work`. Each step opens one name as seen from the
 * folder before it and follows no link by itself; links are read and walked by the same steps, so that nothing outside
 * is ever opened, and no answer tells whether something is there. Throws `invalid_arguments` for a link that leads
 * outside.
 */
export async function inFolder<Result>(
  options: { readonly root: string; readonly folders: readonly string[]; readonly create: boolean },
  work: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  const { folders, create } = options;
  if (create) mkdirSync(options.root, { recursive: true, mode: 0o700 });
  const root = realpathSync(options.root);
  const walk: Walk = { root, way: [holdFolder(root)], left: [...folders], links: 0 };
  try {
    for (let name = walk.left.shift(); name !== undefined; name = walk.left.shift()) {
      if (create && name !== '..') await makeFolder(lastOf(walk.way), name);
      step(walk, name);
    }
    const { at, fd } = lastOf(walk.way);
    return await work({ at, sync: () => flush(fd) });
  } finally {
    for (const folder of walk.way) folder.close();
  }
}

interface Walk {
  readonly root: string;
  /** The open folders so far: `..` of a link means the one before, not what the system takes for its parent. */
  readonly way: HeldFolder[];
  readonly left: string[];
  links: number;
}

function step(walk: Walk, name: string): void {
  const { root, way, left } = walk;
  if (name === '' || name === '.') return;
  if (name === '..') {
    if (way.length === 1) throw outside();
    way.pop()?.close();
    return;
  }
  const next = holdUnlessLink(lastOf(way), name);
  if (typeof next !== 'string') {
    way.push(next);
    return;
  }
  walk.links += 1;
  if (walk.links > MAX_LINKS) throw new EngineError('invalid_arguments', 'the path leads through too many links');
  if (!isAbsolute(next)) {
    left.unshift(...next.split(sep));
    return;
  }
  // As an owner may have made one by hand.
  if (!`${next}${sep}`.startsWith(root + sep)) throw outside();
  for (const folder of way.splice(1)) folder.close();
  left.unshift(...next.slice(root.length).split(sep));
}

/** The folder of that name, or where the link of that name points to. */
function holdUnlessLink(parent: HeldFolder, name: string): HeldFolder | string {
  try {
    return holdFolder(parent.at(name));
  } catch (error) {
    if (!['ELOOP', 'ENOTDIR'].includes(codeOf(error) ?? '')) throw error;
    return linkAt(parent, name, error);
  }
}

function linkAt(parent: HeldFolder, name: string, notFolder: unknown): string {
  try {
    return readlinkSync(parent.at(name));
  } catch (error) {
    // No link: a file, which is what opening it said.
    throw codeOf(error) === 'EINVAL' ? notFolder : error;
  }
}

async function makeFolder(parent: HeldFolder, name: string): Promise<void> {
  try {
    mkdirSync(parent.at(name), { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  await flush(parent.fd);
}

function lastOf(way: readonly HeldFolder[]): HeldFolder {
  const last = way.at(-1);
  if (!last) throw new RangeError('the way always has its root');
  return last;
}

const outside = () => new EngineError('invalid_arguments', 'the path leads outside files/ through a link');

/** The system's code of a failed call, such as `ENOENT`; undefined for anything else. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

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
