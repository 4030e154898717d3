import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { EngineError } from '#contract';
import { codeOf } from './json-file.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_BINARY_BYTES = 25 * 1024 * 1024;
const MAX_NAMES = 10_000;
const MAX_DEPTH = 8;

/** Keys, the submission secret and databases: what a prompt must never hold, whatever a profile asks for. */
const SECRET = /^(\.env.*|submission\.secret|.*\.(db|sqlite3?)(-wal|-shm|-journal)?|.*\.(pem|key))$/i;

export interface WorkspaceFiles {
  /**
   * UTF-8 text of a file; null when there is no such file. Throws `invalid_arguments` for a path that leaves the
   * workspace or names a secret, `config_invalid` for a file over 1 MiB.
   */
  readText(path: string): Promise<string | null>;
  /** Names in a folder, sorted, without hidden and secret ones; empty when there is no such folder. */
  list(path: string): Promise<string[]>;
  /**
   * Files in a folder and below it, sorted by path, without hidden and secret ones and those behind links that leave the
   * workspace; empty when there is no such folder. At most 10,000, eight folders deep.
   */
  walk(path: string): Promise<readonly FoundFile[]>;
  /** Bytes of a file; null when there is no such file. Throws as `readText` does, `config_invalid` over 25 MiB. */
  readBytes(path: string): Promise<Uint8Array | null>;
}

interface FoundFile {
  /** Below the folder that was asked for, with `/` on every system. */
  readonly path: string;
  readonly bytes: number;
  /** ms */
  readonly changed_at: number;
}

/**
 * Reads inside the workspace and nowhere else; symbolic links are followed only as far as they stay inside.
 *
 * Synchronous inside: each of these calls takes a few microseconds, and a trip through the thread pool takes fifty.
 */
export function workspaceFiles(workspace: string): WorkspaceFiles {
  const locate = (path: string): string | null => {
    refuseEscape(path);
    const named = join(workspace, path);
    // Most that is looked for is not there, and an error costs more than all the calls here.
    if (!unlessAbsent(() => statSync(named, { throwIfNoEntry: false }))) return null;
    const root = realpathSync.native(workspace);
    const real = unlessAbsent(() => realpathSync.native(named));
    if (real === null) return null;
    const inside = relative(root, real);
    if (inside.startsWith('..') || isAbsolute(inside)) throw refused(path, 'leaves the workspace');
    // Checked again behind the links: knowledge/note.md may be a link to .env, or to what is kept of another persona.
    const place = inside.split(sep).join('/');
    refuseSecret(place, path);
    if (keptIn(place) !== keptIn(path))
      throw refused(path, 'leads through a link into or out of what is kept of one persona');
    return real;
  };
  const bytesOf = (path: string, maxBytes: number): Buffer | null => {
    const real = locate(path);
    if (real === null) return null;
    // O_NOFOLLOW: the name was resolved above and may since have become a link; O_NONBLOCK: a pipe must not hang.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = unlessAbsent(() => openSync(real, flags));
    if (handle === null) return null;
    try {
      if (!isStill(handle, real)) throw refused(path, 'leads through a link that was just changed');
      return contentOf(handle, path, maxBytes);
    } finally {
      closeSync(handle);
    }
  };
  const namesIn = (path: string): string[] => {
    const real = locate(path);
    const names = real === null ? null : unlessAbsent(() => readdirSync(real));
    return (names ?? [])
      .filter((name) => !name.startsWith('.') && !SECRET.test(name))
      .sort()
      .slice(0, MAX_NAMES);
  };
  /** `inside`: the folders that are being walked, by their real paths; a link back into one of them is not followed. */
  const walkInto = (top: string, below: string, inside: readonly string[], found: FoundFile[]): void => {
    const here = locate(posix.join(top, below));
    if (here === null || inside.includes(here) || inside.length >= MAX_DEPTH) return;
    for (const name of namesIn(posix.join(top, below))) {
      if (found.length >= MAX_NAMES) return;
      const path = posix.join(below, name);
      const stat = statInside(() => locate(posix.join(top, path)));
      if (stat?.isFile()) found.push({ path, bytes: stat.size, changed_at: Math.floor(stat.mtimeMs) });
      else if (stat?.isDirectory()) walkInto(top, path, [...inside, here], found);
    }
  };
  return {
    async readText(path) {
      const text = bytesOf(path, MAX_BYTES)?.toString('utf8') ?? null;
      return text?.startsWith('\u{feff}') ? text.slice(1) : text;
    },
    readBytes: async (path) => bytesOf(path, MAX_BINARY_BYTES),
    list: async (path) => namesIn(path),
    async walk(path) {
      const found: FoundFile[] = [];
      walkInto(path, '', [], found);
      return found;
    },
  };
}

/** Null also for a link that leads out of the workspace: that is no file of the folder. */
function statInside(locate: () => string | null): Stats | null {
  try {
    const real = locate();
    return real === null ? null : unlessAbsent(() => statSync(real));
  } catch {
    return null;
  }
}

/**
 * Whether the open file stands where its path said. A folder on the way may have become a link since: below
 * `data/personas/<id>/files/` a shell command makes links. Linux tells; elsewhere there is no shell.
 */
function isStill(handle: number, real: string): boolean {
  if (process.platform !== 'linux') return true;
  const place = unlessAbsent(() => readlinkSync(`/proc/self/fd/${handle}`));
  return place === null || place === real || place === `${real} (deleted)`;
}

function contentOf(handle: number, path: string, maxBytes: number): Buffer | null {
  const found = fstatSync(handle);
  if (!found.isFile()) return null;
  if (found.size > maxBytes) throw new EngineError('config_invalid', `${path} is larger than ${maxBytes} bytes`);
  // As long as the file, not as long as it may be: a MiB for each small file of each mail is two full collections a second.
  const buffer = Buffer.alloc(found.size);
  return buffer.subarray(0, readSync(handle, buffer, 0, found.size, 0));
}

function refuseEscape(path: string): void {
  const outside =
    path === '' || isAbsolute(path) || posix.isAbsolute(path) || /[\0\\]/.test(path) || path.split('/').includes('..');
  if (outside) throw refused(path, 'is not a path inside the workspace');
  refuseSecret(path, path);
}

function refuseSecret(inside: string, path: string): void {
  if (inside.split('/').some((name) => SECRET.test(name))) throw refused(path, 'holds secrets or a database');
}

/**
 * Whose a place below `data/` or in a copy is, in one spelling: some file systems take small and large letters for the same. Null
 * of any other place.
 */
function keptIn(path: string): string | null {
  const place = posix.normalize(path).normalize('NFC').toLowerCase();
  const [, kept = null] = /^(data\/personas\/[^/]+|data|backups?)(?:\/|$)/.exec(place) ?? [];
  return kept;
}

const refused = (path: string, why: string): EngineError =>
  new EngineError('invalid_arguments', `${JSON.stringify(path.slice(0, 200))} ${why}`);

function unlessAbsent<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '')) return null;
    throw error;
  }
}
