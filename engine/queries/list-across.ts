import type { Store } from '../storage/ports/store.ts';
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

/** The newest rows over all personas: ids sort by time, so each persona's own page is enough to merge from. */
export async function listAcross<Row extends { id: string }>(
  ports: QueryPorts,
  { limit, after, persona: only, status }: Page,
  read: (store: Store, page: Pick<Page, 'limit' | 'after' | 'status'>) => Promise<Row[]>,
): Promise<{ rows: { persona: string; row: Row }[]; next: string | null }> {
  const { live, stores } = ports;
  const personas = only === undefined ? live.personas().all() : [personaNamed(ports, only)];
  const found: { persona: string; row: Row }[] = [];
  for (const { id: persona } of personas) {
    if (!stores.exists(persona)) continue;
    const rows = await stores.use(persona, (store) => read(store, { after, limit: limit + 1, status }));
    found.push(...rows.map((row) => ({ persona, row })));
  }
  found.sort((a, b) => (a.row.id < b.row.id ? 1 : -1));
  return { rows: found.slice(0, limit), ...nextOf(found, limit) };
}

/** Of one row more than the page holds: where the next page starts. */
export const nextOf = (found: readonly { row: { id: string } }[], limit: number): { next: string | null } => ({
  next: found.length > limit ? (found[limit - 1]?.row.id ?? null) : null,
});
