import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diff } from 'node:util';
import { EngineError, type FilesCapability, type Json } from '#contract';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { sizeOf } from '../../languages/sizes.ts';
import { sha256 } from '../../lib/ids.ts';
import { editDistance } from '../../lib/text/nearest.ts';
import { UNDO_DAYS } from '../../lib/undo-window.ts';
import type { Blobs } from '../../storage/blobs.ts';
import {
  type FoundAtName,
  hashFile,
  inspect,
  isText,
  MAX_FILE_BYTES,
  makeFile,
  readBytes,
  replaceFile,
  textOf,
} from './content.ts';
import type { FilesDesk } from './desk.ts';
import { codeOf, type Folder, fileSegments, inFolder, segmentsOf, TEMPORARY_PREFIX } from './folder.ts';
import { checkKept, MAX_KEPT_BYTES, type RemovedRecord, removeFile, restoreFile } from './removed.ts';

/** Which files the persona made and with what content, kept by storage. */
export interface FileRecord {
  made(path: string, sha256: string): Promise<void>;
  /** Hash of what the persona last wrote there; null when it never did. */
  madeHash(path: string): Promise<string | null>;
}

type Listed = Awaited<ReturnType<FilesCapability['list']>>;

/** A folder with more entries than this is shown in part: each entry costs a system call. */
const MAX_LISTED = 5000;

export interface FilesOptions {
  readonly root: string;
  /** Where files are made and where they go before they are gone: on the same disk, and in no shell's reach. */
  readonly temporary: string;
  readonly record: FileRecord & RemovedRecord;
  /** Where the bytes of removed files are kept. */
  readonly undo: Pick<Blobs, 'adopt' | 'pathOf' | 'has'>;
  readonly maxFilesBytes: number;
  readonly desk: FilesDesk;
  /** Of the call that they are for: whoever waits for a shell command to end stops waiting. */
  readonly signal: AbortSignal;
  /** Of what owners are shown of a change. */
  language(): Promise<Language>;
  /** Whether names of other files may be told where one is not there. */
  readonly tellsNames: boolean;
  /** The text of a document. Throws `tool_failed` for what is none, or cannot be read. */
  documentText(file: { readonly name: string; readonly bytes: Uint8Array }): Promise<string>;
}

/** What the engine itself may ask beside. */
export interface OpenFiles extends FilesCapability {
  /** Whatever it is, text or not, and its path in its shortest form. Throws as `read` does. */
  open(path: string): Promise<{ readonly path: string; readonly bytes: Uint8Array; readonly isText: boolean }>;
}

/** Of a larger file nobody is shown how it begins. */
const MAX_SHOWN_OF_BYTES = 65_536;
const MAX_BEGINNING_LINES = 3;
const MAX_SHOWN_CHARS = 160;

/** The first lines of a text that would be gone, each marked, so that none can pass for a line of ours. */
const beginningOf =
  (name: string) =>
  async (folder: Folder): Promise<readonly string[]> => {
    const bytes = await readBytes(folder, name);
    if (!isText(bytes)) return [];
    const lines = textOf(bytes)
      .split('\n')
      .filter((line) => line.trim() !== '');
    const shown = lines.slice(0, MAX_BEGINNING_LINES).map((line) => `  | ${line.slice(0, MAX_SHOWN_CHARS).trimEnd()}`);
    return lines.length > MAX_BEGINNING_LINES ? [...shown, '  …'] : shown;
  };

/**
 * A persona's files, confined to `root` (made at the first write). Links are followed only while they stay inside,
 * never as the last name; devices, pipes and sockets are not files. No shell command works there meanwhile.
 */
export function createFiles(options: FilesOptions): OpenFiles {
  const { bytesOf, ...files } = filesAt(options);
  const share = <Result>(work: () => Promise<Result>) => options.desk.share(options.root, options.signal, work);
  return {
    list: (path) => share(() => files.list(path)),
    read: (path) => share(() => files.read(path)),
    async open(path) {
      const bytes = await share(() => bytesOf(path));
      return { path: segmentsOf(path).join('/'), bytes, isText: isText(bytes) };
    },
    async text(path) {
      const bytes = await share(() => bytesOf(path));
      // Read without the desk: nobody has to wait for a document.
      return isText(bytes) ? textOf(bytes) : options.documentText({ name: path, bytes });
    },
    write: (path, content, how) => share(() => files.write(path, content, how)),
    remove: (path) => share(() => files.remove(path)),
    restore: (path, hash) => share(() => files.restore(path, hash)),
    compare: (path, content) => share(() => files.compare(path, content)),
    owner: (path) => share(() => files.owner(path)),
  };
}

