import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { KnowledgeStore } from '../../ports/knowledge.ts';
import { indexed } from '../../search/fold.ts';
import { hasWords, mostFirst, wordsOf } from '../../search/full-text.ts';
import { snippetOf } from '../../search/snippet.ts';
import { termsOf } from '../../search/terms.ts';
import type { KnowledgeSection } from '../../types/knowledge.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Transact } from '../database/transactions.ts';
import type { PersonaTables, Reader, Trx } from './schema/tables.ts';

/** Asked for each run. */
const allFiles = compiledQuery<object>()((db: Reader) => db.selectFrom('knowledge_files').selectAll().orderBy('path'));

/** What the owner put into `knowledge/`. Derived from files, so nothing waits for its flush. */
export function knowledgeOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): KnowledgeStore {
  return {
    knowledgeFiles: async () => (await allFiles(db, {})).rows,

    keepKnowledge: (file, sections) =>
      transact(async (trx) => {
        const { path, sha256, unreadable } = file;
        const before = await trx.selectFrom('knowledge_files').selectAll().where('path', '=', path).executeTakeFirst();
        await trx
          .insertInto('knowledge_files')
          .values(file)
          .onConflict((conflict) => conflict.column('path').doUpdateSet(file))
          .execute();
        if (before?.sha256 === sha256 && before.unreadable === unreadable) return;
        await deleteSections(trx, path);
        for (const [position, { title, text }] of sections.entries()) {
          const row = { path, position, title, text };
          const { id } = await trx
            .insertInto('knowledge_sections')
            .values(row)
            .returning('id')
            .executeTakeFirstOrThrow();
          await sql`insert into knowledge_fts (rowid, path, title, text)
            values (${id}, ${wordsOf(indexed(path))}, ${wordsOf(indexed(title))}, ${wordsOf(indexed(text))})`.execute(
            trx,
          );
        }
      }, 'normal'),

    forgetKnowledge: (paths) =>
      transact(async (trx) => {
        for (const path of paths) {
          await deleteSections(trx, path);
          await trx.deleteFrom('knowledge_files').where('path', '=', path).execute();
        }
      }, 'normal'),

    async findKnowledge({ query, limit }) {
      const terms = termsOf(query);
      if (terms.length === 0) return [];
      const matching = terms.map(({ expression }) => expression).join(' OR ');
      const { rows } = await sql<KnowledgeSection>`
        select ${COLUMNS} from knowledge_fts join knowledge_sections s on s.id = knowledge_fts.rowid
        join knowledge_files f on f.path = s.path
        where ${hasWords('knowledge_fts', matching)}
        order by ${mostFirst('knowledge_fts', [2, 4, 1], matching)}, s.id limit ${limit}`.execute(db);
      return rows.map(({ text, ...section }) => ({ ...section, snippet: snippetOf([text], terms) }));
    },

    async knowledgeSections(ids) {
      if (ids.length === 0) return [];
      const found = await sectionsWhere(db, sql`s.id in (${sql.join(ids)})`);
      return ids.flatMap((id) => found.filter((section) => section.id === id));
    },

    knowledgeTexts: (path) => sectionsWhere(db, path === null ? sql`true` : sql`s.path = ${path}`),
  };
}

async function deleteSections(trx: Trx, path: string): Promise<void> {
  await trx.deleteFrom('knowledge_sections').where('path', '=', path).execute();
}

const COLUMNS = sql.raw('s.id, s.path, s.title, s.text, f.sha256, f.changed_at, f.rewritten_at');

async function sectionsWhere(db: Reader, condition: RawBuilder<unknown>): Promise<readonly KnowledgeSection[]> {
  const { rows } = await sql<KnowledgeSection>`
    select ${COLUMNS} from knowledge_sections s join knowledge_files f on f.path = s.path
    where ${condition} order by s.path, s.position`.execute(db);
  return rows;
}
