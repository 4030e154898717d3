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
 * Which of the text parts go on with the letter: some programs divide it where somebody drops a file into the text. Each
 * stands right behind the file, as bare as the first one and of its type. What lists and servers add below says how it is
 * to be shown, or stands behind another text.
 */
export function goesOnBehindFile(root: MimePart): readonly boolean[] {
  const [first] = root.children;
  const isPlace = root.type === 'multipart/mixed' && first !== undefined && isBareText(first);
  const going = new Set(
    isPlace
      ? root.children.filter((part, index) => {
          const before = root.children[index - 1];
          const isFile = before !== undefined && before.children.length === 0 && before.readAs === null;
          return isFile && isBareText(part) && part.readAs === first.readAs;
        })
      : [],
  );
  return textLeaves(root).map((leaf) => going.has(leaf));
}

const isBareText = ({ readAs, disposition, isNamed, children }: MimePart): boolean =>
  children.length === 0 && readAs !== null && disposition === '' && !isNamed;

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
