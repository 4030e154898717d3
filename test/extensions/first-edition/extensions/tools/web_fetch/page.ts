import { EngineError, type WebPage } from '#contract';
import { readableText } from './html.ts';
import { decodeText, kindOf } from './media-type.ts';

/** With what JSON adds, still below what the engine would cut a result to. */
const MAX_CHARACTERS = 15_000;

/** Format characters that no reader sees: bidi controls, zero-width spaces, tags; a way to hide orders in a page. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/** A fetched page as text. Throws `tool_failed` for an error status and for what is not text. */
export async function readPage(page: WebPage, signal: AbortSignal) {
  if (page.status >= 400) throw new EngineError('tool_failed', `the server answered with status ${page.status}`);
  const kind = kindOf(page.contentType);
  if (!kind) {
    const type = page.contentType.slice(0, 100) || 'no type';
    throw new EngineError(
      'tool_failed',
      `only text, HTML, JSON and XML can be read; the page is ${JSON.stringify(type)}`,
    );
  }
  const source = decodeText(page.body, page.contentType, kind);
  const read = kind === 'html' ? await readableText(source, signal) : { title: null, text: source, cut: false };
  const text = clean(read.text);
  return {
    url: page.url,
    status: page.status,
    content_type: page.contentType.slice(0, 200),
    title: read.title === null ? null : clean(read.title).replace(/\s+/g, ' ').slice(0, 300),
    text: text.slice(0, MAX_CHARACTERS).toWellFormed(),
    total_chars: text.length,
    truncated: page.truncated || read.cut || text.length > MAX_CHARACTERS,
  };
}

const clean = (text: string) => text.replaceAll('\r\n', '\n').replace(CONTROL, '').replace(INVISIBLE, '').trim();
