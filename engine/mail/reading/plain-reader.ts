import type { Allowance } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import { decodeCharset } from '../mime/charset.ts';
import { firstHeader } from '../mime/headers.ts';
import { type MimePart, readStructure, type StructureLimits } from '../mime/structure.ts';
import { decodeTransfer } from '../mime/transfer.ts';
import { headerText } from '../mime/words.ts';
import { bounded, stripInvisible } from '../text/invisible.ts';
import { unflow } from '../text/unflow.ts';
import { withoutMarks } from './new-text.ts';

const MAX_EMBEDDED = 50_000;
const MAX_LEAF = 2 * 1024 * 1024;

/** The text parts of a message, in order; not those of messages inside it. */
export function textLeaves(part: MimePart): MimePart[] {
  if (part.children.length > 0) return part.type === 'message/rfc822' ? [] : part.children.flatMap(textLeaves);
  const isText = part.type === 'text/plain' || part.type === 'text/html';
  return isText && (part.disposition === '' || part.disposition === 'inline') ? [part] : [];
}

export function decodeLeaf(raw: Buffer, part: MimePart): { text: string; exact: boolean } {
  // More is never shown, and six million short lines would cost half a gigabyte on the way to being cut.
  const end = Math.min(part.bodyEnd, part.bodyStart + MAX_LEAF);
  const bytes = decodeTransfer(raw.subarray(part.bodyStart, end), part.encoding);
  const { text, exact } = decodeCharset(bytes, part.charset);
  const lines = text.replace(/\r\n?/g, '\n');
  return { text: part.flowed && part.type === 'text/plain' ? unflow(lines, part.flowed.delSp) : lines, exact };
}

/**
 * The first readable text of a message, by our own reader: for mail that mailparser refuses, and mail inside mail.
 */
export function firstText(raw: Buffer, root: MimePart, allowance: Allowance): string {
  const leaves = textLeaves(root);
  const plain = leaves.find((leaf) => leaf.type === 'text/plain' && leaf.bodyEnd > leaf.bodyStart);
  // A multipart without its boundary has no parts, and yet somebody wrote something there.
  const whole = root.type.startsWith('multipart/') && root.children.length === 0 ? root : undefined;
  const leaf = plain ?? leaves[0] ?? whole;
  if (!leaf) return '';
  const { text } = decodeLeaf(raw, leaf);
  return leaf.type === 'text/html' ? withoutMarks(htmlToReadable(text, allowance).text) : text;
}

/** A forwarded message as text: its own headers, unproven as they are, and its first text. */
export function describeEmbedded(raw: Buffer, limits: StructureLimits, allowance: Allowance): string {
  const structure = readStructure(raw, limits);
  if (!structure.ok) return '';
  const fields = ['From', 'To', 'Date', 'Subject'].flatMap((name) => {
    const value = firstHeader(structure.root.headers, name.toLowerCase());
    return value === null ? [] : [`${name}: ${headerText(value, 500)}`];
  });
  const text = stripInvisible(firstText(raw, structure.root, allowance)).text.trim();
  return bounded(`${fields.join('\n')}\n\n${text}`, MAX_EMBEDDED).text.trim();
}
