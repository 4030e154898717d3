import type { Allowance } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import type { MimePart } from '../mime/structure.ts';
import { decodeLeaf } from './leaf.ts';
import { withoutMarks } from './new-text.ts';

/** The text parts of a message, in order; not those of messages inside it. */
export function textLeaves(part: MimePart): MimePart[] {
  if (part.children.length > 0) return part.type === 'message/rfc822' ? [] : part.children.flatMap(textLeaves);
  return part.readAs !== null && (part.disposition === '' || part.disposition === 'inline') ? [part] : [];
}

/**
 * The first readable text of a message, by our own reader: for mail that mailparser refuses.
 */
export function firstText(raw: Buffer, root: MimePart, allowance: Allowance): string {
  const leaves = textLeaves(root);
  const plain = leaves.find((leaf) => leaf.readAs === 'text/plain' && leaf.bodyEnd > leaf.bodyStart);
  // A multipart without its boundary has no parts, and yet somebody wrote something there.
  const whole = root.type.startsWith('multipart/') && root.children.length === 0 ? root : undefined;
  const leaf = plain ?? leaves[0] ?? whole;
  if (!leaf) return '';
  const { text } = decodeLeaf(raw, leaf);
  return leaf.readAs === 'text/html' ? withoutMarks(htmlToReadable(text, allowance).text) : text;
}
