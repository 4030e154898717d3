import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { EngineError } from '#contract';
import { codeOf } from './json-file.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_NAMES = 10_000;

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
}

/**
 * Reads inside the workspace and nowhere else; symbolic links are followed only as far as they stay inside.
 *
 * Synchronous inside: each of these calls takes a few microseconds, and a trip through the thread pool takes fifty.
 */
export function workspaceFiles(workspace: string): WorkspaceFiles {
  const locate = (path: string): string | null => {
    refuseEscape(path);
    const root = realpathSync.native(workspace);
    const real = unlessAbsent(() => realpathSync.native(join(root, path)));
    if (real === null) return null;
    const inside = relative(root, real);
    if (inside.startsWith('..') || isAbsolute(inside)) throw refused(path, 'leaves the workspace');
    // Checked again behind the links: knowledge/note.md may be a link to .env.
    refuseSecret(inside.split(sep).join('/'), path);
    return real;
  };
  return {
    async readText(path) {
      const real = locate(path);
      if (real === null) return null;
      // O_NOFOLLOW: the name was resolved above and may since have become a link; O_NONBLOCK: a pipe must not hang.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const handle = unlessAbsent(() => openSync(real, flags));
      if (handle === null) return null;
      try {
        if (!isStill(handle, real)) throw refused(path, 'leads through a link that was just changed');
        return textOf(handle, path);
      } finally {
        closeSync(handle);
      }
    },
    async list(path) {
      const real = locate(path);
      const names = real === null ? null : unlessAbsent(() => readdirSync(real));
      return (names ?? [])
        .filter((name) => !name.startsWith('.') && !SECRET.test(name))
        .sort()
        .slice(0, MAX_NAMES);
    },
  };
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

function textOf(handle: number, path: string): string | null {
  const found = fstatSync(handle);
  if (!found.isFile()) return null;
  if (found.size > MAX_BYTES) throw new EngineError('config_invalid', `${path} is larger than ${MAX_BYTES} bytes`);
  // As long as the file, not as long as it may be: a MiB for each small file of each mail is two full collections a second.
  const buffer = Buffer.alloc(found.size);
  const bytesRead = readSync(handle, buffer, 0, found.size, 0);
  const text = buffer.toString('utf8', 0, bytesRead);
  return text.startsWith('\u{feff}') ? text.slice(1) : text;
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
