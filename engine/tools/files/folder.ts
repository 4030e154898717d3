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
