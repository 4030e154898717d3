import { EngineError, type FilesCapability } from '#contract';
import type { Random } from '../random.ts';
import { type Outside, SECRET } from './outside.ts';

const FILES = ['a.txt', 'dir/a.txt', 'dir/b.txt', 'dir/sub/a.txt', 'other/c.txt', 'other/sub/b.txt'] as const;
const FOLDERS = ['', 'dir', 'dir/sub', 'other'] as const;
const OPERATIONS = ['write', 'write', 'edit', 'remove', 'restore', 'read', 'list', 'preview', 'owner'] as const;
type Operation = (typeof OPERATIONS)[number];

export interface Raced {
  readonly operation: Operation;
  /** Done, refused in words for a model, or neither, which is a fault. */
  readonly became: 'done' | 'refused' | 'fault';
  /** It brought back something that stands outside. */
  readonly leaked: boolean;
  readonly why: string | null;
}

/** One call of a file tool, on a path that somebody swaps meanwhile. */
export async function race(files: FilesCapability, outside: Outside, random: Random, number: number): Promise<Raced> {
  const operation = random.pick(OPERATIONS);
  const work = { path: random.pick(FILES), folder: random.pick(FOLDERS), number };
  try {
    const brought = await DO[operation](files, work);
    const leaked = brought.includes(SECRET) || outside.hashes.some((hash) => brought.includes(hash));
    return { operation, became: 'done', leaked, why: null };
  } catch (error) {
    const known = error instanceof EngineError;
    const leaked = String(error).includes(SECRET);
    return { operation, became: known ? 'refused' : 'fault', leaked, why: String(error) };
  }
}

interface Work {
  readonly path: string;
  readonly folder: string;
  readonly number: number;
}

/** What each brings back that a model or an owner would see. */
const DO: Readonly<Record<Operation, (files: FilesCapability, work: Work) => Promise<string>>> = {
  write: async (files, { path, number }) => JSON.stringify(await files.write(path, `inside ${number}\n`)),
  edit: async (files, { path, number }) => {
    const text = await files.read(path);
    await files.write(path, `${text.slice(0, 500)}${number}\n`);
    return text;
  },
  remove: async (files, { path }) => JSON.stringify(await files.remove(path)),
  restore: async (files, { path, number }) => {
    await files.write(path, `inside ${number}\n`);
    const { sha256 } = await files.remove(path);
    return JSON.stringify(await files.restore(path, sha256));
  },
  read: (files, { path }) => files.read(path),
  list: async (files, { folder }) => {
    const names = (await files.list(folder)).map(({ path }) => path);
    // Only outside there are such names.
    return names.some((name) => /gateway\.db|security\.json/.test(name)) ? SECRET : names.join();
  },
  preview: async (files, { path, number }) => {
    const { text, basis } = await files.compare(path, number % 2 === 0 ? null : 'new\n');
    return `${text} ${basis}`;
  },
  owner: (files, { path }) => files.owner(path),
};
