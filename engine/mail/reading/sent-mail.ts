import type { SentMail } from '../approval/accounted/own-lines.ts';
import { htmlToReadable } from '../html/to-text.ts';
import { parseAddressList } from '../mime/address.ts';
import { parseMailDate } from '../mime/date.ts';
import { firstHeader, headerValues } from '../mime/headers.ts';
import { readStructure } from '../mime/structure.ts';
import { headerText } from '../mime/words.ts';
import { withoutMarks } from './body.ts';
import { decodeLeaf, textLeaves } from './plain-reader.ts';

/** What we write is far below these. */
const LIMITS = { max_mime_depth: 10, max_mime_parts: 200 };

/** A mail that we have sent, as its readers saw it; null where its bytes are none. `at`: when it was written, ms. */
export function readSentMail(raw: Uint8Array, at: number): SentMail | null {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const structure = readStructure(bytes, LIMITS);
  if (!structure.ok) return null;
  const { root, block } = structure;
  const peopleIn = (name: string) => headerValues(block.lines, name).flatMap((value) => parseAddressList(value));
  const people = ['from', 'to', 'reply-to'].flatMap(peopleIn);
  return {
    versions: textLeaves(root).map((leaf) => {
      const { text } = decodeLeaf(bytes, leaf);
      return leaf.type === 'text/html' ? withoutMarks(htmlToReadable(text).text) : text;
    }),
    subject: headerText(firstHeader(block.lines, 'subject') ?? ''),
    people: people.flatMap(({ name, address }) => [...(name === '' ? [] : [name]), ...withoutTag(address)]),
    from: peopleIn('from')[0]?.address ?? '',
    sentAt: parseMailDate(firstHeader(block.lines, 'date') ?? '') ?? at,
  };
}

/** Tags of notices are taken out of every text. */
const withoutTag = (address: string): readonly string[] => [address.replace(/\+[^@+]{0,100}@/, '@')];
