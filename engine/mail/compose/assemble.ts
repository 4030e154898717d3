import { createRequire } from 'node:module';
import type Composer from 'nodemailer/lib/mail-composer';

// The copy that smtp-server has loaded; as an ES module it is a second one, and brings the global fetch along.
const require = createRequire(import.meta.url);
const MailComposer: typeof Composer = require('nodemailer/lib/mail-composer');
const { encode, wrap }: typeof import('nodemailer/lib/qp') = require('nodemailer/lib/qp');

type MimeNode = ReturnType<Composer['compile']>;

type Parts = NonNullable<ConstructorParameters<typeof Composer>[0]>;

/** nodemailer encodes longer texts in slices, and breaks lines anew at each. */
const MAX_ASSEMBLED_BYTES = 16 * 1024;

/** The bytes of a mail whose texts are in quoted-printable with Windows line ends. */
export async function buildMail(parts: Parts): Promise<Uint8Array> {
  const node = new MailComposer(parts).compile();
  const isLong = [parts.text, parts.html].some((text) => Buffer.byteLength(String(text ?? '')) > MAX_ASSEMBLED_BYTES);
  return isLong || (parts.attachments ?? []).length > 0 ? node.build() : assemble(node);
}

/**
 * The bytes that `build()` would give for a tree of texts in quoted-printable with Windows line ends. There each node
 * goes through a dozen streams, which took two thirds of the time that an answer takes to compose.
 */
export function assemble(node: MimeNode): Uint8Array {
  const text = textOf(node).replace(/(?<!\r)\n/g, '\r\n');
  return Buffer.from(text.endsWith('\n') ? text : `${text}\r\n`);
}

function textOf(node: MimeNode): string {
  const head = `${node.buildHeaders()}\r\n\r\n`;
  if (!node.multipart) return head + wrap(encode(typeof node.content === 'string' ? node.content : ''));
  const parts = node.childNodes.map((child) => `--${node.boundary}\r\n${textOf(child)}`);
  return `${head}${parts.join('\r\n')}\r\n--${node.boundary}--\r\n`;
}
