import { Readable, Transform } from 'node:stream';
import { type AttachmentStream, MailParser } from 'mailparser';
import { createQuotedPrintable } from './transfer.ts';

export interface TextPart {
  readonly type: 'text/plain' | 'text/html';
  readonly text: string;
  /** Which multipart/alternative it stands in, counted from 1; 0 outside of all. */
  readonly alternative: number;
}

export interface FilePart {
  readonly type: string;
  readonly name: string | null;
  readonly charset: string | null;
  readonly contentId: string | null;
  readonly inline: boolean;
  readonly content: Buffer;
}

export interface DecodedParts {
  readonly texts: readonly TextPart[];
  readonly files: readonly FilePart[];
  /** Whether a text was so long, or had so many lines, that its end was not decoded. */
  readonly cut: boolean;
}

/** More than is ever shown of a text. The parser turns the line breaks of a whole text in one step: 100 bytes for each. */
const MAX_TEXT_BYTES = 2_500_000;
const MAX_TEXT_LINES = 250_000;
/** Limits on all texts of a mail together. */
const MAX_TEXTS = { bytes: 6_000_000, lines: 500_000 };
const PIECE_BYTES = 64 * 1024;
const LF = 0x0a;

// Left to itself mailparser turns HTML to text and images to links in ways that take half a minute on 1 MB.
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  keepDeliveryStatus: true,
  // message/rfc822 stays one attachment; whose words are whose would be lost otherwise.
  ignoreEmbedded: true,
};

/** Decoded parts of a mail. Rejects where mailparser gives up; the caller has a plainer reader for those. */
export function decodeParts(raw: Buffer): Promise<DecodedParts> {
  const { promise, resolve, reject } = Promise.withResolvers<DecodedParts>();
  const parser = new MailParser(OPTIONS);
  const bounds = boundDecoders(parser);
  const files: FilePart[] = [];
  parser.on('error', reject);
  parser.on('data', (part) => {
    if (part.type !== 'attachment') return;
    const chunks: Buffer[] = [];
    part.content.on('data', (chunk: Buffer) => chunks.push(chunk));
    part.content.on('error', reject);
    // The parser waits for each attachment to be taken away before it reads on.
    part.content.on('end', () => {
      files.push(describeFile(part, Buffer.concat(chunks)));
      part.release();
    });
  });
  parser.on('end', () => resolve({ texts: textsOf(parser), files, cut: bounds.cut() }));
  // Its decoders take each piece as it comes.
  Readable.from(piecesOf(raw), { objectMode: false }).pipe(parser);
  return promise;
}

function* piecesOf(raw: Buffer): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += PIECE_BYTES) yield raw.subarray(at, at + PIECE_BYTES);
}

/**
 * The parser collects a text whole, however long it is, and decodes quoted-printable whole, with hundreds of bytes for
 * each escape. Both are bounded at its transfer decoders, as soon as there is one: whether a part is a text is its own
 * judgement, so that no trick with headers gets around this.
 */
function boundDecoders(parser: MailParser): { cut(): boolean } {
  const { splitter } = fields(parser);
  const known = new WeakSet<Transform>();
  const roomOfAll = { ...MAX_TEXTS };
  let cut = false;
  if (splitter instanceof Readable) {
    const read = splitter.read.bind(splitter);
    // It asks for the first piece of a body after it has made the decoder for it.
    splitter.read = (size) => {
      const { decoder, disposition } = fields(fields(parser).curnode);
      if (decoder instanceof Transform && !known.has(decoder)) {
        known.add(decoder);
        if (fields(decoder).qpChunks !== undefined) decodeInPieces(decoder);
        if (disposition === 'inline') boundText(decoder, roomOfAll, () => (cut = true));
      }
      return read(size);
    };
  }
  return { cut: () => cut };
}

function decodeInPieces(decoder: Transform): void {
  const decoding = createQuotedPrintable();
  decoder._transform = (piece: Buffer, _encoding, done) => done(null, decoding.write(piece));
  decoder._flush = (done) => done(null, decoding.end());
}

function boundText(decoder: Transform, roomOfAll: Room, cut: () => void): void {
  const push = decoder.push.bind(decoder);
  const room: Room = { bytes: MAX_TEXT_BYTES, lines: MAX_TEXT_LINES };
  decoder.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    const fits = takeRoom(roomOfAll, takeRoom(room, chunk));
    if (fits.length < chunk.length) cut();
    return fits.length === 0 || push(fits, encoding);
  };
}

interface Room {
  bytes: number;
  lines: number;
}

/** The start of the piece, as far as there is room for it. */
function takeRoom(room: Room, chunk: Buffer): Buffer {
  const within = chunk.subarray(0, room.bytes);
  let end = within.length;
  for (let at = within.indexOf(LF); at >= 0; at = within.indexOf(LF, at + 1)) {
    room.lines -= 1;
    if (room.lines > 0) continue;
    end = Math.max(0, at);
    room.bytes = 0;
    break;
  }
  room.bytes = Math.max(0, room.bytes - end);
  return within.subarray(0, end);
}

/** Damaged headers make the parser hand over something else than the text that its types promise. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function describeFile(part: AttachmentStream, content: Buffer): FilePart {
  const { params } = fields(part.headers.get('content-type'));
  const { charset } = fields(params);
  return {
    type: (textOf(part.contentType) ?? 'application/octet-stream').toLowerCase(),
    name: textOf(part.filename),
    charset: textOf(charset),
    contentId: textOf(part.cid),
    inline: Boolean(part.cid) && (part.related === true || part.contentDisposition === 'inline'),
    content,
  };
}

/**
 * Text parts one by one. The parser's own `text` and `html` glue parts together and lose which of them were
 * alternatives of each other, so its tree is read, whose shape is checked here because it is not its public face.
 */
function textsOf(parser: MailParser): TextPart[] {
  const texts: TextPart[] = [];
  let alternatives = 0;
  const visit = (node: unknown, alternative: number): void => {
    const { contentType: type, textContent: text, children } = fields(node);
    const inside = type === 'multipart/alternative' ? ++alternatives : alternative;
    if (typeof text === 'string' && (type === 'text/plain' || type === 'text/html')) {
      texts.push({ type, text, alternative: inside });
    }
    if (Array.isArray(children)) for (const child of children) visit(child, inside);
  };
  const { tree } = fields(parser);
  visit(tree, 0);
  return texts;
}

const NONE: Fields = {};
type Fields = Readonly<
  Partial<
    Record<
      | 'params'
      | 'charset'
      | 'contentType'
      | 'textContent'
      | 'children'
      | 'tree'
      | 'splitter'
      | 'curnode'
      | 'decoder'
      | 'disposition'
      | 'qpChunks',
      unknown
    >
  >
>;

/** Any object's fields, each of unknown type. */
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? value : NONE);
