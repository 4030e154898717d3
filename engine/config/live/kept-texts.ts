import { posix } from 'node:path';
import type { WorkspaceFiles } from '../workspace-files.ts';

/** Far below the two seconds in which an edit takes effect. */
const KEEP_MS = 500;
const MAX_KEPT = 1000;

interface Kept<Value> {
  readonly value: Promise<Value>;
  readonly until: number;
}

/**
 * The same files, each read at most twice a second however much mail comes: five files for every mail, with their
 * links resolved, take longer than the rest of a prompt. What lies under `data/` is written by runs and must be seen
 * by the very next one, so that is always read.
 */
export function keepTexts(files: WorkspaceFiles, now: () => number): WorkspaceFiles {
  return {
    readText: keeping(files.readText, now),
    list: keeping(files.list, now),
    walk: keeping(files.walk, now),
    // Read when a file has changed, and large.
    readBytes: files.readBytes,
  };
}

function keeping<Value>(read: (path: string) => Promise<Value>, now: () => number): (path: string) => Promise<Value> {
  const kept = new Map<string, Kept<Value>>();
  return (path) => {
    const normal = posix.normalize(path);
    if (normal.startsWith('data/')) return read(path);
    const before = kept.get(normal);
    if (before && before.until > now()) return before.value;
    const value = read(path);
    kept.delete(normal);
    kept.set(normal, { value, until: now() + KEEP_MS });
    // What could not be read is tried again at once.
    value.catch(() => kept.delete(normal));
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
