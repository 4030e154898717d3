import { EngineError, type WebCapability, type WebPage } from '#contract';
import { decodeText, kindOf } from './media-type.ts';

/** With what JSON adds, still below what the engine would cut a result to. */
const MAX_CHARACTERS = 15_000;

/** Format characters that no reader sees: bidi controls, zero-width spaces, tags; a way to hide orders in a page. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;
const CONTROL = /(?![\n\t])\p{Cc}/gu;

type Reader = Pick<WebCapability, 'readHtml' | 'readDocument'>;

interface Stretch {
  readonly title: string | null;
  readonly text: string;
  readonly total_chars: number;
  readonly next_offset: number | null;
  /** Of a document that has pages. */
  readonly pages?: string;
  /** Whether the source itself was not read to its end. */
  readonly cut: boolean;
}

/** A fetched page as text, from `offset` on. Throws `tool_failed` for an error status and for what is not text. */
export async function readPage(page: WebPage, reader: Reader, options: { offset: number; signal: AbortSignal }) {
  if (page.status >= 400) throw new EngineError('tool_failed', `the server answered with status ${page.status}`);
  const { url, status, contentType } = page;
  const read = isPdf(page) ? await readPdf(page, reader, options.offset) : await readText(page, reader, options);
  const { title, text, total_chars, next_offset, pages, cut } = read;
  return {
    url,
    status,
    content_type: contentType.slice(0, 200),
    title: title === null ? null : clean(title).replace(/\s+/g, ' ').slice(0, 300),
    text: text.toWellFormed(),
    total_chars,
    truncated: page.truncated || cut || next_offset !== null,
    ...(pages === undefined ? {} : { pages }),
    ...(next_offset === null ? {} : { next_offset }),
  };
}

async function readText(
  { contentType, body }: WebPage,
  reader: Reader,
  { offset, signal }: { readonly offset: number; readonly signal: AbortSignal },
): Promise<Stretch> {
  const kind = kindOf(contentType);
  if (!kind) {
    const type = JSON.stringify(contentType.slice(0, 100) || 'no type');
    throw new EngineError('tool_failed', `only text, HTML, JSON, XML and PDF can be read; the page is ${type}`);
  }
  const source = decodeText(body, contentType, kind);
  const read = kind === 'html' ? await reader.readHtml(source, signal) : { title: null, text: source, cut: false };
  const text = clean(read.text);
  const end = offset + MAX_CHARACTERS;
  return {
    title: read.title,
    text: text.slice(offset, end),
    total_chars: text.length,
    cut: read.cut,
    next_offset: end < text.length ? end : null,
  };
}

async function readPdf({ url, body, truncated }: WebPage, reader: Reader, offset: number): Promise<Stretch> {
  if (truncated) throw new EngineError('tool_failed', 'the PDF is larger than max_bytes, so it cannot be read');
  const name = URL.parse(url)?.pathname.split('/').at(-1) || 'page.pdf';
  const read = await reader.readDocument({ bytes: body, name, offset, limit: MAX_CHARACTERS });
  const { title, text, total_chars, next_offset, pages } = read;
  return { title, text: clean(text), total_chars, next_offset, cut: false, ...(pages === null ? {} : { pages }) };
}

/** By its first bytes: servers send PDF under other types as well. */
const isPdf = ({ contentType, body }: WebPage): boolean =>
  Buffer.from(body.subarray(0, 5)).toString('latin1') === '%PDF-' || /^application\/pdf\b/i.test(contentType.trim());

const clean = (text: string) => text.replaceAll('\r\n', '\n').replace(CONTROL, '').replace(INVISIBLE, '').trim();
