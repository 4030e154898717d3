import { readContentType } from '../../../mail/mime/content-type.ts';
import { firstHeader, headerValues, readHeaders } from '../../../mail/mime/headers.ts';
import { dateOf } from './folder.ts';
import { fetchByUid, type ImapSession, searchUids } from './session.ts';

export interface Listed {
  readonly uid: number;
  readonly bytes: number;
  readonly internalDate: number;
  /** Somebody threw it away. */
  readonly isDeleted?: boolean;
}

/** UIDs past the cursor, oldest first. `n:*` always names the last mail, also when it is older (RFC 3501). */
export async function newUids(session: ImapSession, after: number): Promise<number[]> {
  const found = await searchUids(session, { uid: `${after + 1}:*` });
  return found.filter((uid) => uid > after);
}

/** Sizes before bodies. A UID that is not in the answer has been expunged in between. */
export async function listMail(session: ImapSession, range: string, now: number): Promise<Listed[]> {
  const found = await fetchByUid(session, range, { size: true, internalDate: true, flags: true });
  return found
    .map(({ uid, size, internalDate, flags }) => ({
      uid,
      bytes: size ?? 0,
      internalDate: dateOf(internalDate, now),
      ...(flags?.has('\\Deleted') ? { isDeleted: true } : {}),
    }))
    .toSorted((a, b) => a.uid - b.uid);
}

/**
 * Pure. Neighbours that are fetched by one command: at most `messages` of them and `bytes` in memory. A mail that
 * has failed before goes alone, so that it cannot take others with it.
 */
export function inBatches(
  mails: readonly Listed[],
  limits: { messages: number; bytes: number; hasFailed(uid: number): boolean },
): Listed[][] {
  const batches: Listed[][] = [];
  let batch: Listed[] = [];
  let bytes = 0;
  let isAlone = false;
  for (const mail of mails) {
    const hasFailed = limits.hasFailed(mail.uid);
    const isFull = batch.length >= limits.messages || bytes + mail.bytes > limits.bytes;
    if (batch.length > 0 && (isFull || hasFailed || isAlone)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(mail);
    bytes += mail.bytes;
    isAlone = hasFailed;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_unused, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/**
 * What a server says of a mail: it is this, it is not there any more, or it cannot say now. The last is no answer, whatever
 * it looks like: a server that is busy or is being moved hands out nothing, a part, or a text of its own, and some minutes
 * later the mail.
 */
type Said =
  | { readonly kind: 'is'; readonly raw: Uint8Array }
  | { readonly kind: 'is_not' }
  | { readonly kind: 'cannot_say'; readonly why: string };

/** Some servers tell the size by their own way of keeping mail, which may be several times what they hand out. */
const ABSURD_SHARE = 8;
const ABSURD_BYTES = 1024;

type Body = Exclude<Said, { readonly kind: 'is_not' }>;

const cannot = (why: string): Body => ({ kind: 'cannot_say', why });

/** What the server says of a mail for which it handed out `body`; where that is nothing, another answer tells whether it is gone. */
export async function readAnswer(
  session: ImapSession,
  mail: Pick<Listed, 'uid' | 'bytes'>,
  body: Uint8Array | undefined,
  most: number,
): Promise<Said> {
  if (body === undefined && !(await isListed(session, mail.uid))) return { kind: 'is_not' };
  return readBody(body, mail, most);
}

export const isListed = async (session: ImapSession, uid: number): Promise<boolean> =>
  (await searchUids(session, { uid: String(uid) })).includes(uid);

/**
 * Whether what a server handed out for a mail is that mail. `most`: no more bytes than these were asked for. By its structure
 * and its size alone. Pure.
 */
function readBody(body: Uint8Array | undefined, { bytes }: Pick<Listed, 'bytes'>, most: number): Body {
  if (body === undefined || body.byteLength === 0) return cannot('the server lists it and sends no content');
  const raw = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { lines, bodyStart } = readHeaders(raw);
  if (lines.length === 0) return cannot('what the server sends has no header');
  const expected = Math.min(bytes, most);
  const isLess = raw.length < expected;
  if (isLess && bodyStart >= raw.length) return cannot('the server sends a part of its header');
  // Whatever came by SMTP has Received; what was put into the folder names who wrote it. A server's own text does neither.
  const isOfSomebody = headerValues(lines, 'from').some((from) => from.includes('@'));
  if (!isOfSomebody && firstHeader(lines, 'received') === null) {
    return cannot('the server sends a text that no mail server passed on and nobody wrote');
  }
  if (!isLess) return { kind: 'is', raw: body };
  const isAbsurd = raw.length * ABSURD_SHARE < expected && expected - raw.length > ABSURD_BYTES;
  if (isAbsurd) return cannot(`the server sends ${raw.length} of ${bytes} bytes`);
  const { value, params } = readContentType(firstHeader(lines, 'content-type') ?? '');
  const boundary = most >= bytes && value.startsWith('multipart/') ? (params.get('boundary') ?? '') : '';
  const isOpen = boundary !== '' && !raw.includes(`--${boundary}--`, bodyStart, 'latin1');
  return isOpen
    ? cannot(`the server sends ${raw.length} of ${bytes} bytes, with an open end`)
    : { kind: 'is', raw: body };
}
