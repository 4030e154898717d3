import { Readable, Transform } from 'node:stream';
import { type AttachmentStream, MailParser } from 'mailparser';
import { decodeText } from '../charset/charset.ts';
import { unflow } from '../text/lines.ts';
import { readParams } from './content-type.ts';
import { readHeaders } from './headers.ts';
import { createBase64Sorter, createQuotedPrintable } from './transfer.ts';
import { readableValue } from './words.ts';

export interface TextPart {
  readonly type: 'text/plain' | 'text/html';
  readonly text: string;
  /** False where its charset was guessed, or some of it could not be decoded. */
  readonly exact: boolean;
  /** Which multipart/alternative it stands in, counted from 1; 0 outside of all. */
  readonly alternative: number;
  readonly place: TextPlace;
}

/**
 * What a text is to a mail: it can be the letter, or go on with the letter behind a file that was put between them, or it is
 * a part of its own.
 */
export type TextPlace = 'letter' | 'behind_file' | 'own';

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
  /** The charsets of its texts, by which raw bytes of its header are read. */
  readonly charsets: readonly string[];
}

/** More than is ever shown of a text. The line breaks of a whole text are turned in one step: 100 bytes for each. */
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

/**
 * Decoded parts of a mail. `near`: charsets that its header names. Rejects where mailparser gives up; the caller has a
 * plainer reader for those.
 */
export function decodeParts(raw: Buffer, near: readonly string[] = []): Promise<DecodedParts> {
  const { promise, resolve, reject } = Promise.withResolvers<DecodedParts>();
  const parser = new MailParser(OPTIONS);
  const taken = takeTexts(parser);
  const files: { readonly part: AttachmentStream; readonly node: Fields; readonly content: Buffer }[] = [];
  parser.on('error', reject);
  parser.on('data', (part) => {
    if (part.type !== 'attachment') return;
    const chunks: Buffer[] = [];
    // It waits here until the file is taken away, so this is its part.
    const node = fields(fields(parser).curnode);
    part.content.on('data', (chunk: Buffer) => chunks.push(chunk));
    part.content.on('error', reject);
    // The parser waits for each attachment to be taken away before it reads on.
    part.content.on('end', () => {
      files.push({ part, node, content: Buffer.concat(chunks) });
      part.release?.();
    });
  });
  parser.on('end', () => {
    try {
      const { texts, charsets } = textsOf(parser, taken.bytesOf, near);
      const described = files.map(({ part, node, content }) => describeFile(part, node, content, charsets));
      resolve({ texts, files: described, cut: taken.cut(), charsets });
    } catch (error) {
      reject(error);
    }
  });
  // Its decoders take each piece as it comes.
  Readable.from(piecesOf(raw), { objectMode: false }).pipe(parser);
  return promise;
}

function* piecesOf(raw: Buffer): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += PIECE_BYTES) yield raw.subarray(at, at + PIECE_BYTES);
}

/**
 * The parser collects a text whole, however long it is, decodes quoted-printable whole, with hundreds of bytes for each
 * escape, and reads each text by its own label alone. So the bytes are taken away at its transfer decoders, as soon as
 * there is one, as far as there is room for them: whether a part is a text is its own judgement, so that no trick with
 * headers gets around this.
 */
function takeTexts(parser: MailParser): { cut(): boolean; bytesOf(node: unknown): Buffer | null } {
  const { splitter } = fields(parser);
  const known = new WeakMap<Transform, Buffer[]>();
  const roomOfAll = { ...MAX_TEXTS };
  let cut = false;
  if (splitter instanceof Readable) {
    const read = splitter.read.bind(splitter);
    // It asks for the first piece of a body after it has made the decoder for it.
    splitter.read = (size) => {
      const { decoder, isAttachment, encoding } = fields(fields(parser).curnode);
      if (decoder instanceof Transform && !known.has(decoder)) {
        const taken: Buffer[] = [];
        known.set(decoder, taken);
        if (fields(decoder).qpChunks !== undefined) decodeInPieces(decoder);
        if (isAttachment === false && encoding === 'base64') endAtFooter(decoder);
        if (isAttachment === false) takeText(decoder, taken, roomOfAll, () => (cut = true));
      }
      return read(size);
    };
  }
  const bytesOf = (node: unknown) => {
    const { decoder, isAttachment } = fields(node);
    const taken = decoder instanceof Transform && isAttachment === false ? known.get(decoder) : undefined;
    return taken ? Buffer.concat(taken) : null;
  };
  return { cut: () => cut, bytesOf };
}

function decodeInPieces(decoder: Transform): void {
  const decoding = createQuotedPrintable();
  decoder._transform = (piece: Buffer, _encoding, done) => done(null, decoding.write(piece));
  decoder._flush = (done) => done(null, decoding.end());
}

