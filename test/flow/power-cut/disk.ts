import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

/**
 * What of a folder a disk has that loses its power now: of each file the bytes that were there when its last flush
 * began, under names that a flush of their folder has written down. It watches the calls by which this process flushes
 * and renames, so it has to be started before anything else imports node:fs.
 */
export interface Disk {
  /** From now on a flush of that file on another thread takes so much longer, as on a busy disk. */
  slowDown(name: string, ms: number): void;
  /** Writes what would be left into another folder. */
  cut(into: string): void;
}

interface Kept {
  readonly bytes: Buffer;
  /** Of the database beside a log, when the log was flushed. */
  readonly database: bigint | undefined;
}

const WAL = '-wal';

export function watchDisk(folder: string): Disk {
  const kept = new Map<string, Kept>();
  /** Folders and the names in them. */
  const named = new Map<string, ReadonlySet<string>>();
  const real = { ...fs };
  let slow = { name: '', ms: 0 };

  const changedAt = (path: string) => real.statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
  const databaseOf = (path: string) => (path.endsWith(WAL) ? changedAt(path.slice(0, -WAL.length)) : undefined);

  /** Now is the beginning of a flush; the returned function is its end. */
  const flushing = (handle: number): (() => void) => {
    const path = real.readlinkSync(`/proc/self/fd/${handle}`);
    if (real.fstatSync(handle).isDirectory()) {
      const names = new Set(real.readdirSync(path));
      return () => named.set(path, names);
    }
    const file = { bytes: real.readFileSync(path), database: databaseOf(path) };
    return () => kept.set(path, file);
  };
  const sync = (name: 'fsyncSync' | 'fdatasyncSync') => (handle: number) => {
    const end = flushing(handle);
    real[name](handle);
    end();
  };
  const beside = (name: 'fsync' | 'fdatasync') => (handle: number, done: fs.NoParamCallback) => {
    const end = flushing(handle);
    const ms = basename(real.readlinkSync(`/proc/self/fd/${handle}`)) === slow.name ? slow.ms : 0;
    real[name](handle, (error) => {
      setTimeout(() => {
        if (error === null) end();
        done(error);
      }, ms);
    });
  };
  const moved = (from: fs.PathLike, to: fs.PathLike) => {
    const file = kept.get(String(from));
    if (file) kept.set(String(to), file);
    kept.delete(String(from));
  };
  Object.assign(fs, {
    fsyncSync: sync('fsyncSync'),
    fdatasyncSync: sync('fdatasyncSync'),
    fsync: beside('fsync'),
    fdatasync: beside('fdatasync'),
    renameSync(from: fs.PathLike, to: fs.PathLike) {
      real.renameSync(from, to);
      moved(from, to);
    },
    rename(from: fs.PathLike, to: fs.PathLike, done: fs.NoParamCallback) {
      real.rename(from, to, (error) => {
        if (error === null) moved(from, to);
        done(error);
      });
    },
  });
  syncBuiltinESMExports();

  const write = (path: string, into: string, bytes: Buffer) => {
    const target = join(into, relative(folder, path));
    real.mkdirSync(dirname(target), { recursive: true });
    real.writeFileSync(target, bytes);
  };
  return {
    slowDown(name, ms) {
      slow = { name, ms };
    },
    cut(into) {
      for (const entry of real.readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const file = kept.get(path);
        // SQLite flushes both by itself when it moves pages from its log into the database.
        const isMoved = path.endsWith(WAL) && file !== undefined && file.database !== databaseOf(path);
        if (path.endsWith('.db') || isMoved) write(path, into, real.readFileSync(path));
        else if (path.endsWith(WAL) && file) write(path, into, file.bytes);
        else if (file && named.get(dirname(path))?.has(basename(path))) write(path, into, file.bytes);
      }
    },
  };
}
