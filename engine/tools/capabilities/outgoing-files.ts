import type { KeptFile } from '#contract';
import { type ArtifactsCapability, EngineError, type Preview, type PreviewFile } from '#contract';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { sizeOf } from '../../languages/sizes.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { distinctlyNamed, typeSentOn } from '../../mail/mime/attachment-name.ts';
import type { AttachedOnRecord } from '../../record/attached.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredAttachment, Viewer } from '../../storage/types/mail.ts';

/** Files that one mail can carry. */
const MAX_FILES = 10;
const MAX_LINES = 10;
const MAX_LINE_CHARS = 200;

/** One file as it was read: its hash is of this very buffer, and this buffer is what is sent. */
export interface OutgoingFile extends PreviewFile {
  readonly sha256: string;
}

/** Files of the persona as bytes, each with its path in its shortest form. Throws as reading does. */
export interface OpensFiles {
  open(path: string): Promise<{ readonly path: string; readonly bytes: Uint8Array; readonly isText: boolean }>;
}

export interface FileSources {
  readonly store: Pick<Store, 'findAttachment'>;
  readonly artifacts: Pick<Blobs, 'get'>;
  readonly files: OpensFiles;
  /** What the run has put aside for its answer, which another mail may carry too. */
  attached(): readonly AttachedOnRecord[];
  /** Whose attachments may be sent on. */
  readonly viewer: Viewer;
}

/** Reads what a mail would carry, each name once, in order. */
export async function readFiles(sources: FileSources, names: readonly string[]): Promise<OutgoingFile[]> {
  if (names.length > MAX_FILES) {
    throw tooManyFiles();
  }
  const read: OutgoingFile[] = [];
  for (const name of names) read.push(await readFile(sources, name));
  return distinctlyNamed(read);
}

async function readFile(
  { store, artifacts, files, viewer, attached }: FileSources,
  name: string,
): Promise<OutgoingFile> {
  const row = await store.findAttachment(name, viewer);
  if (row) {
    const content = await bytesOf(row, artifacts);
    return { name: row.name, type: typeSentOn(row), content, sha256: sha256(content) };
  }
  const aside = attached().find(({ path }) => path === name);
  if (aside) return { ...aside, content: await artifacts.get(aside.sha256) };
  const { path, bytes, isText } = await files.open(name);
  const own = path.split('/').at(-1) ?? path;
  return { name: own, type: typeOfFile(own, isText), content: bytes, sha256: sha256(bytes) };
}

/** Throws `invalid_arguments` for one that was not kept when it came. */
async function bytesOf({ name, sha256: hash, unreadable }: StoredAttachment, artifacts: Pick<Blobs, 'get'>) {
  if (unreadable === null) return artifacts.get(hash);
  throw new EngineError('invalid_arguments', `${name} was not kept when it came, so it cannot go along: ${unreadable}`);
}

/** Stands for all of it: another name, type, order or byte gives another one. Null where there is nothing. */
export const basisOf = (files: readonly OutgoingFile[]): string | null =>
  files.length === 0 ? null : sha256(canonicalJson(files.map(({ name, type, sha256: hash }) => [name, type, hash])));

/** What an owner is shown of them; the files themselves go along as far as they fit. */
export function previewOf(files: readonly OutgoingFile[], language: Language): Preview | null {
  const basis = basisOf(files);
  if (basis === null) return null;
  const shown = files.map((file, index) => described(file, index, language));
  return {
    text: shown.join('\n'),
    basis,
    attachments: files.map(({ name, type, content }) => ({ name, type, content })),
  };
}

/** Names are quoted and lines of a file marked: neither can pass for a line of ours. */
function described({ name, content }: OutgoingFile, index: number, language: Language): string {
  const size = sizeOf(content.length, language);
  const head = `${say(language, 'previews.attachment', { number: index + 1 })}: ${JSON.stringify(name)} (${size})`;
  return [head, ...firstLines(content, language).map((line) => `  | ${line}`)].join('\n');
}

function firstLines(content: Uint8Array, language: Language): string[] {
  const text = textOf(content);
  if (text === null) return [`(${say(language, 'previews.notText')})`];
  // The end of the last line is no line.
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => {
    const characters = Array.from(line.slice(0, 2 * MAX_LINE_CHARS + 1));
    return characters.length > MAX_LINE_CHARS ? `${characters.slice(0, MAX_LINE_CHARS).join('')} …` : line;
  });
  return lines.length > MAX_LINES
    ? [...shown, `… (${say(language, 'previews.lines', { count: lines.length })})`]
    : shown;
}

function textOf(content: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The type under which a mail carries a file, by its name; `isText`: its bytes are UTF-8. */
const typeOfFile = (name: string, isText: boolean): string =>
  TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ??
  (isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');

/** Where files are put aside for the answer of a run. */
export interface Aside {
  readonly artifacts: Pick<Blobs, 'put'>;
  /** Paths and ids that the run has attached so far. */
  attached(): readonly string[];
}

/** Its bytes are on disk before this returns. Throws `invalid_arguments` past the most files of a mail. */
export function putAside(
  aside: Aside,
  { path, bytes, isText }: { readonly path: string; readonly bytes: Uint8Array; readonly isText: boolean },
): KeptFile {
  const name = path.split('/').at(-1) ?? path;
  return keptAside(aside, { path, bytes, name, type: typeOfFile(name, isText) });
}

function keptAside(
  { artifacts, attached }: Aside,
  { bytes, ...file }: Pick<KeptFile, 'path' | 'name' | 'type'> & { readonly bytes: Uint8Array },
): KeptFile {
  if (new Set([...attached(), file.path]).size > MAX_FILES) throw tooManyFiles();
  return { ...file, bytes: bytes.length, sha256: artifacts.put(bytes) };
}

/**
 * Puts the bytes of a file, or of an attachment by its id, aside for the answer: they are on disk before the result is, so the
 * answer carries these and no later ones. Throws as reading does, `unsupported_runtime_action` for whom none is to be
 * read, and `invalid_arguments` past the most files of a mail.
 */
export function createAttach({
  files,
  mayRead,
  mail,
  ...aside
}: Aside & {
  readonly artifacts: Pick<Blobs, 'put' | 'get'>;
  readonly files: OpensFiles;
  readonly mayRead: boolean;
  /** Mail whose attachments may go along; null: none may be read. */
  readonly mail: Pick<FileSources, 'store' | 'viewer'> | null;
}): ArtifactsCapability['attach'] {
  return async (wanted) => {
    const row = await mail?.store.findAttachment(wanted, mail.viewer);
    if (row) {
      const bytes = await bytesOf(row, aside.artifacts);
      return keptAside(aside, { path: row.id, bytes, name: row.name, type: typeSentOn(row) });
    }
    if (!mayRead) throw new EngineError('unsupported_runtime_action', 'nobody may read files in answer to this mail');
    return putAside(aside, await files.open(wanted));
  };
}

const tooManyFiles = (): EngineError =>
  new EngineError('invalid_arguments', `a mail can have at most ${MAX_FILES} attachments`);
