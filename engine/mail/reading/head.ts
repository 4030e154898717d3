import { sha256 } from '../../lib/ids.ts';
import type { Peer } from '../../lib/workers/pool.ts';
import type { ParsedMail } from '../mime/types.ts';
import type { MailParserPool } from './parse.ts';

const MAX_HEAD = 256 * 1024;

/**
 * What the headers alone say of a mail whose body could not be read: who is to be told, and under which Message-ID its
 * sender will ask for it. Null when there are no headers either.
 */
export async function parseHead(
  parser: Pick<MailParserPool, 'parse'>,
  raw: Uint8Array,
  from: { readonly peer?: Peer } = {},
): Promise<ParsedMail | null> {
  const outcome = await parser.parse(headOf(raw), from);
  if (!outcome.ok) return null;
  const { mail } = outcome;
  const own = mail.messageId !== contentId(mail.rawSha256);
  const hash = sha256(raw);
  const messageId = own ? mail.messageId : contentId(hash);
  // What is not read cannot be misread; and a seal is made over the words, too.
  const provable = { ...UNREAD, fault: mail.provable.fault };
  return { ...mail, rawSha256: hash, rawBytes: raw.byteLength, messageId, provable };
}

const UNREAD = { contentType: true, transferEncoding: true, disposition: true, seal: null };

/** What is known of a mail that has no headers: its bytes. */
export function headless(raw: Uint8Array): ParsedMail {
  const hash = sha256(raw);
  return {
    rawSha256: hash,
    rawBytes: raw.byteLength,
    messageId: contentId(hash),
    from: { kind: 'missing' },
    provable: { ...UNREAD, fault: 'it has no header' },
    to: [],
    cc: [],
    replyTo: [],
    deliveredTo: [],
    subject: '',
    date: null,
    dateHeader: '',
    inReplyTo: [],
    references: [],
    headers: [],
    reaction: false,
    text: '',
    newText: '',
    typedTokens: [],
    quotedText: '',
    signature: '',
    forwardedText: '',
    pieces: [],
    isCut: false,
    otherPieces: null,
    hiddenCharacters: 0,
    attachments: [],
    limitations: [],
  };
}

/** The id of a mail that brings none. */
export const contentId = (hash: string): string => `<sha256-${hash.slice(0, 32)}@content.invalid>`;

/** Up to the first blank line. */
function headOf(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, MAX_HEAD));
  const ends = ['\r\n\r\n', '\n\n'].flatMap((end) => {
    const at = bytes.indexOf(end);
    return at < 0 ? [] : [at + end.length];
  });
  return bytes.subarray(0, Math.min(bytes.length, ...ends));
}
