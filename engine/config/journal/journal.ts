import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { EngineError } from '#contract';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { flushFolder, writeDurably } from '../../lib/files/durable-file.ts';
import { readJson } from '../../lib/json.ts';

/** A change of settings that is under way, or was broken off; below the root of the workspace. */
export const JOURNAL = 'configs/.change.json';

/** A file before and after a change; null: there is none. */
export interface FileChange {
  /** Relative to the workspace. */
  readonly file: string;
  readonly mode: number;
  readonly before: string | null;
  readonly after: string | null;
}

/** Nothing in the journal leads out of the workspace. */
const isInside = (file: string): boolean =>
  !file.startsWith('/') && !/[\0\\]/.test(file) && !file.split('/').some((part) => part === '' || part === '..');

const version = z.object({ sha256: z.string(), text: z.string() }).nullable();
const journalSchema = z.object({
  version: z.literal(1),
  files: z.array(
    z.object({
      file: z.string().refine(isInside),
      mode: z.int().min(0).max(0o777),
      before: version,
      after: version,
    }),
  ),
});
type Journal = z.infer<typeof journalSchema>;

/** The `code` of a system error. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hashed = (text: string | null) => (text === null ? null : { sha256: sha256(text), text });

const textAt = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
};
const hashAt = (path: string): string | null => hashed(textAt(path))?.sha256 ?? null;

/**
 * Changes all of these files, or none: first a journal with all that they become, durably, then one after the other, then the
 * journal goes. Broken off in between, `finishChange` of whoever comes next does the rest. Throws what writing throws; what
 * was written by then is taken back.
 */
export function changeFiles(root: string, files: readonly FileChange[], pass: PassCrashPoint): void {
  const journal: Journal = {
    version: 1,
    files: files.map(({ file, mode, before, after }) => ({ file, mode, before: hashed(before), after: hashed(after) })),
  };
  removeStale(root);
  const text = JSON.stringify(journal);
  pass('settings.begun');
  begin(join(root, JOURNAL), Buffer.from(text), () => pass('settings.journal_prepared'));
  pass('settings.journal_written');
  try {
    complete(root, { ...journal, text }, pass);
  } catch (error) {
    if (isUnderWay(root, text)) takeBack(root, journal);
    removeJournal(root, text);
    throw codeOf(error) === 'ENOENT' ? new EngineError('cancelled', CHANGED_BESIDE, { cause: error }) : error;
  }
  pass('settings.written');
  removeJournal(root, text);
  pass('settings.journal_removed');
}

const CHANGED_BESIDE = 'somebody else changes the settings at this moment; look at what stands there now';

/** What became of a change that was found; `none`: there was none. */
type Finished = 'none' | 'completed' | 'taken_back';

/**
 * Ends a change that was broken off: it is completed where every file is as it was before or as it becomes, else taken
 * back, and what somebody else wrote meanwhile stays. Throws `config_invalid` for a journal that cannot be read.
 */
export function finishChange(root: string, pass: PassCrashPoint = () => {}): Finished {
  const path = join(root, JOURNAL);
  if (!existsSync(path)) return 'none';
  const text = textAt(path);
  // Whoever wrote it has just ended it.
  if (text === null) return 'none';
  const journal = readJson(journalSchema, text);
  const isWhole = journal?.files.every(({ before, after }) =>
    [before, after].every((one) => one === null || sha256(one.text) === one.sha256),
  );
  if (!journal || !isWhole) {
    throw new EngineError('config_invalid', `${JOURNAL} cannot be read; look at the settings, then delete it`);
  }
  const fits = journal.files.every(({ file, before, after }) => {
    const now = hashAt(join(root, file));
    return now === (before?.sha256 ?? null) || now === (after?.sha256 ?? null);
  });
  try {
    if (fits) complete(root, { ...journal, text }, pass);
    else takeBack(root, journal);
  } catch (error) {
    if (isUnderWay(root, text)) throw error;
    return 'none';
  }
  for (const { file } of journal.files) {
    removeTemporary(join(root, file));
    if (!existsSync(join(root, file))) removeIfEmpty(dirname(join(root, file)));
  }
  removeJournal(root, text);
  return fits ? 'completed' : 'taken_back';
}

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Two at once would each undo what the other one did, so a journal takes the place of none. */
function begin(path: string, bytes: Uint8Array, onPrepared: () => void): void {
  try {
    writeDurably(dirname(path), path, bytes, { create: true, onPrepared });
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new EngineError('cancelled', 'somebody else changes the settings at this moment; nothing was written');
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    writeDurably(dirname(path), path, bytes, { onPrepared });
  }
}

/**
 * A running gateway, and every command, take a change that is under way for one that was broken off, and do the same
 * beside its writer: whoever is first writes a file, and takes away what the others had prepared of it. Throws `cancelled`
 * where it was ended so, and not all of it stands there.
 */
function complete(root: string, { files, text }: Journal & { readonly text: string }, pass: PassCrashPoint): void {
  const stands = ({ file, after }: Journal['files'][number]) => hashAt(join(root, file)) === (after?.sha256 ?? null);
  for (const each of files) {
    if (stands(each)) continue;
    // What stands there by now may be of a later change.
    if (!isUnderWay(root, text)) throw new EngineError('cancelled', CHANGED_BESIDE);
    const { file, mode, after } = each;
    try {
      put(root, file, { text: after?.text ?? null, mode, onPrepared: () => pass('settings.file_prepared') });
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || !stands(each)) throw error;
    }
    pass('settings.file_written');
  }
}

/** What is neither as before nor as it was to become is somebody else's. */
function takeBack(root: string, { files }: Journal): void {
  for (const { file, mode, before, after } of files.toReversed()) {
    const [now, was] = [hashAt(join(root, file)), before?.sha256 ?? null];
    if (now !== was && now === (after?.sha256 ?? null)) put(root, file, { text: before?.text ?? null, mode });
  }
}

function put(
  root: string,
  file: string,
  { text, mode, onPrepared }: { text: string | null; mode: number; onPrepared?: () => void },
): void {
  const path = join(root, file);
  const folder = dirname(path);
  if (text !== null) {
    const isNew = !existsSync(folder);
    writeDurably(folder, path, Buffer.from(text), { mode, ...(onPrepared ? { onPrepared } : {}) });
    if (isNew) flushFolder(dirname(folder));
    return;
  }
  rmSync(path, { force: true });
  if (existsSync(folder)) flushFolder(folder);
  removeIfEmpty(folder);
}

/** The folder of a persona that came to nothing. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
  }
}

/** Nobody has ended it, and no other one has begun since. */
const isUnderWay = (root: string, text: string): boolean => textAt(join(root, JOURNAL)) === text;

function removeJournal(root: string, text: string): void {
  if (!isUnderWay(root, text)) return;
  rmSync(join(root, JOURNAL), { force: true });
  flushFolder(join(root, dirname(JOURNAL)));
}

/** What `writeDurably` leaves of a file when its process is killed: half of it, under another name. */
function removeTemporary(path: string, isStale: (temporary: string) => boolean = () => true): void {
  const folder = dirname(path);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const rest = name.startsWith(`${basename(path)}.`) ? name.slice(basename(path).length) : '';
    if (/^\.[0-9a-f]{8}\.tmp$/.test(rest) && isStale(join(folder, name))) rmSync(join(folder, name), { force: true });
  }
}

const STALE_MS = 60_000;

/** Of a journal that was never whole; a younger one may be of somebody who writes now. */
function removeStale(root: string): void {
  removeTemporary(join(root, JOURNAL), (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
  });
}
