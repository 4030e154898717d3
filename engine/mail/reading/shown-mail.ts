import { fullAllowance } from '../html/allowance.ts';
import { type Pictures, type SafeHtml, shownSafely } from '../html/shown-safely.ts';
import { firstHeader } from '../mime/headers.ts';
import { type MimePart, readStructure, type StructureLimits } from '../mime/structure.ts';
import { decodeTransfer } from '../mime/transfer.ts';
import { headerText } from '../mime/words.ts';
import { decodeLeaf, firstText, placesOf, textLeaves } from './plain-reader.ts';

/** A mail as a person may look at it. */
export interface ShownMail {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Null: it has none. */
  readonly html: SafeHtml | null;
  /** Its first text, for mail that nothing else has read. */
  text(): string;
}

/** A larger one is not divided again for somebody who only looks: that would hold up everybody else's mail. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_HEADERS = 200;
const MOST_VALUE = 2000;
/** Of a picture, and of all together. */
const MOST_PICTURE = { bytes: 300 * 1024, all: 1024 * 1024 };

/** Headers, HTML and text out of the bytes of a mail. Null: it is too large for that, or no mail. */
export function shownMail(bytes: Uint8Array, limits: StructureLimits): ShownMail | null {
  if (bytes.byteLength > MOST_BYTES) return null;
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const structure = readStructure(raw, limits);
  if (!structure.ok) return null;
  const { root, block } = structure;
  return {
    headers: block.lines
      .slice(0, MOST_HEADERS)
      .map(({ name, value }) => ({ name, value: headerText(value).slice(0, MOST_VALUE) })),
    html: htmlOf(raw, root),
    text: () => firstText(raw, root, fullAllowance()).text,
  };
}

function htmlOf(raw: Buffer, root: MimePart): SafeHtml | null {
  const places = placesOf(root);
  const leaf = textLeaves(root).find((part, at) => part.readAs === 'text/html' && places[at] !== 'own');
  return leaf === undefined ? null : shownSafely(decodeLeaf(raw, leaf).text, picturesIn(raw, root));
}

const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function picturesIn(raw: Buffer, root: MimePart): Pictures {
  const found = new Map<string, string>();
  let room = MOST_PICTURE.all;
  const look = (part: MimePart): void => {
    if (part.type === 'message/rfc822') return;
    for (const child of part.children) look(child);
    const id = firstHeader(part.headers, 'content-id');
    const bytes = part.bodyEnd - part.bodyStart;
    if (id === null || !DRAWN.has(part.type) || bytes > MOST_PICTURE.bytes || bytes > room) return;
    room -= bytes;
    const data = decodeTransfer(raw.subarray(part.bodyStart, part.bodyEnd), part.encoding).toString('base64');
    found.set(id.trim().replace(/^</, '').replace(/>$/, '').toLowerCase(), `data:${part.type};base64,${data}`);
  };
  look(root);
  return found;
}
