import { type AttachmentStream, MailParser } from 'mailparser';

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
}

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
  parser.on('end', () => resolve({ texts: textsOf(parser), files }));
  parser.end(raw);
  return promise;
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
  Partial<Record<'params' | 'charset' | 'contentType' | 'textContent' | 'children' | 'tree', unknown>>
>;

/** Any object's fields, each of unknown type. */
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? value : NONE);
