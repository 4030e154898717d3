import { EngineError, type MailCapability } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Viewer } from '../../storage/types/mail.ts';

/** Earlier mail as the sender of the current one may see it. */
export function createMail(options: {
  store: Pick<Store, 'findAttachment' | 'search'>;
  artifacts: Blobs;
  viewer: Viewer;
  /** Message-ID of the mail that is answered. */
  current: string;
}): MailCapability {
  const { store, artifacts, viewer } = options;
  return {
    search: createMailSearch(options),

    async readAttachment({ id, offset, limit }) {
      const row = await store.findAttachment(id, viewer);
      if (!row) throw new EngineError('not_found', `there is no attachment ${id} in the mail that this sender may see`);
      if (row.text_sha256 === null) {
        throw new EngineError(
          'tool_failed',
          `${row.name} (${row.type}) cannot be read as text: ${row.unreadable ?? 'not a text type'}`,
        );
      }
      const text = Buffer.from(await artifacts.get(row.text_sha256)).toString('utf8');
      const end = endOfPage(text, offset, limit);
      return {
        id,
        name: row.name,
        type: row.type,
        bytes: row.bytes,
        text: text.slice(offset, end),
        total_chars: text.length,
        next_offset: end < text.length ? end : null,
      };
    },
  };
}

/**
 * The search of the mailbox with the eyes of `viewer`. Without the mail that is answered, which was the first result of
 * each search and has been read; null: none is.
 */
export function createMailSearch(options: {
  store: Pick<Store, 'search'>;
  viewer: Viewer;
  current: string | null;
}): MailCapability['search'] {
  const { store, viewer, current } = options;
  return async ({ query, limit }) => {
    const found = await store.search({ query, limit: limit + 1, viewer });
    const others = found.filter(({ message_id }) => message_id !== current).slice(0, limit);
    return others.map((row) => ({
      message_id: row.message_id,
      thread_id: row.thread_id,
      direction: row.direction,
      from: row.from_address ?? '',
      subject: row.subject,
      date: iso(row.received_at),
      snippet: row.snippet,
    }));
  };
}

/** The last line end within the page: a row of a table that was cut in two was read as two. */
function endOfPage(text: string, offset: number, limit: number): number {
  if (offset + limit >= text.length) return text.length;
  const line = text.lastIndexOf('\n', offset + limit - 1) + 1;
  if (line > offset) return line;
  // A line longer than the page; no character of it is cut in two.
  const end = offset + limit;
  return limit > 1 && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
