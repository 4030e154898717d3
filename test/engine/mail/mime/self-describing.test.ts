import { expect, it } from 'vitest';
import { selfDescribing } from '../../../../engine/mail/mime/self-describing.ts';
import { readStructure } from '../../../../engine/mail/mime/structure.ts';

const LIMITS = { max_mime_depth: 10, max_mime_parts: 50 };

/** Whether the bytes of a mail of two parts confirm the subtype that its header names. */
function confirms(subtype: string, first: string, second: string): boolean {
  const parts = [first, second].map((header) => `--b1\r\n${header}\r\n\r\nHello\r\n`).join('');
  const raw = Buffer.from(`Content-Type: multipart/${subtype}; boundary="b1"\r\n\r\n${parts}--b1--\r\n`);
  const read = readStructure(raw, LIMITS);
  if (!read.ok) throw new Error(read.message);
  return selfDescribing(raw, read.root).contentType;
}

const [HTML, PLAIN] = ['Content-Type: text/html', 'Content-Type: text/plain'];

it.each([
  ['in its type', `${PLAIN}; name="note.txt"`],
  ['in its disposition', `${PLAIN}\r\nContent-Disposition: inline; filename="note.txt"`],
])('a text with a file name is no version of the text beside it: %s', (_what, named) => {
  expect(confirms('mixed', HTML, named)).toBe(true);
  expect(confirms('alternative', HTML, named)).toBe(false);
  expect(confirms('mixed', HTML, PLAIN)).toBe(false);
  expect(confirms('alternative', HTML, PLAIN)).toBe(true);
});
