import type { Command } from 'commander';
import { EngineError } from '#contract';
import type { Store } from '../storage/ports/store.ts';

import type { Workspace } from '../workspace.ts';
import { personaNamed } from './find-across.ts';

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
    .option('--after <id>', 'go on after this id, which is `next` of the page before')
    .option('--persona <id>', 'of one persona')
    .option('--status <status>', 'in this state');

/** Throws `usage` for what is no whole number from 1. */
export function limitOf({ limit }: ListOptions): number {
  const count = Number(limit ?? DEFAULT_LIMIT);
  if (!Number.isInteger(count) || count < 1) throw new EngineError('usage', '--limit takes a whole number from 1');
  return count;
}

/** `options.status` when it is one of `known`. Throws `usage` that names them. */
export function statusOf(options: ListOptions, known: readonly string[]): void {
  if (options.status !== undefined && !known.includes(options.status)) {
    throw new EngineError('usage', `--status takes one of ${known.join(', ')}`);
  }
}

/** The newest rows over all personas: ids sort by time, so each persona's own page is enough to merge from. */
export async function listAcross<Row extends { id: string }>(
  workspace: Workspace,
  options: ListOptions,
  read: (
    store: Store,
    page: { after?: string | undefined; limit: number; status?: string | undefined },
  ) => Promise<Row[]>,
): Promise<{ rows: { persona: string; row: Row }[]; next: string | null }> {
  const { live, stores } = workspace;
  const limit = limitOf(options);
  const personas = options.persona === undefined ? live.personas().all() : [personaNamed(workspace, options.persona)];
  const page = { after: options.after, limit: limit + 1, status: options.status };
  const found: { persona: string; row: Row }[] = [];
  for (const { id: persona } of personas) {
    if (!stores.exists(persona)) continue;
    const rows = await stores.use(persona, (store) => read(store, page));
    found.push(...rows.map((row) => ({ persona, row })));
  }
  found.sort((a, b) => (a.row.id < b.row.id ? 1 : -1));
  return { rows: found.slice(0, limit), ...nextOf(found, limit) };
}

/** Of one row more than the page holds: where the next page starts. */
export const nextOf = (found: readonly { row: { id: string } }[], limit: number): { next: string | null } => ({
  next: found.length > limit ? (found[limit - 1]?.row.id ?? null) : null,
});