interface FilesAt extends Omit<FilesCapability, 'text'> {
  bytesOf(path: string): Promise<Uint8Array>;
}

function filesAt(options: FilesOptions): FilesAt {
  const { root, temporary, record, undo, maxFilesBytes, desk, language, tellsNames } = options;
  const raise = (error: unknown, path: string) => raised(error, path, tellsNames ? root : null);
  const inside = <Result>(path: string, folders: readonly string[], work: (folder: Folder) => Promise<Result>) =>
    inFolder({ root, folders, create: false }, work).catch((error: unknown) => raise(error, path));
  const insideNew = <Result>(path: string, folders: readonly string[], work: (folder: Folder) => Promise<Result>) =>
    inFolder({ root, folders, create: true }, work).catch((error: unknown) => raise(error, path));

  const bytesOf = async (path: string): Promise<Uint8Array> => {
    const { folders, name } = fileSegments(path);
    return inside(path, folders, (folder) => readBytes(folder, name));
  };

  /** Makes that many bytes at a path, in place of what is there, where there is room for it. */
  async function making<Result>(path: string, bytes: number, make: () => Promise<Result>): Promise<Result> {
    const { folders, name } = fileSegments(path);
    const there = await inside(path, folders, (folder) => inspect(folder, name)).catch(nothingThere);
    const more = {
      bytes: bytes - there.weight,
      entries: there.kind === 'absent' ? folders.length + 1 : 0,
    };
    return desk.withRoom(root, more, maxFilesBytes, make);
  }

  return {
    async list(path) {
      const folders = segmentsOf(path);
      try {
        return await inside(path, folders, (folder) => entriesOf(folder, folders));
      } catch (error) {
        // Before the first write there is no files/ at all: an empty list, not a mistake of the model.
        if (folders.length === 0 && error instanceof EngineError && error.code === 'not_found') return [];
        throw error;
      }
    },

    bytesOf,
    read: async (path) => textOf(await bytesOf(path)),

    async write(path, content, { isNew = false } = {}) {
      const { folders, name } = fileSegments(path);
      const bytes = Buffer.from(content, 'utf8');
      if (bytes.length > MAX_FILE_BYTES) {
        throw new EngineError('invalid_arguments', `a file can have at most ${MAX_FILE_BYTES} bytes`);
      }
      const clean = [...folders, name].join('/');
      const madeHash = await record.madeHash(clean);
      const write = async (folder: Folder) => {
        const { kind } = await inspect(folder, name);
        if (kind === 'folder') throw new EngineError('invalid_arguments', `${JSON.stringify(path)} is a folder`);
        if (kind === 'special') throw new EngineError('invalid_arguments', `${JSON.stringify(path)} is not a file`);
        const owner = await ownerOf(folder, name, madeHash);
        if (!isNew) await replaceFile(folder, { name, temporary }, bytes);
        // Two runs may have found nothing there: the later one is not to take away what the first has written.
        else if (!(await makeFile(folder, { name, temporary }, bytes)) && !bytes.equals(await readBytes(folder, name)))
          throw new EngineError(
            'invalid_arguments',
            `${JSON.stringify(path)} has been written meanwhile; read it first`,
          );
        return owner;
      };
      const owner = await making(path, bytes.length, () => insideNew(path, folders, write));
      // One approved change of somebody's file does not make it the persona's: the next one is asked about again.
      // After the rename: a crash in between makes the file somebody else's, which only costs an approval.
      if (owner !== 'other') await record.made(clean, sha256(bytes));
      return { path: clean, bytes: bytes.length };
    },

    async remove(path) {
      const { folders, name } = fileSegments(path);
      const file = { path: [...folders, name].join('/'), name, temporary };
      const gone = await inside(path, folders, (folder) => removeFile(folder, file, { blobs: undo, record }));
      desk.forget(root);
      return gone;
    },

    async restore(path, hash) {
      const { folders, name } = fileSegments(path);
      const file = { path: [...folders, name].join('/'), name, temporary, sha256: hash };
      const restore = (folder: Folder) => restoreFile(folder, file, undo);
      return making(path, await checkKept(file, undo), () => insideNew(path, folders, restore));
    },

    async compare(path, content) {
      const { folders, name } = fileSegments(path);
      if (content === null) {
        const most = { maxBytes: MAX_KEPT_BYTES };
        const gone = await inside(path, folders, (folder) => hashFile(folder.at(name), name, most));
        const speaks = await language();
        const said = say(speaks, 'previews.deletes', { size: sizeOf(gone.bytes, speaks), days: UNDO_DAYS });
        const shown = gone.bytes > MAX_SHOWN_OF_BYTES ? [] : await inside(path, folders, beginningOf(name));
        return {
          text: [said, ...shown].join('\n'),
          basis: gone.sha256,
        };
      }
      try {
        const bytes = await inside(path, folders, (folder) => readBytes(folder, name));
        return { text: diffOf(bytes, content), basis: sha256(bytes) };
      } catch (error) {
        if (error instanceof EngineError && error.code === 'not_found') {
          return { text: diffText(null, content), basis: 'absent' };
        }
        throw error;
      }
    },

    async owner(path) {
      const { folders, name } = fileSegments(path);
      const madeHash = await record.madeHash([...folders, name].join('/'));
      try {
        return await inside(path, folders, (folder) => ownerOf(folder, name, madeHash));
      } catch (error) {
        if (error instanceof EngineError && error.code === 'not_found') return 'absent';
        throw error;
      }
    },
  };
}

