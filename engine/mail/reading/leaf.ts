import { decodeText } from '../charset/charset.ts';
import type { MimePart } from '../mime/structure.ts';
import { decodeTransfer } from '../mime/transfer.ts';
import { withPlainLines } from '../text/line-ends.ts';
import { unflow } from '../text/unflow.ts';

const MAX_LEAF = 2 * 1024 * 1024;

/** The text of one part, decoded by our own reader, with Unix line ends. */
export function decodeLeaf(raw: Buffer, part: MimePart): { text: string; exact: boolean } {
  // More is never shown, and six million short lines would cost half a gigabyte on the way to being cut.
  const end = Math.min(part.bodyEnd, part.bodyStart + MAX_LEAF);
  const bytes = decodeTransfer(raw.subarray(part.bodyStart, end), part.encoding);
  const { text, exact } = decodeText(bytes, { label: part.charset, isMarkup: part.readAs === 'text/html' });
  if (part.readAs === 'text/html') return { text: text.replace(/\r\n?/g, '\n'), exact };
  const lines = withPlainLines(text);
  return { text: part.flowed ? unflow(lines, part.flowed.delSp) : lines, exact };
}
