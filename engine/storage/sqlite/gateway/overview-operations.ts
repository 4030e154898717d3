import type { Kysely } from 'kysely';
import { type KeptOverview, OVERVIEW_FORMAT, type Overview } from '../../types/overview.ts';
import type { Transact } from '../database/transactions.ts';
import type { GatewayTables } from './tables.ts';

/** The overviews of all personas. A row that is lost is made again, so nothing of it has to be on disk before all else. */
export function overviewOperations(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    async keptOverviews(): Promise<KeptOverview[]> {
      const rows = await db
        .selectFrom('overviews')
        .select(['persona_id', 'stamp', 'overview_json'])
        .where('format', '=', OVERVIEW_FORMAT)
        .execute();
      return rows.flatMap(({ persona_id: personaId, stamp, overview_json: json }) => {
        const overview = read(json);
        return overview === null ? [] : [{ personaId, stamp, overview }];
      });
    },

    keepOverviews: (kept: readonly KeptOverview[]): Promise<void> =>
      transact(async (trx) => {
        for (const { personaId, stamp, overview } of kept) {
          const row = { format: OVERVIEW_FORMAT, stamp, overview_json: JSON.stringify(overview) };
          await trx
            .insertInto('overviews')
            .values({ persona_id: personaId, ...row })
            .onConflict((conflict) => conflict.column('persona_id').doUpdateSet(row))
            .execute();
        }
      }, 'normal'),

    noteChanged: (personaId: string): Promise<void> =>
      transact(async (trx) => {
        const row = { persona_id: personaId };
        await trx
          .insertInto('changed_personas')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }, 'normal'),

    takeChanged: (): Promise<string[]> =>
      transact(async (trx) => {
        const rows = await trx.deleteFrom('changed_personas').returning('persona_id').execute();
        return rows.map(({ persona_id }) => persona_id);
      }, 'normal'),
  };
}

/** Rows of this format were written by this code alone; one that is no JSON counts as none, and its persona is read. */
function read(json: string): Overview | null {
  try {
    const overview: Overview = JSON.parse(json);
    return overview;
  } catch {
    return null;
  }
}