/** For the reckoning alone: whoever then makes the file gets the reason why that is not possible. */
const nothingThere = (): Pick<FoundAtName, 'kind' | 'weight'> => ({ kind: 'absent', weight: 0 });

function diffOf(bytes: Uint8Array, content: string): string {
  try {
    return diffText(textOf(bytes), content);
  } catch {
    return `What stands there is not text (${bytes.length} bytes) and would be replaced as a whole.`;
  }
}

async function ownerOf(folder: Folder, name: string, madeHash: string | null): Promise<'absent' | 'persona' | 'other'> {
  const { kind, bytes } = await inspect(folder, name);
  if (kind === 'absent') return 'absent';
  // What is too large to have come from us need not be read to know that.
  if (kind !== 'file' || madeHash === null || bytes > MAX_FILE_BYTES) return 'other';
  return sha256(await readBytes(folder, name)) === madeHash ? 'persona' : 'other';
}

async function entriesOf(folder: Folder, folders: readonly string[]): Promise<Listed> {
  const names = (await readdir(folder.at('.'))).filter((name) => !name.startsWith(TEMPORARY_PREFIX)).sort();
  const entries: Listed[number][] = [];
  for (const name of names.slice(0, MAX_LISTED)) {
    const { kind, bytes } = await inspect(folder, name);
    if (kind === 'file' || kind === 'folder') entries.push({ path: [...folders, name].join('/'), type: kind, bytes });
  }
  return entries;
}

/** System errors in words that hold no path of this machine. `root`: where names that may have been meant are looked for. */
async function raised(error: unknown, path: string, root: string | null): Promise<never> {
  if (error instanceof EngineError) throw error;
  const shown = JSON.stringify(path);
  const code = codeOf(error);
  if (code === 'ENOENT') {
    const near = root === null ? [] : await nearbyFiles(root, path);
    const hint =
      near.length === 0
        ? '; list_files shows what there is'
        : `; there is ${near.map((name) => JSON.stringify(name)).join(', ')}`;
    throw new EngineError('not_found', `there is no ${shown} below files/${hint}`, {
      reason: 'no_file',
      cause: error,
    });
  }
  if (code === 'ENOTDIR') {
    throw new EngineError('invalid_arguments', `a part of ${shown} is a file, not a folder`, { cause: error });
  }
  if (code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') {
    throw new EngineError('invalid_arguments', `${shown} is not a regular file`, { cause: error });
  }
  throw new EngineError('tool_failed', `${shown} cannot be used (${code ?? 'unknown error'})`, { cause: error });
}

/** More changed lines than this are not compared one by one: the time for it grows with their square. */
const MAX_COMPARED_LINES = 1500;
const MAX_SHOWN_LINES = 200;
const MAX_LINE_CHARS = 500;
const CONTEXT_LINES = 3;

interface Line {
  readonly sign: ' ' | '-' | '+' | '@';
  readonly text: string;
}

/**
 * What would change, as lines with `-` and `+` and a little around them; what is too much to show is counted.
 * `before` is null where nothing stands there.
 */
