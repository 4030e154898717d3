import type { Found } from './vendors.ts';

const MAX_TITLE = 200;
const MAX_SNIPPET = 500;
const MAX_URL = 2000;

/** Format characters that no reader sees, and tags that a vendor puts around the words that were searched for. */
const UNSEEN =
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u{e0001}|[\u{e0020}-\u{e007f}]|<\/?(?:strong|b|em)>/gu;

export interface Result {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** ISO 8601, a day. */
  readonly date?: string;
}

/** What a model is shown: pages of the web alone, each once, in the vendor's order. */
export function shownResults(found: readonly Found[], limit: number): Result[] {
  const byUrl = new Map<string, Result>();
  for (const { title, url, text, date } of found) {
    const address = webAddress(url);
    if (address === null || byUrl.has(address)) continue;
    if (byUrl.size >= limit) break;
    const day = dayOf(date);
    byUrl.set(address, {
      title: line(title, MAX_TITLE),
      url: address,
      snippet: line(text, MAX_SNIPPET),
      ...(day === null ? {} : { date: day }),
    });
  }
  return [...byUrl.values()];
}

/** In the spelling in which it can be fetched. A URL that is cut leads elsewhere, so a long one is left out. */
function webAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  return url.username || url.password || url.href.length > MAX_URL ? null : url.href;
}

const line = (text: string, most: number): string =>
  text
    .slice(0, most * 4)
    .replace(UNSEEN, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed();

function dayOf(date: string | null): string | null {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(date ?? '') ?? [];
  if (day !== undefined) return day;
  const at = Date.parse(date ?? '');
  return Number.isFinite(at) ? new Date(at).toISOString().slice(0, 10) : null;
}
