import { fsync, mkdirSync, readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { promisify } from 'node:util';
import { EngineError } from '#contract';
import { type HeldFolder, holdFolder } from '../../lib/files/held-folder.ts';
import { isOver, MAX_ENTRIES, measure, type Used } from './usage.ts';

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

/** Less than most calls may take, so that who waits in vain learns why. */
const WAIT_MS = 45_000;
/** People put files there, too, and take them away. */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 1000;

export interface FilesDesk {
  /** Beside other file tools, while no command works there. Throws `tool_failed` where that lasts too long. */
  share<Result>(root: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** While nobody else works there. */
  alone<Result>(root: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** Something was taken away: what there is now is looked at when somebody wants to know. */
  forget(root: string): void;
  /** What somebody has just measured. */
  know(root: string, used: Used): void;
  /** Makes that much more, or with minus signs less. Throws `tool_failed` where there is no room for it. */
  withRoom<Result>(root: string, more: Used, maxBytes: number, make: () => Promise<Result>): Promise<Result>;
}

/**
 * What this process knows of the personas' `files/`, by their path: who works in which at the moment, and how much
 * there is. One for all runs, so that a shell command of one and a file tool of another never work side by side.
 */
export function createFilesDesk({ now }: { readonly now: () => number }): FilesDesk {
  const turns = createFileTurns();
  const known = new Map<string, { readonly used: Used; readonly at: number }>();
  /** What is being made and not on the disk yet, so that many calls at once do not all take the last room. */
  const promised = new Map<string, Used>();

  function know(root: string, used: Used, at = now()): void {
    known.delete(root);
    known.set(root, { used, at });
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  /** `maxAgeMs` 0 asks the disk in any case. */
  async function usedIn(root: string, maxAgeMs: number): Promise<Used> {
    const last = known.get(root);
    if (last && now() - last.at < maxAgeMs) return last.used;
    const used = await measure(root);
    know(root, used);
    return used;
  }

  /** Sets room aside. Throws `tool_failed` where there is none. */
  async function reserve(root: string, more: Used, maxBytes: number): Promise<void> {
    // The disk is asked before anybody is refused: they may have made room by hand a moment ago.
    for (const maxAgeMs of [KNOWN_MS, 0]) {
      const found = await usedIn(root, maxAgeMs);
      const used = plus(known.get(root)?.used ?? found, promised.get(root) ?? NONE);
      const grows = more.bytes > 0 || more.entries > 0;
      if (!grows || !isOver(plus(used, more), maxBytes)) return promise(root, more);
      if (maxAgeMs === 0) throw full(used, maxBytes);
    }
  }

  function promise(root: string, more: Used): void {
    const sum = plus(promised.get(root) ?? NONE, more);
    if (sum.bytes === 0 && sum.entries === 0) promised.delete(root);
    else promised.set(root, sum);
  }

  return {
    share: <Result>(root: string, signal: AbortSignal, work: () => Promise<Result>) =>
      turns.share(root, { signal, waitMs: WAIT_MS, busy: SHELL_WORKS }, work),
    alone: <Result>(root: string, signal: AbortSignal, work: () => Promise<Result>) =>
      turns.alone(root, { signal, waitMs: WAIT_MS, busy: OTHERS_WORK }, work),
    forget: (root: string): void => void known.delete(root),
    know: (root: string, used: Used) => know(root, used),
    async withRoom<Result>(root: string, more: Used, maxBytes: number, make: () => Promise<Result>): Promise<Result> {
      await reserve(root, more, maxBytes);
      try {
        const made = await make();
        const last = known.get(root);
        if (last) know(root, plus(last.used, more), last.at);
        return made;
      } finally {
        promise(root, { bytes: -more.bytes, entries: -more.entries });
      }
    },
  };
}

const NONE: Used = { bytes: 0, entries: 0 };
const plus = (one: Used, other: Used): Used => ({
  bytes: one.bytes + other.bytes,
  entries: one.entries + other.entries,
});

const SHELL_WORKS = 'a shell command works on the files at the moment; try again when it has ended';
const OTHERS_WORK = 'the files are being worked on at the moment; try again later';

/** In words for a model. */
export const full = ({ bytes, entries }: Used, maxBytes: number): EngineError =>
  new EngineError(
    'tool_failed',
    `there is no room left in files/: ${bytes} of ${maxBytes} bytes and ${Math.min(entries, MAX_ENTRIES)} of ` +
      `${MAX_ENTRIES} entries are used; delete files first`,
  );

type Kind = 'shared' | 'alone';

interface Waiting {
  readonly kind: Kind;
  begin(): void;
}

interface Line {
  /** How many work at the moment. */
  working: number;
  kind: Kind;
  readonly waiting: Waiting[];
}

interface Turn {
  readonly signal: AbortSignal;
  /** Longer than this nobody waits. */
  readonly waitMs: number;
  /** What is said to who waited in vain. */
  readonly busy: string;
}

interface FileTurns {
  share<Result>(root: string, turn: Turn, work: () => Promise<Result>): Promise<Result>;
  alone<Result>(root: string, turn: Turn, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Who works in a folder at the moment: some side by side, or one alone. First come, first served, so that neither kind
 * can keep the other out. What takes a turn must not take another within it.
 */
export function createFileTurns(): FileTurns {
  const lines = new Map<string, Line>();

  /** Resolves when it is this one's turn; throws `tool_failed` after `waitMs`, and at once when `signal` aborts. */
  function enter(root: string, kind: Kind, turn: Turn): Promise<void> {
    if (turn.signal.aborted) return Promise.reject(busy(turn));
    const line = lines.get(root) ?? { working: 0, kind, waiting: [] };
    lines.set(root, line);
    if (line.waiting.length === 0 && fits(line, kind)) {
      start(line, kind);
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      kind,
      begin() {
        stopWaiting();
        resolve();
      },
    };
    const giveUp = () => {
      stopWaiting();
      line.waiting.splice(line.waiting.indexOf(waiting), 1);
      // Those behind may have waited for this one alone.
      goOn(root, line);
      reject(busy(turn));
    };
    const timer = setTimeout(giveUp, turn.waitMs);
    turn.signal.addEventListener('abort', giveUp, { once: true });
    const stopWaiting = () => {
      clearTimeout(timer);
      turn.signal.removeEventListener('abort', giveUp);
    };
    line.waiting.push(waiting);
    return promise;
  }

  function goOn(root: string, line: Line): void {
    for (let next = line.waiting[0]; next && fits(line, next.kind); next = line.waiting[0]) {
      line.waiting.shift();
      start(line, next.kind);
      next.begin();
    }
    if (line.working === 0 && line.waiting.length === 0) lines.delete(root);
  }

  async function during<Result>(root: string, kind: Kind, turn: Turn, work: () => Promise<Result>): Promise<Result> {
    await enter(root, kind, turn);
    try {
      return await work();
    } finally {
      const line = lines.get(root);
      if (line) {
        line.working -= 1;
        goOn(root, line);
      }
    }
  }

  return {
    share: <Result>(root: string, turn: Turn, work: () => Promise<Result>) => during(root, 'shared', turn, work),
    alone: <Result>(root: string, turn: Turn, work: () => Promise<Result>) => during(root, 'alone', turn, work),
  };
}

const fits = (line: Line, kind: Kind): boolean => line.working === 0 || (line.kind === 'shared' && kind === 'shared');

function start(line: Line, kind: Kind): void {
  line.working += 1;
  line.kind = kind;
}

const busy = ({ busy: message }: Turn) => new EngineError('tool_failed', message, { retry: { afterMs: 5000 } });