/** Its own decoder makes letters of whatever stands below. */
function endAtFooter(decoder: Transform): void {
  const sort = createBase64Sorter();
  const decode = decoder._transform.bind(decoder);
  const flush = decoder._flush.bind(decoder);
  const plain: Buffer[] = [];
  decoder._transform = (piece: Buffer, encoding, done) => {
    const sorted = sort(piece);
    if (sorted.plain.length > 0) plain.push(sorted.plain);
    if (sorted.coded.length === 0) done();
    else decode(sorted.coded, encoding, done);
  };
  decoder._flush = (done) =>
    flush((error) => {
      for (const [index, piece] of plain.entries()) {
        if (index === 0) decoder.push(Buffer.from('\n'));
        decoder.push(piece);
      }
      done(error);
    });
}

function takeText(decoder: Transform, taken: Buffer[], roomOfAll: Room, cut: () => void): void {
  const push = decoder.push.bind(decoder);
  const room: Room = { bytes: MAX_TEXT_BYTES, lines: MAX_TEXT_LINES };
  decoder.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    const fits = takeRoom(roomOfAll, takeRoom(room, chunk));
    if (fits.length < chunk.length) cut();
    if (fits.length > 0) taken.push(fits);
    return true;
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

function describeFile(part: AttachmentStream, node: Fields, content: Buffer, near: readonly string[]): FilePart {
  return {
    type: (textOf(part.contentType) ?? 'application/octet-stream').toLowerCase(),
    name: rawName(node, near) ?? textOf(part.filename),
    charset: textOf(node.charset),
    contentId: textOf(part.cid),
    inline: Boolean(part.cid) && (part.related === true || part.contentDisposition === 'inline'),
    content,
  };
}

/** A name in bytes of a charset that the header of its part does not say; null for any other. */
function rawName(node: Fields, near: readonly string[]): string | null {
  const { headers } = fields(node.node);
  const { build } = fields(headers);
  const bytes: unknown = typeof build === 'function' ? build.call(headers) : null;
  if (!Buffer.isBuffer(bytes)) return null;
  const lines = readHeaders(bytes, 0, undefined, 'part').lines.filter(({ raw }) => raw);
  for (const [header, param] of [
    ['content-disposition', 'filename'],
    ['content-type', 'name'],
  ] as const) {
    const line = lines.find(({ name }) => name === header);
    const name = line ? readParams(readableValue(line, near)).params.get(param) : undefined;
    if (name) return name;
  }
  return null;
}

/** How many texts are looked at for the shape of their bytes; those behind them are read as these. */
const MAX_SHAPES = 20;

/**
 * Text parts one by one. The parser's own `text` and `html` glue parts together and lose which of them were
 * alternatives of each other, so its tree is read, whose shape is checked here because it is not its public face.
 */
function textsOf(parser: MailParser, bytesOf: (node: unknown) => Buffer | null, named: readonly string[]) {
  const found: { readonly type: TextPart['type']; readonly node: Fields; readonly alternative: number }[] = [];
  let alternatives = 0;
  const labels: string[] = [];
  const visit = (node: unknown, alternative: number): void => {
    const { contentType: type, textContent: text, charset, children } = fields(node);
    const inside = type === 'multipart/alternative' ? ++alternatives : alternative;
    if (typeof charset === 'string') labels.push(charset);
    if (typeof text === 'string' && (type === 'text/plain' || type === 'text/html')) {
      found.push({ type, node: fields(node), alternative: inside });
    }
    if (Array.isArray(children)) for (const child of children) visit(child, inside);
  };
  const { tree } = fields(parser);
  visit(tree, 0);
  const near = [...new Set([...labels, ...named])].slice(0, 10);
  const charsets = new Set<string>();
  const texts = found.map(({ type, node, alternative }, index): TextPart => {
    // Bytes that were not taken away are in the text that the parser has made of them.
    const read = decodeText(bytesOf(node) ?? Buffer.from(textOf(node.textContent) ?? ''), {
      label: textOf(node.charset),
      isMarkup: type === 'text/html',
      near: index < MAX_SHAPES ? near : [...near, ...charsets],
      byShape: index < MAX_SHAPES,
    });
    charsets.add(read.charset);
    const lines = read.text.replace(/\r?\n/g, '\n');
    const { flowed, delSp } = fields(node.node);
    const text = flowed === true && type === 'text/plain' ? unflow(lines, delSp === true) : lines;
    // Which it is its place among the other parts tells.
    return { type, text, exact: read.exact, alternative, place: 'letter' };
  });
  return { texts, charsets: [...new Set([...near, ...charsets])] };
}

const NONE: Fields = {};
type Fields = Readonly<
  Partial<
    Record<
      | 'charset'
      | 'contentType'
      | 'textContent'
      | 'children'
      | 'tree'
      | 'splitter'
      | 'curnode'
      | 'decoder'
      | 'isAttachment'
      | 'encoding'
      | 'qpChunks'
      | 'node'
      | 'flowed'
      | 'delSp'
      | 'headers'
      | 'build',
      unknown
    >
  >
>;

/** Any object's fields, each of unknown type. */
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? value : NONE);
