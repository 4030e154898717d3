// All that a run, or a mail that arrives, looks around at: one list of reads.

import { type Kysely, sql } from 'kysely';
import { asFlag, eachText } from '../../dialect.ts';
import type { QuotableMail, ResultQuery } from '../../ports/mail.ts';
import type { AuditRecord } from '../../types/approvals.ts';
import type {
  DocumentKey,
  FoundAttachment,
  FoundMessages,
  MailSearch,
  OpenedMessage,
  SeenMessage,
  StoredAttachment,
  StoredDocument,
  Viewer,
} from '../../types/mail.ts';
import type { EpisodeSearch } from '../../types/recall.ts';
import type { StoredToolEvent } from '../../types/runs.ts';
import type { ThreadsWanted } from '../../types/thread-overview.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { isSeenBy, isShared } from '../database/seen-by.ts';
import type { Transact } from '../database/transactions.ts';
import { audit, auditOnce } from '../repositories/approvals.ts';
import { attachmentsOf, privateSince } from '../repositories/arrivals.ts';
import { eraseLearned } from '../repositories/facts/change.ts';
import { emptyLogOf } from '../repositories/facts/securely.ts';
import { eraseSummaries, threadsToldOf } from '../repositories/summaries/erase.ts';
import { compactIndex, mergeIndex, zeroFreePages } from '../search/compact-index.ts';
import { episodesAt } from '../search/episodes.ts';
import { findMail } from '../search/find-mail.ts';
import { likelyEpisodes, nothingKnown } from '../search/recall-mail.ts';
import {
  filesToIndex,
  forgetIndex,
  forgetInIndex,
  indexFiles,
  indexMessages,
  indexThreadAnew,
  isBehind,
} from '../search/write-index.ts';
import { wroteItself } from '../search/wrote-itself.ts';
import { findResult } from './results.ts';
import { messageOf, referencesOf } from './schema/rows.ts';
import type { PersonaTables, Reader } from './schema/tables.ts';
import { seenThreads } from './thread-overview.ts';

/** Of the attachment in the query around it. */
const newerOf = (viewer: Viewer) => sql<string | null>`(
  select later.id from messages old
    join messages m on m.thread_id = old.thread_id and m.seq > old.seq
    join attachments later on later.message = m.id
  where old.id = attachments.message and lower(later.name) = lower(attachments.name)
    and later.sha256 <> attachments.sha256 and ${isSeenBy(viewer)}
  order by m.seq desc limit 1)`;

const threadPage = compiledQuery<{ threadId: string; beforeSeq: number; limit: number }>()((db: Reader, $) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', $.threadId)
    .where('seq', '<', $.beforeSeq)
    .orderBy('seq', 'desc')
    .limit($.limit),
);
/** By the viewer's own rows: what lies between two messages of theirs is never read. */
export const pageOfViewer = compiledQuery<{ threadId: string; address: string; beforeSeq: number; limit: number }>()(
  (db: Reader, $) =>
    db
      .selectFrom('message_viewers')
      .innerJoin('messages', 'messages.seq', 'message_viewers.seq')
      .leftJoin('runs', 'runs.id', 'messages.run_id')
      .leftJoin('messages as asked', 'asked.id', 'runs.message')
      .selectAll('messages')
      .select('asked.seq as asked_seq')
      .where('message_viewers.thread_id', '=', $.threadId)
      .where('message_viewers.address', '=', $.address)
      .where('message_viewers.seq', '<', $.beforeSeq)
      .orderBy('message_viewers.seq', 'desc')
      .limit($.limit),
);
/** What all of several may see. */
async function pageOfSeveral(
  db: Reader,
  { threadId, beforeSeq, limit }: { readonly threadId: string; readonly beforeSeq: number; readonly limit: number },
  viewer: Viewer,
): Promise<SeenMessage[]> {
  const rows = await db
    .selectFrom('messages as m')
    .leftJoin('runs', 'runs.id', 'm.run_id')
    .leftJoin('messages as asked', 'asked.id', 'runs.message')
    .selectAll('m')
    .select('asked.seq as asked_seq')
    .where('m.thread_id', '=', threadId)
    .where('m.seq', '<', beforeSeq)
    .where(isSeenBy(viewer))
    .orderBy('m.seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => messageOf(row));
}
/** Asked for all of them at once; of most there are none. */
const filesOfPage = compiledQuery<{ keys: string }>()(
  (_: Reader, $) => sql<StoredAttachment>`
    select a.* from ${eachText($.keys, 'one')} join attachments a on a.message = one.value order by a.message, a.position`,
);
async function withFiles(db: Reader, rows: readonly SeenMessage[]): Promise<SeenMessage[]> {
  if (rows.length === 0) return [];
  const { rows: found } = await filesOfPage(db, { keys: JSON.stringify(rows.map(({ id }) => id)) });
  const files = Map.groupBy(found, ({ message }) => message);
  return rows.map((row) => (files.has(row.id) ? { ...row, files: files.get(row.id) ?? [] } : row));
}
const countOfViewer = compiledQuery<{ threadId: string; address: string; limit: number }>()((db: Reader, $) =>
  db
    .selectFrom(
      db
        .selectFrom('message_viewers')
        .select('seq')
        .where('thread_id', '=', $.threadId)
        .where('address', '=', $.address)
        .limit($.limit)
        .as('seen'),
    )
    .select((query) => query.fn.countAll<number>().as('count')),
);
/** Nobody needs to know of more; counting on would make each mail of a long thread cost more. */
const MAX_COUNTED = 1000;
const knownOnThread = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db
    .selectFrom('thread_participants')
    .select('address')
    .where('thread_id', '=', $.threadId)
    .where('role', '=', 'known')
    .limit(1000),
);

