import type { Kysely } from 'kysely';
import { findResult, type ResultQuery } from './repositories/results.ts';
import { kept } from './sqlite/kept-query.ts';
import { searchMessages } from './sqlite/search.ts';
import type { AttachmentRow, MessageRow, PersonaTables, Reader, ToolEventRow } from './tables.ts';
import type { Transact } from './transactions.ts';

const threadPage = kept<{ threadId: string; beforeSeq: number; limit: number }>()((db: Reader, $) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', $.threadId)
    .where('seq', '<', $.beforeSeq)
    .orderBy('seq', 'desc')
    .limit($.limit),
);
const knownOnThread = kept<{ threadId: string }>()((db: Reader, $) =>
  db
    .selectFrom('thread_participants')
    .select('address')
    .where('thread_id', '=', $.threadId)
    .where('role', '=', 'known')
    .limit(1000),
);

/** The part of the Store in which a run looks around: its thread, attachments, results, the files it made. */
export function reads(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  return {
    /** Messages of a thread, newest first, from before `beforeSeq`. */
    threadPage: (threadId: string, beforeSeq: number, limit: number): Promise<MessageRow[]> =>
      threadPage(db, { threadId, beforeSeq, limit }).then(({ rows }) => rows),

    /** Our newest mail of a thread. */
    lastSent: (threadId: string) =>
      db
        .selectFrom('messages')
        .select(['message_id', 'references_json'])
        .where('thread_id', '=', threadId)
        .where('direction', '=', 'out')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst(),

    /** Addresses that an owner put on the thread, or that we wrote to first. */
    async knownParticipants(threadId: string): Promise<ReadonlySet<string>> {
      const { rows } = await knownOnThread(db, { threadId });
      return new Set(rows.map(({ address }) => address));
    },

    toolEventsOfRuns: (runIds: readonly string[]): Promise<ToolEventRow[]> =>
      runIds.length === 0
        ? Promise.resolve([])
        : db.selectFrom('thread_tool_events').selectAll().where('run_id', 'in', runIds).orderBy('id').execute(),

    search: (options: { query: string; limit: number; participant: string | null }) =>
      transact((trx) => searchMessages(trx, options)),

    /** An attachment that `participant` may see; null stands for the owner, who may see all. */
    findAttachment: (id: string, participant: string | null): Promise<AttachmentRow | undefined> =>
      db
        .selectFrom('attachments')
        .innerJoin('messages', 'messages.id', 'attachments.message')
        .selectAll('attachments')
        .where('attachments.id', '=', id)
        .$if(participant !== null, (query) =>
          query.where((where) =>
            where.exists(
              where
                .selectFrom('thread_participants')
                .select('address')
                .whereRef('thread_participants.thread_id', '=', 'messages.thread_id')
                .where('thread_participants.address', '=', participant ?? ''),
            ),
          ),
        )
        .executeTakeFirst(),

    findResult: (query: ResultQuery) => findResult(db, query),

    async madeFileHash(path: string): Promise<string | null> {
      const row = await db.selectFrom('made_files').select('sha256').where('path', '=', path).executeTakeFirst();
      return row?.sha256 ?? null;
    },
    recordMadeFile: (path: string, sha256: string) =>
      transact(async (trx) => {
        await trx
          .insertInto('made_files')
          .values({ path, sha256 })
          .onConflict((conflict) => conflict.column('path').doUpdateSet({ sha256 }))
          .execute();
      }),
  };
}