function diffText(before: string | null, after: string): string {
  if (before === null) return 'There is no such file yet.';
  if (before === after) return 'Nothing would change.';
  const lines = hunksOf(linesBetween(before.split('\n'), after.split('\n')));
  const shown = lines.slice(0, MAX_SHOWN_LINES).map(({ sign, text }) => `${sign} ${cut(text)}`.trimEnd());
  const rest = lines.slice(MAX_SHOWN_LINES).filter(({ sign }) => sign === '-' || sign === '+').length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more changed lines`] : [])].join('\n');
}

const cut = (text: string): string =>
  text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)} … (${text.length} characters)` : text;

/** Both texts line by line: only what stands between their common beginning and end is compared. */
function linesBetween(before: readonly string[], after: readonly string[]): Line[] {
  const least = Math.min(before.length, after.length);
  let head = 0;
  while (head < least && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < least - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: ' ', text }));
  return [
    ...same(before.slice(0, head)),
    ...compare(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

function compare(gone: readonly string[], come: readonly string[]): Line[] {
  const signs = { '0': ' ', '1': '-', '-1': '+' } as const;
  if (gone.length + come.length <= MAX_COMPARED_LINES) {
    return diff(gone, come).map(([operation, text]) => ({ sign: signs[operation], text }));
  }
  return [...gone.map((text): Line => ({ sign: '-', text })), ...come.map((text): Line => ({ sign: '+', text }))];
}

/** Lines near a change; where some are left out, `@` says at which line it goes on. */
function hunksOf(lines: readonly Line[]): Line[] {
  const near = new Set<number>();
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at += 1) near.add(at);
  }
  let lineNumber = 0;
  let skipping = false;
  const kept: Line[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.sign !== '+') lineNumber += 1;
    if (!near.has(index)) {
      skipping = true;
      continue;
    }
    if (skipping) kept.push({ sign: '@', text: `line ${lineNumber}` });
    skipping = false;
    kept.push(line);
  }
  return kept;
}

/** Arguments of the package's own tools that name files of the persona. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path'],
  list_files: ['path'],
  write_file: ['path'],
  edit_file: ['path'],
  delete_file: ['path'],
  attach: ['path'],
  query_table: ['source'],
  send_email: ['attachments'],
};
const ROOT = 'files/';

/**
 * The arguments with their paths written in one way, so that a rule about a path holds for each way of writing it: before
 * anything else looks at the call. The name of the root is left out of them, where models put it since rules and mails do;
 * a folder of that name is meant itself.
 */
export function withinRoot(root: string, tool: string, args: Json): Json {
  const names = Object.hasOwn(PATHS, tool) ? (PATHS[tool] ?? []) : [];
  if (names.length === 0 || typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const given = args as { readonly [key: string]: Json };
  // The folder itself is listed by its name alone, too.
  const isPrefixed = (path: string) => `${path}${tool === 'list_files' ? '/' : ''}`.startsWith(ROOT);
  const plain = (value: Json): Json => {
    if (typeof value !== 'string') return value;
    const path = shortest(value);
    return isPrefixed(path) && !existsSync(join(root, ROOT)) ? path.slice(ROOT.length) : path;
  };
  const changed = names.flatMap((name): [string, Json][] => {
    const value = given[name];
    return value === undefined ? [] : [[name, Array.isArray(value) ? value.map(plain) : plain(value)]];
  });
  return { ...given, ...Object.fromEntries(changed) };
}

/** Without what a path can do without. What is no path of the persona's stays as it is: a URL, an id, what is refused. */
function shortest(path: string): string {
  if (!/(?:^|\/)\.?\//.test(path) || path.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(path)) return path;
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.length === 0 ? path : `${names.join('/')}${path.endsWith('/') ? '/' : ''}`;
}

const MOST_SEEN = 2000;
const MAX_DEPTH = 3;
const MOST_NAMED = 3;
const MAX_DISTANCE = 4;

/** Paths of files that may have been meant, the likeliest first; links are not followed. */
async function nearbyFiles(root: string, path: string): Promise<readonly string[]> {
  const wanted = baseOf(path.toLowerCase());
  const found: { readonly path: string; readonly distance: number }[] = [];
  const folders: string[][] = [[]];
  let seen = 0;
  for (let folder = folders.shift(); folder && seen < MOST_SEEN; folder = folders.shift()) {
    const entries = await readdir(join(root, ...folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.slice(0, MOST_SEEN - seen)) {
      seen += 1;
      if (entry.name.startsWith(TEMPORARY_PREFIX)) continue;
      const place = [...folder, entry.name];
      if (entry.isDirectory() && place.length < MAX_DEPTH) folders.push(place);
      if (entry.isFile()) found.push({ path: place.join('/'), distance: distanceOf(wanted, entry.name.toLowerCase()) });
    }
  }
  return found
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((one, other) => one.distance - other.distance || (one.path < other.path ? -1 : 1))
    .slice(0, MOST_NAMED)
    .map((one) => one.path);
}

/** 0: the same name elsewhere; 1: another kind of file under it; else as far as they are written apart. */
function distanceOf(wanted: string, name: string): number {
  if (wanted === name) return 0;
  if (stemOf(wanted) === stemOf(name)) return 1;
  const most = Math.min(MAX_DISTANCE, Math.floor(wanted.length / 3));
  const distance = editDistance(wanted.slice(0, 64), name.slice(0, 64));
  return distance <= most ? distance + 1 : MAX_DISTANCE + 1;
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (name: string): string => (name.lastIndexOf('.') > 0 ? name.slice(0, name.lastIndexOf('.')) : name);
