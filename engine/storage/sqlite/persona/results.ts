import { type Kysely, sql } from 'kysely';
import { contains, jsonText } from '../../dialect.ts';
import type { ResultQuery, StoredResult } from '../../ports/mail.ts';
import type { PersonaTables } from './schema/tables.ts';

/**
 * The result that a reference of this thread stands for. Fields are compared, never the text of a row: a result
 * that only mentions a hash (or the beginning of one, as it is kept with a thread), because somebody wrote it into a mail, must not open what lies behind it.
 */
export async function findResult(
  db: Kysely<PersonaTables>,
  { threadId, ref, asker, runId }: ResultQuery,
): Promise<StoredResult | undefined> {
  const row = await db
    .selectFrom('runs')
    .innerJoin('run_events as seen', 'seen.run_id', 'runs.id')
    .select('seen.payload_json')
    .where('runs.thread_id', '=', threadId)
    .$if(asker !== null, (query) =>
      query.where('runs.sender', '=', asker?.address ?? '').where('runs.tier', '=', asker?.tier ?? 'stranger'),
    )
    .$if(runId !== undefined, (query) => query.where('runs.id', '=', runId ?? ''))
    .where('seen.type', '=', 'observation')
    // Reading a payload as JSON takes longer than to see that it cannot be the one.
    .where(contains(sql`seen.payload_json`, ref))
    .where(sql<boolean>`substr(${jsonText(sql`seen.payload_json`, 'ref')}, 1, ${sql.lit(ref.length)}) = ${ref}`)
    .executeTakeFirst();
  if (!row) return undefined;
  const { artifact }: { readonly artifact: string | null } = JSON.parse(row.payload_json);
  return artifact === null ? { observation: row.payload_json } : { artifact };
}
