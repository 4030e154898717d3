import type { GatewayConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { distinctNames, safeAttachmentName } from '../mime/attachment-name.ts';
import type { FilePart } from '../mime/mailparser.ts';
import type { ParsedAttachment } from '../mime/types.ts';

const EMPTY = new Uint8Array();

/** Files of a mail, names made safe and distinct; one that is too large is listed without its content. */
export function readAttachments(files: readonly FilePart[], limits: GatewayConfig['limits']): ParsedAttachment[] {
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
