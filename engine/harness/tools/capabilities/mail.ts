import { EngineError, type MailCapability } from '#contract';
import { iso } from '../../../lib/clock.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import type { Store, Viewer } from '../../../storage/store.ts';

/** Earlier mail as the sender of the current one may see it. */
export function createMail(options: { store: Store; artifacts: Blobs; viewer: Viewer }): MailCapability {
  const { store, artifacts, viewer } = options;
  return {
    async search({ query, limit }) {
      const found = await store.search({ query, limit, viewer });
      return found.map((row) => ({
        message_id: row.message_id,
        thread_id: row.thread_id,
        direction: row.direction,
        from: row.from_address ?? '',
        subject: row.subject,
        date: iso(row.received_at),
        snippet: row.snippet,
      }));
    },

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
      const end = Math.min(text.length, offset + limit);
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
