import type { GatewayConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { stripTokens } from '../approval/token.ts';
import { type Allowance, isSpent } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import { distinctNames, safeAttachmentName } from '../mime/attachment-name.ts';
import { decodeCharset } from '../mime/charset.ts';
import type { FilePart } from '../mime/mailparser.ts';
import type { ParsedAttachment } from '../mime/types.ts';
import { bounded, stripInvisible } from '../text/invisible.ts';
import { withoutMarks } from './new-text.ts';
import { describeEmbedded } from './plain-reader.ts';

const MAX_TEXT = 200_000;
const EMPTY = new Uint8Array();

/** Files of a mail, names made safe and distinct; one that is too large is listed without its content. */
export function readAttachments(
  files: readonly FilePart[],
  limits: GatewayConfig['limits'],
  allowance: Allowance,
): ParsedAttachment[] {
  const names = distinctNames(files.map((file) => safeAttachmentName(file.name, file.type)));
  return files.map((file, index) => {
    const tooLarge = file.content.length > limits.max_attachment_bytes;
    return {
      name: names[index] ?? 'attachment',
      type: /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream',
      bytes: file.content.length,
      sha256: sha256(file.content),
      content: tooLarge ? EMPTY : ownBytes(file.content),
      contentId: file.contentId?.slice(0, 200) ?? null,
      inline: file.inline,
      charset: file.charset?.slice(0, 60) ?? null,
      text: tooLarge ? null : textOf(file, limits, allowance),
      unreadable: tooLarge ? `larger than ${limits.max_attachment_bytes} bytes` : sealed(file),
    };
  });
}

/** Small buffers are views into a pool of 8 KiB, which would cross the worker's border as a whole. */
function ownBytes(content: Buffer): Uint8Array {
  return content.byteLength === content.buffer.byteLength ? content : new Uint8Array(content);
}

/** Containers that need a key or a reader we do not have. Their bytes are kept. */
function sealed({ type, name }: FilePart): string | null {
  if (type === 'application/ms-tnef' || type === 'application/vnd.ms-tnef' || /^winmail\.dat$/i.test(name ?? '')) {
    return 'an Outlook container (winmail.dat) that is not unpacked';
  }
  const encrypted = type === 'application/pgp-encrypted' || /^application\/(x-)?pkcs7-mime$/.test(type);
  return encrypted ? 'encrypted' : null;
}

function textOf(file: FilePart, limits: GatewayConfig['limits'], allowance: Allowance): string | null {
  if (isSpent(allowance) && file.type !== 'text/plain') return null;
  if (file.type === 'message/rfc822') return stripTokens(describeEmbedded(file.content, limits, allowance));
  if (!file.type.startsWith('text/')) return null;
  // A character is four bytes at most, so more than this can never be shown.
  const { text } = decodeCharset(file.content.subarray(0, 4 * MAX_TEXT), file.charset);
  const readable =
    file.type === 'text/html' ? withoutMarks(htmlToReadable(text, allowance).text) : text.replace(/\r\n?/g, '\n');
  return stripTokens(bounded(stripInvisible(readable).text, MAX_TEXT).text);
}
