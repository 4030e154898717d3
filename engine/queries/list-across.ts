import { DAY_MS } from '../lib/time.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Overview } from '../storage/types/overview.ts';
import { personaNamed } from './find-across.ts';
import type { QueryPorts } from './ports.ts';

/** Which rows are wanted, newest first. */
export interface Page {
  readonly limit: number;
  /** Go on after this id, which is `next` of the page before. */
  readonly after?: string | undefined;
  readonly persona?: string | undefined;
  readonly status?: string | undefined;
}

/** What is listed: `of` names the id beyond which a persona has none that fits; null: it has none at all. */
interface Listed<Row> {
  of(overview: Overview, status: string | undefined): string | null;
  read(store: Store, page: Pick<Page, 'limit' | 'after' | 'status'>): Promise<Row[]>;
}

/**
 * The newest rows over all personas: ids sort by time, so each persona's own page is enough to merge from. Personas are
 * opened in the order of their newest ids, until what is left is older than all that is shown.
 */
export async function listAcross<Row extends { id: string }>(
  ports: QueryPorts,
  { limit, after, persona: only, status }: Page,
  { of, read }: Listed<Row>,
): Promise<{ rows: { persona: string; row: Row }[]; next: string | null }> {
  const { stores } = ports;
  const page = { after, limit: limit + 1, status };
  const found: { persona: string; row: Row }[] = [];
  const open = async (persona: string): Promise<void> => {
    const rows = await stores.use(persona, (store) => read(store, page));
    found.push(...rows.map((row) => ({ persona, row })));
    found.sort((a, b) => (a.row.id < b.row.id ? 1 : -1));
  };
  if (only !== undefined) {
    const { id } = personaNamed(ports, only);
    if (stores.exists(id)) await open(id);
  } else {
    for (const { persona, newest } of await byNewest(ports, (overview) => of(overview, status))) {
      const last = found[limit]?.row.id;
      if (last !== undefined && last > newest && (after === undefined || newest < after)) break;
      await open(persona);
    }
  }
  return { rows: found.slice(0, limit), ...nextOf(found, limit) };
}

/** What is kept of each persona that has a database, as its rows are now. */
export function overviewsOf({
  live,
  overviews,
  clock,
}: Pick<QueryPorts, 'live' | 'overviews' | 'clock'>): Promise<ReadonlyMap<string, Overview>> {
  const ids = Array.from(live.personas().all(), ({ id }) => id);
  return overviews.of(ids, Math.floor(clock.now() / DAY_MS) * DAY_MS);
}

/** Personas that have any, those with the newest first. */
async function byNewest(
  ports: QueryPorts,
  of: (overview: Overview) => string | null,
): Promise<readonly { readonly persona: string; readonly newest: string }[]> {
  return [...(await overviewsOf(ports))]
    .flatMap(([persona, overview]) => {
      const newest = of(overview);
      return newest === null ? [] : [{ persona, newest }];
    })
    .sort((a, b) => (a.newest < b.newest ? 1 : -1));
}

/** Of one row more than the page holds: where the next page starts. */
export const nextOf = (found: readonly { row: { id: string } }[], limit: number): { next: string | null } => ({
  next: found.length > limit ? (found[limit - 1]?.row.id ?? null) : null,
});
