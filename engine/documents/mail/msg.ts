import { createRequire } from 'node:module';
import type { FieldsData } from '@kenjiuno/msgreader';
import { htmlToReadable } from '../../mail/html/to-text.ts';
import { decodeText } from '../plain/charset.ts';
import { readRtf } from '../plain/rtf.ts';
import type { Content, OpenPart, Reading, Source } from '../reading.ts';
import { Refused } from '../refused.ts';
import { mailContent } from './eml.ts';

// As a module it is CommonJS with a default, which Node and bundlers take apart differently.
const require = createRequire(import.meta.url);
const { default: MsgReader }: typeof import('@kenjiuno/msgreader') = require('@kenjiuno/msgreader');
type MsgFile = InstanceType<typeof MsgReader>;

/** The code pages in which Outlook has written texts, by the names that the reader knows them by. */
const ENCODINGS: ReadonlyMap<number, string> = new Map([
  ...[874, 932, 936, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map(
    (page) => [page, `cp${page}`] as const,
  ),
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [65001, 'utf8'],
]);
const DEFAULT_ENCODING = 'cp1252';
/** Of the bytes of HTML, where they are none of the above. */
const CHARSETS: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  20866: 'koi8-r',
  21866: 'koi8-u',
  65001: 'utf-8',
  20932: 'euc-jp',
  50220: 'iso-2022-jp',
  50221: 'iso-2022-jp',
  50222: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  52936: 'hz-gb-2312',
  54936: 'gb18030',
};

/** A mail as Outlook stores it: its header as it claims, its text, its files as parts. Throws `Refused`. */
export function readMsg({ bytes }: Source, reading: Reading): Content {
  const { reader, fields } = read(bytes);
  const { recipients = [], attachments = [], subject = '' } = fields;
  const named = (type: string) =>
    recipients
      .filter(({ recipType }) => recipType === type)
      .map(({ name, smtpAddress, email }) => addressed(name, smtpAddress ?? email))
      .join(', ');
  const date = fields.messageDeliveryTime ?? fields.clientSubmitTime ?? '';
  return mailContent('msg', {
    from: addressed(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail),
    to: named('to'),
    cc: named('cc'),
    date: Number.isNaN(Date.parse(date)) ? date : new Date(date).toISOString(),
    subject,
    text: textOf(fields, reading).replace(/\r\n?/g, '\n').trim(),
    parts: attachments.map((attachment, index): OpenPart => {
      const inner = attachment.innerMsgContent === true;
      const name = attachment.fileName ?? attachment.fileNameShort ?? attachment.name ?? `file ${index + 1}`;
      return {
        name: inner && !name.endsWith('.msg') ? `${name}.msg` : name,
        type: attachment.attachMimeTag ?? '',
        bytes: attachment.contentLength ?? 0,
        // Of a mail within the mail it gives a list of numbers.
        open: async () => Uint8Array.from(reader.getAttachment(attachment).content),
      };
    }),
  });
}

/** Which code page its texts are in, where they are not Unicode, stands among its numbers: then it is read with that. */
function read(bytes: Uint8Array): { readonly reader: MsgFile; readonly fields: FieldsData } {
  const first = new MsgReader(new Uint8Array(bytes).buffer);
  const fields = first.getFileData();
  if (fields.error) throw new Refused('broken', 'its mail cannot be read');
  const reader = new MsgReader(new Uint8Array(bytes).buffer);
  const page = fields.messageCodepage ?? fields.internetCodepage;
  reader.parserConfig = { ansiEncoding: (page === undefined ? null : ENCODINGS.get(page)) ?? DEFAULT_ENCODING };
  return { reader, fields: reader.getFileData() };
}

/** Its plain text, else that of its HTML, else that of its RTF: mail that was written in Outlook may have the last alone. */
function textOf(
  { body = '', bodyHtml, html, compressedRtf, internetCodepage = 1252 }: FieldsData,
  reading: Reading,
): string {
  if (body.trim() !== '') return body;
  const charset = CHARSETS[internetCodepage] ?? charsetOf(internetCodepage);
  const markup = html ? decodeText(html, charset) : (bodyHtml ?? null);
  if (markup !== null && markup.trim() !== '') return htmlToReadable(markup).text;
  if (!compressedRtf) return body;
  const bytes = unpackedRtf(compressedRtf, reading.unpacked);
  return readRtf({ bytes, name: '', type: '', charset: null }, reading).text ?? '';
}

const charsetOf = (page: number): string =>
  page > 28590 && page < 28606 ? `iso-8859-${page - 28590}` : `windows-${page}`;

const addressed = (name = '', address = ''): string =>
  name === '' || name === address ? address : `${name} <${address}>`;

/** What the window holds at first ([MS-OXRTFCP] 2.1.2.1): words that stand in any RTF. */
const AT_FIRST = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor ' +
    'MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
);
const WINDOW = 4096;
const HEAD_BYTES = 16;
const COMPRESSED = 0x75465a4c;
const PLAIN = 0x414c454d;

/**
 * The text of a mail as Outlook packs it into PidTagRtfCompressed. `unpacked` is told of what comes out before it does.
 * Throws `Refused`. What is cut off is read as far as it goes.
 */
export function unpackedRtf(packed: Uint8Array, unpacked: (bytes: number) => void): Uint8Array {
  if (packed.byteLength < HEAD_BYTES) throw new Refused('broken', 'its text cannot be unpacked');
  const head = new DataView(packed.buffer, packed.byteOffset, HEAD_BYTES);
  const [bytes, kind] = [head.getUint32(4, true), head.getUint32(8, true)];
  const body = packed.subarray(HEAD_BYTES);
  if (kind === PLAIN) return body.subarray(0, bytes);
  // Two bytes stand for 17 at most.
  if (kind !== COMPRESSED || bytes > 9 * packed.byteLength) throw new Refused('broken', 'its text cannot be unpacked');
  unpacked(bytes);
  return expanded(body, bytes);
}

/** Eight tokens follow each byte of flags: a letter, or a place in the window and how much is there. */
function expanded(body: Uint8Array, bytes: number): Uint8Array {
  const window = new Uint8Array(WINDOW);
  window.set(AT_FIRST);
  const text = new Uint8Array(bytes);
  let [to, at] = [0, AT_FIRST.length];
  const put = (byte: number) => {
    if (to < bytes) text[to] = byte;
    window[at] = byte;
    [to, at] = [to + 1, (at + 1) % WINDOW];
  };
  for (let from = 0, token = 0, flags = 0; from < body.length && to < bytes; token = (token + 1) % 8) {
    if (token === 0) flags = body[from++] ?? 0;
    if ((flags & (1 << token)) === 0) {
      put(body[from++] ?? 0);
      continue;
    }
    const reference = ((body[from] ?? 0) << 8) | (body[from + 1] ?? 0);
    from += 2;
    const place = reference >> 4;
    // A reference to where the next byte will stand is the end.
    if (place === at) break;
    for (let n = 0; n < (reference & 15) + 2; n += 1) put(window[(place + n) % WINDOW] ?? 0);
  }
  return text.subarray(0, Math.min(to, bytes));
}
