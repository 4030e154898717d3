import type { Allowance } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import { firstHeader } from '../mime/headers.ts';
import { type MimePart, readStructure, type StructureLimits } from '../mime/structure.ts';
import { headerText } from '../mime/words.ts';
import { bounded, stripInvisible } from '../text/invisible.ts';
import { decodeLeaf } from './leaf.ts';
import { withoutMarks } from './new-text.ts';

const MAX_EMBEDDED = 50_000;

/** The text parts of a message, in order; not those of messages inside it. */
export function textLeaves(part: MimePart): MimePart[] {
  if (part.children.length > 0) return part.type === 'message/rfc822' ? [] : part.children.flatMap(textLeaves);
  const isText = part.type === 'text/plain' || part.type === 'text/html';
  return isText && (part.disposition === '' || part.disposition === 'inline') ? [part] : [];
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
