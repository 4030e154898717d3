import { decodeText } from '../charset/charset.ts';
import type { Allowance } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import type { TextPart, TextPlace } from '../mime/mailparser.ts';
import type { MimePart } from '../mime/structure.ts';
import { decodeTransfer } from '../mime/transfer.ts';
import { unflow, withPlainLines } from '../text/lines.ts';
import { withoutMarks } from './body.ts';

/** The text parts of a message, in order; not those of messages inside it. */
export function textLeaves(part: MimePart): MimePart[] {
  if (part.children.length > 0) return part.type === 'message/rfc822' ? [] : part.children.flatMap(textLeaves);
  return part.readAs !== null && (part.disposition === '' || part.disposition === 'inline') ? [part] : [];
}

/**
 * What each of the text parts is to the mail. Some programs divide the letter where somebody drops a file into it: what goes on
 * stands right behind the file, as bare as the first part and of its type. A text with a file name is that file, wherever it
 * stands, and what lists and servers add below says how it is to be shown, or stands behind another text.
 */
export function placesOf(root: MimePart): readonly TextPlace[] {
  const [first] = root.children;
  const isDivided = root.type === 'multipart/mixed' && first !== undefined && isBareText(first);
  const behindFiles = new Set(
    isDivided
      ? root.children.filter((part, index) => {
          const before = root.children[index - 1];
          const isFile = before !== undefined && before.children.length === 0 && before.readAs === null;
          return isFile && isBareText(part) && part.readAs === first.readAs;
        })
      : [],
  );
  const versions = new Set(versionsIn(root));
  return textLeaves(root).map((leaf, index) => {
    if (behindFiles.has(leaf)) return 'behind_file';
    const isOwn = !versions.has(leaf) && (leaf.isNamed || (index > 0 && leaf.disposition !== ''));
    return isOwn ? 'own' : 'letter';
  });
}

/** The texts inside of a multipart/alternative. */
const versionsIn = (part: MimePart): MimePart[] =>
  part.type === 'multipart/alternative' ? textLeaves(part) : part.children.flatMap(versionsIn);

const isBareText = ({ readAs, disposition, isNamed, children }: MimePart): boolean =>
  children.length === 0 && readAs !== null && disposition === '' && !isNamed;

/**
 * The first readable text of a message, by our own reader: for mail that mailparser refuses.
 */
export function firstText(raw: Buffer, root: MimePart, allowance: Allowance): Pick<TextPart, 'text' | 'place'> {
  const places = placesOf(root);
  const leaves = textLeaves(root);
  const isLetter = (leaf: MimePart): boolean => places[leaves.indexOf(leaf)] === 'letter';
  const plains = leaves.filter((leaf) => leaf.readAs === 'text/plain' && leaf.bodyEnd > leaf.bodyStart);
  const plain = plains.find(isLetter) ?? plains[0];
  // A multipart without its boundary has no parts, and yet somebody wrote something there.
  const whole = root.type.startsWith('multipart/') && root.children.length === 0 ? root : undefined;
  const leaf = plain ?? leaves[0] ?? whole;
  if (!leaf) return { text: '', place: 'letter' };
  const place = places[leaves.indexOf(leaf)] ?? 'letter';
  const { text } = decodeLeaf(raw, leaf);
  return { text: leaf.readAs === 'text/html' ? withoutMarks(htmlToReadable(text, allowance).text) : text, place };
}

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
