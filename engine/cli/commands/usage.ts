import { EngineError } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { Store } from '../../storage/ports/store.ts';

import type { CommandContext, Outcome, Register } from '../command.ts';
import { table } from '../text/table.ts';

interface UsageOptions {
  readonly from?: string;
  readonly to?: string;
}

type Sum = Awaited<ReturnType<Store['usage']>>[number];

const DEFAULT_DAYS = 30;

export const usageCommand: Register = (program, act) => {
  program
    .command('usage')
    .description('What runs, tokens and money were spent, and for whom')
    .option('--from <iso>', 'from this time on (default: 30 days ago)')
    .option('--to <iso>', 'to before this time (default: now)')
    .action(act(usage));
};

async function usage(context: CommandContext, options: UsageOptions): Promise<Outcome> {
  const { live, stores, clock } = context.open({ tolerant: true });
  const to = timeOf('--to', options.to) ?? clock.now();
  const from = timeOf('--from', options.from) ?? to - DEFAULT_DAYS * 86_400_000;
  if (from > to) throw new EngineError('usage', '--from lies after --to');
  const sums: Record<'persona' | 'provider' | 'sender' | 'thread' | 'task', Sum[]> = {
    persona: [],
    provider: [],
    sender: [],
    thread: [],
    task: [],
  };
  for (const { id } of live.personas().all()) {
    if (!stores.exists(id)) continue;
    await stores.use(id, async (store) => {
      sums.persona.push(...(await store.usage(from, to, null)).map((sum) => ({ ...sum, key: id })));
      sums.provider.push(...(await store.usage(from, to, 'provider')));
      sums.sender.push(...(await store.usage(from, to, 'sender')));
      sums.thread.push(...(await store.usage(from, to, 'thread_id')));
      const tasks = await store.usage(from, to, 'task');
      sums.task.push(...tasks.map((sum) => ({ ...sum, key: `${id}/${sum.key}` })));
    });
  }
  const total = shape(sums.persona.reduce(add, EMPTY));
  const by = <Key extends string>(key: Key, rows: readonly Sum[]) =>
    merge(rows).map((sum) => ({ [key]: sum.key, ...shape(sum) }));
  const data = {
    from: iso(from),
    to: iso(to),
    total,
    by_persona: by('persona', sums.persona),
    by_provider: by('provider', sums.provider),
    by_sender: by('sender', sums.sender),
    by_thread: by('thread_id', sums.thread),
    by_task: by('task', sums.task),
  };
  return { data, text: describe(data.from, data.to, merge(sums.persona), merge(sums.provider), total) };
}

/** Throws `usage` for what is no time. */
export function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new EngineError('usage', `${option} takes a time such as 2026-11-21T09:00:00Z`);
  return time;
}

const EMPTY: Sum = { key: null, runs: 0, model_calls: 0, input: 0, output: 0, cached: 0, cost_usd: 0 };

const add = (one: Sum, other: Sum): Sum => ({
  key: other.key,
  runs: one.runs + other.runs,
  model_calls: one.model_calls + other.model_calls,
  input: one.input + other.input,
  output: one.output + other.output,
  cached: one.cached + other.cached,
  cost_usd: one.cost_usd + other.cost_usd,
});

/** One sum per key, the dearest first. */
function merge(rows: readonly Sum[]): Sum[] {
  const byKey = new Map<string | null, Sum>();
  for (const row of rows) if (row.runs > 0) byKey.set(row.key, add(byKey.get(row.key) ?? EMPTY, row));
  return [...byKey.values()].sort((a, b) => b.cost_usd - a.cost_usd || b.runs - a.runs);
}

const shape = ({ runs, model_calls, input, output, cached, cost_usd }: Sum) => ({
  runs,
  model_calls,
  tokens: { input, output, cached },
  cost_usd,
});

function describe(
  from: string,
  to: string,
  personas: readonly Sum[],
  providers: readonly Sum[],
  total: ReturnType<typeof shape>,
): string {
  const row = (name: string, sum: Sum) => [
    name,
    String(sum.runs),
    String(sum.model_calls),
    String(sum.input + sum.output),
    sum.cost_usd.toFixed(4),
  ];
  return [
    `From ${from} to ${to}: ${total.runs} runs, ${total.cost_usd.toFixed(4)} USD`,
    '',
    table(
      ['WHO', 'RUNS', 'MODEL CALLS', 'TOKENS', 'USD'],
      [...personas.map((sum) => row(sum.key ?? '-', sum)), ...providers.map((sum) => row(sum.key ?? 'no model', sum))],
      'Nothing was spent.',
    ),
  ].join('\n');
}