/** Each address has few mails of one thread; of somebody who has many, the newest tell. */
const shownWith = compiledQuery<{ threadId: string; reader: string; keys: string }>()(
  (_: Reader, $) => sql<{ address: string }>`
    select one.value as address from ${eachText($.keys, 'one')}
    where exists (
      select 1 from (
        select seq from message_viewers where thread_id = ${$.threadId} and address = one.value
        order by seq desc limit 200) named
      join message_viewers seen on seen.thread_id = ${$.threadId} and seen.address = ${$.reader}
        and seen.seq = named.seq)`,
);

/** Older mail of a thread is hardly ever quoted by itself. */
const NEWEST_QUOTABLE = 50;

type FoundQuotable = Omit<QuotableMail, 'isOwn' | 'isOurs'> & { readonly isOwn: number; readonly isOurs: number };

const quotable = compiledQuery<{ threadId: string; sender: string }>()(
  (_: Reader, $) => sql<FoundQuotable>`
    select m.seq, m.message_id, m.from_address,
      ${asFlag(sql`m.direction = 'in' and m.from_address = ${$.sender} and m.tier <> 'unauthenticated'`)} as "isOwn",
      ${asFlag(sql`m.direction = 'out'`)} as "isOurs", w.words,
      case when w.words is null then m.text end as text
    from (select seq from message_viewers where thread_id = ${$.threadId} and address = ${$.sender}
      order by seq desc limit ${sql.lit(NEWEST_QUOTABLE)}) seen
    join messages m on m.seq = seen.seq
    left join message_words w on w.seq = m.seq`,
);

const INDEXED_BEFORE_A_SEARCH = 2000;

