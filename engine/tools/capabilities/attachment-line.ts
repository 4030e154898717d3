import type { StoredAttachment } from '../../storage/types/mail.ts';

/**
 * An attachment as a model is told of it, before it asks for it: a PDF that was offered to read_attachment cost a call to hear
 * that it is none. `isShown`: as a picture.
 */
export function attachmentLine(attachment: StoredAttachment, isShown: boolean): string {
  const { id, name, type, bytes, unreadable, text_sha256 } = attachment;
  const line = `[attachment ${id}] ${name}, ${type}, ${bytes} bytes`;
  if (unreadable !== null) return `${line}, unreadable: ${unreadable}`;
  if (text_sha256 !== null) return line;
  return isShown ? `${line}, shown to you as a picture` : `${line}, unreadable: no tool reads this type`;
}
