import type { Command } from 'commander';
import { EngineError } from '#contract';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../workspace.ts';

export interface ListOptions {
  readonly limit?: string;
  readonly after?: string;
  readonly persona?: string;
  readonly status?: string;
}

const DEFAULT_LIMIT = 50;

export const listOptions = (command: Command): Command =>
  command
    .option('--limit <n>', 'how many', String(DEFAULT_LIMIT))
    .option('--after <id>', 'go on after this id')
    .option('--persona <id>', 'of one persona')
    .option('--status <status>', 'in this state');

/** The newest rows over all personas: ids sort by time, so each persona's own page is enough to merge from. */
export async function listAcross<Row extends { id: string }>(
  { live, stores }: Workspace,
  options: ListOptions,
  read: (
    store: Store,
    page: { after?: string | undefined; limit: number; status?: string | undefined },
  ) => Promise<Row[]>,
): Promise<{ rows: { persona: string; row: Row }[]; next: string | null }> {
  const limit = Number(options.limit ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1) throw new EngineError('usage', '--limit takes a whole number from 1');
  if (options.persona !== undefined && !live.personas().get(options.persona)) {
    throw new EngineError('not_found', `no persona is named ${options.persona}`);
  }
  const ids = options.persona === undefined ? [...live.personas().all()].map(({ id }) => id) : [options.persona];
  const page = { after: options.after, limit: limit + 1, status: options.status };
  const found: { persona: string; row: Row }[] = [];
  for (const persona of ids.filter((id) => stores.exists(id))) {
    const rows = await stores.use(persona, (store) => read(store, page));
    found.push(...rows.map((row) => ({ persona, row })));
  }
  found.sort((a, b) => (a.row.id < b.row.id ? 1 : -1));
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.row.id ?? null) : null };
}