/** The part of the Store in which a run looks around: its thread, attachments, results, the files it made. */
export function reads(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  // What is lost of the index with a failing machine is only taken into it again.
  const known = nothingKnown();
  const indexMail = (limit: number) => transact((trx) => indexMessages(trx, limit), 'normal');
  const catchUp = async () => {
    if (await isBehind(db)) await indexMail(INDEXED_BEFORE_A_SEARCH);
  };
  return {
    async quotableMails(threadId: string, sender: string): Promise<readonly QuotableMail[]> {
      const { rows } = await quotable(db, { threadId, sender });
      return rows.map(({ isOwn, isOurs, ...row }) => ({ ...row, isOwn: isOwn === 1, isOurs: isOurs === 1 }));
    },
    /** Messages of a thread that the viewer may see, newest first, from before `beforeSeq`. */
    async threadPage(threadId: string, beforeSeq: number, limit: number, viewer: Viewer): Promise<SeenMessage[]> {
      const page = { threadId, beforeSeq, limit };
      if (isShared(viewer)) return withFiles(db, await pageOfSeveral(db, page, viewer));
      const found = viewer ? pageOfViewer(db, { ...page, address: viewer.address }) : threadPage(db, page);
      return withFiles(
        db,
        (await found).rows.map((row) => messageOf(row)),
      );
    },
    /** Those of the addresses that stand in a mail of the thread which the reader sent or was sent, in lower case. */
    shownWith: async (asked: {
      threadId: string;
      reader: string;
      addresses: readonly string[];
    }): Promise<ReadonlySet<string>> => {
      const { threadId, reader, addresses } = asked;
      const { rows } = await shownWith(db, { threadId, reader, keys: JSON.stringify(addresses.slice(0, 100)) });
      return new Set(rows.map(({ address }) => address));
    },
    /** How many messages of a thread the viewer may see, counted up to a thousand. */
    async countSeen(threadId: string, viewer: NonNullable<Viewer>): Promise<number> {
      const { address } = viewer;
      if (isShared(viewer)) {
        const seen = sql<{ count: number }>`select count(*) as count from (
          select 1 from messages m where m.thread_id = ${threadId} and ${isSeenBy(viewer)} limit ${MAX_COUNTED}) seen`;
        return (await seen.execute(db)).rows[0]?.count ?? 0;
      }
      const { rows } = await countOfViewer(db, { threadId, address, limit: MAX_COUNTED });
      return rows[0]?.count ?? 0;
    },

    /** Our newest mail of a thread. */
    lastSent: async (threadId: string) => {
      const row = await db
        .selectFrom('messages')
        .select(['message_id', 'references_json'])
        .where('thread_id', '=', threadId)
        .where('direction', '=', 'out')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && { message_id: row.message_id, references: referencesOf(row) };
    },

    /** Addresses that an owner put on the thread, or that we wrote to first. */
    async knownParticipants(threadId: string): Promise<ReadonlySet<string>> {
      const { rows } = await knownOnThread(db, { threadId });
      return new Set(rows.map(({ address }) => address));
    },

    toolEventsOfRuns: (runIds: readonly string[]): Promise<StoredToolEvent[]> =>
      runIds.length === 0
        ? Promise.resolve([])
        : db.selectFrom('thread_tool_events').selectAll().where('run_id', 'in', runIds).orderBy('id').execute(),

    search: async (wanted: MailSearch): Promise<FoundMessages> => {
      await catchUp();
      return findMail(db, wanted);
    },
    seenThreads: (wanted: ThreadsWanted) => seenThreads(db, wanted),
    likelyEpisodes: (wanted: EpisodeSearch) => likelyEpisodes(db, wanted, known),
    episodesAt: (seqs: readonly number[], viewer: Viewer) => episodesAt(db, seqs, viewer),
    indexMail,
    filesToIndex: (limit: number) => filesToIndex(db, limit),
    indexFiles: (seq: number, texts: readonly string[]) => transact((trx) => indexFiles(trx, seq, texts), 'normal'),
    async setThreadPrivate(threadId: string, since: number | null, told: readonly AuditRecord[] = []): Promise<void> {
      const hasErased = await transact(async (trx) => {
        const before = await privateSince(trx, threadId);
        if (before === undefined) return false;
        await audit(trx, told);
        if ((before === null) !== (since === null)) {
          await trx.updateTable('threads').set({ private_since: since }).where('id', '=', threadId).execute();
          await indexThreadAnew(trx, threadId);
        }
        return since !== null && eraseLearned(trx, threadId);
      });
      if (hasErased) await emptyLogOf(db);
    },
    setThreadTaken: (
      threadId: string,
      taken: { readonly by: string; readonly at: number } | null,
      told: AuditRecord,
    ): Promise<boolean> =>
      transact(async (trx) => {
        const changed = await trx
          .updateTable('threads')
          .set({ taken_by: taken?.by ?? null, taken_at: taken?.at ?? null })
          .where('id', '=', threadId)
          .where('taken_by', taken === null ? 'is not' : 'is', null)
          .executeTakeFirst();
        if (changed.numUpdatedRows === 0n) return false;
        await auditOnce(trx, told);
        return true;
      }),
    forgetIndex: () => transact(forgetIndex),
    async forgetInIndex(wanted: { readonly messages: readonly number[] } | { readonly person: string }) {
      await transact(async (trx) => {
        await forgetInIndex(trx, wanted);
        await eraseSummaries(trx, await threadsToldOf(trx, wanted));
      });
      await zeroFreePages(transact);
      await emptyLogOf(db);
    },
    compactIndex: (isFirst: boolean) => transact((trx) => compactIndex(trx, isFirst)),
    mergeIndex: (isFirst: boolean) => transact((trx) => mergeIndex(trx, isFirst), 'normal'),
    async zeroFreePages(): Promise<void> {
      await zeroFreePages(transact);
      await emptyLogOf(db);
    },
    wroteItself: async (url: string): Promise<boolean> => {
      await catchUp();
      return wroteItself(db, url);
    },

    openMail: async (messageId: string, viewer: Viewer): Promise<OpenedMessage | undefined> => {
      const row = await db
        .selectFrom('messages as m')
        .selectAll('m')
        .where('m.message_id', '=', messageId)
        .where(isSeenBy(viewer))
        .orderBy('m.seq')
        .limit(1)
        .executeTakeFirst();
      return row && { message: messageOf(row), attachments: await attachmentsOf(db, row.id) };
    },

    /** An attachment of a message that the viewer may see. */
    findAttachment: (id: string, viewer: Viewer): Promise<FoundAttachment | undefined> =>
      db
        .selectFrom('attachments')
        .innerJoin('messages as m', 'm.id', 'attachments.message')
        .selectAll('attachments')
        .select(newerOf(viewer).as('newer'))
        .where('attachments.id', '=', id)
        .where(isSeenBy(viewer))
        .executeTakeFirst(),

    findDocument: ({ sha256, part, hint }: DocumentKey): Promise<StoredDocument | undefined> =>
      db
        .selectFrom('documents')
        .selectAll()
        .where('sha256', '=', sha256)
        .where('part', '=', part)
        .where('hint', '=', hint)
        .executeTakeFirst(),
    keepDocument: (document: StoredDocument): Promise<void> =>
      transact(async (trx) => {
        await trx
          .insertInto('documents')
          .values(document)
          .onConflict((conflict) => conflict.columns(['sha256', 'part', 'hint']).doUpdateSet(document))
          .execute();
      }, 'normal'),

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
