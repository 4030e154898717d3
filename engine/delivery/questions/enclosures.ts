import { sha256 } from '../../lib/ids.ts';
import { distinctNames, safeAttachmentName } from '../../mail/mime/attachment-name.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { AttachedFile } from '../../storage/types/approvals.ts';

// What goes beside a question: files that it is about, and texts that are too long to stand in it.

/** Most servers still take a mail of this size after base64. */
const MAX_BYTES = 10 * 1024 * 1024;
const TEXT = 'text/plain; charset=utf-8';
const TYPE = /^[\w.+-]+\/[\w.+-]+(; charset=[\w-]+)?$/;

export interface Enclosed {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

interface Wanted {
  /** How the text asks for it again. */
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

export interface Enclosures {
  readonly files: readonly Enclosed[];
  /** The name that it has beside the question; null when it is not there. */
  nameOf(key: string): string | null;
}

/** Takes one after the other as far as they fit together, under names that are safe and distinct. */
export function enclose(wanted: readonly Wanted[]): Enclosures {
  const names = distinctNames(wanted.map(({ name, type }) => safeAttachmentName(name, type)));
  const byKey = new Map<string, Enclosed>();
  let room = MAX_BYTES;
  for (const [index, { key, type, content }] of wanted.entries()) {
    if (content.length > room) continue;
    room -= content.length;
    const name = names[index] ?? 'attachment';
    byKey.set(key, { name, type: TYPE.test(type) ? type : 'application/octet-stream', content });
  }
  return { files: [...byKey.values()], nameOf: (key) => byKey.get(key)?.name ?? null };
}

export const wantedText = (key: string, name: string, text: string): Wanted => ({
  key,
  name: `${name}.txt`,
  type: TEXT,
  content: Buffer.from(text),
});

/** Kept files of a question. One whose bytes are gone, or are others by now, is not shown as if it were that one. */
export async function wantedFiles(
  files: readonly (AttachedFile & { readonly key: string })[],
  artifacts: Pick<Blobs, 'get'>,
): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const { key, name, type, sha256: hash, kept } of files) {
    const content = kept ? await artifacts.get(hash).catch(() => null) : null;
    if (content !== null && sha256(content) === hash) wanted.push({ key, name, type, content });
  }
  return wanted;
}
