import { iso } from '../lib/clock.ts';
import type { CallSum, UsageSum } from '../storage/ports/runs.ts';
import type { QueryPorts } from './ports.ts';

/** What was spent; of one key where it is one of several. */
export interface Spent {
  readonly runs: number;
  readonly model_calls: number;
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number };
  readonly cost_usd: number;
  /** What of it is an estimate: the vendor gave no count, or nobody has said the price. `share`: of the cost, or else of the tokens, 0 to 1. */
  readonly estimated: { readonly tokens: number; readonly cost_usd: number; readonly share: number };
}

type By<Key extends string> = readonly (Spent & { readonly [key in Key]: string | null })[];

/** How calls of one tool, or of one model, went. */
export interface CallFigures {
  readonly calls: number;
  readonly failures: number;
  readonly mean_ms: number;
  readonly slowest_ms: number;
}

export interface UsageReport {
  readonly from: string;
  readonly to: string;
  readonly total: Spent;
  readonly by_persona: By<'persona'>;
  readonly by_provider: By<'provider'>;
  readonly by_sender: By<'sender'>;
  readonly by_thread: By<'thread_id'>;
  readonly by_task: By<'task'>;
  readonly by_tool: readonly (CallFigures & { readonly tool: string })[];
  readonly by_model: readonly (CallFigures & { readonly model: string })[];
}

/** What runs, tokens and money were spent in [from, to), and for whom, the dearest first. */
export async function usageOf({ live, stores }: QueryPorts, from: number, to: number): Promise<UsageReport> {
  const sums: Record<'persona' | 'provider' | 'sender' | 'thread' | 'task', UsageSum[]> = {
    persona: [],
    provider: [],
    sender: [],
    thread: [],
    task: [],
  };
  const calls: Record<'tool' | 'model', CallSum[]> = { tool: [], model: [] };
  for (const { id } of live.personas().all()) {
    if (!stores.exists(id)) continue;
    await stores.use(id, async (store) => {
      sums.persona.push(...(await store.usage(from, to, null)).map((sum) => ({ ...sum, key: id })));
      sums.provider.push(...(await store.usage(from, to, 'provider')));
      sums.sender.push(...(await store.usage(from, to, 'sender')));
      sums.thread.push(...(await store.usage(from, to, 'thread_id')));
      const tasks = await store.usage(from, to, 'task');
      calls.tool.push(...(await store.callUsage(from, to, 'tool')));
      calls.model.push(...(await store.callUsage(from, to, 'model')));
      sums.task.push(...tasks.map((sum) => ({ ...sum, key: `${id}/${sum.key}` })));
    });
  }
  return {
    from: iso(from),
    to: iso(to),
    total: spent(sums.persona.reduce(add, EMPTY)),
    by_persona: merge(sums.persona).map((sum) => ({ persona: sum.key, ...spent(sum) })),
    by_provider: merge(sums.provider).map((sum) => ({ provider: sum.key, ...spent(sum) })),
    by_sender: merge(sums.sender).map((sum) => ({ sender: sum.key, ...spent(sum) })),
    by_thread: merge(sums.thread).map((sum) => ({ thread_id: sum.key, ...spent(sum) })),
    by_task: merge(sums.task).map((sum) => ({ task: sum.key, ...spent(sum) })),
    by_tool: mergeCalls(calls.tool).map(({ key, ...sum }) => ({ tool: key, ...sum })),
    by_model: mergeCalls(calls.model).map(({ key, ...sum }) => ({ model: key, ...sum })),
  };
}

const EMPTY: UsageSum = {
  key: null,
  runs: 0,
  model_calls: 0,
  input: 0,
  output: 0,
  cached: 0,
  cost_usd: 0,
  estimated_tokens: 0,
  estimated_usd: 0,
};

const add = (one: UsageSum, other: UsageSum): UsageSum => ({
  key: other.key,
  runs: one.runs + other.runs,
  model_calls: one.model_calls + other.model_calls,
  input: one.input + other.input,
  output: one.output + other.output,
  cached: one.cached + other.cached,
  cost_usd: one.cost_usd + other.cost_usd,
  estimated_tokens: one.estimated_tokens + other.estimated_tokens,
  estimated_usd: one.estimated_usd + other.estimated_usd,
});

/** One sum per key, the dearest first. */
function merge(rows: readonly UsageSum[]): UsageSum[] {
  const byKey = new Map<string | null, UsageSum>();
  for (const row of rows) if (row.runs > 0) byKey.set(row.key, add(byKey.get(row.key) ?? EMPTY, row));
  return [...byKey.values()].sort((a, b) => b.cost_usd - a.cost_usd || b.runs - a.runs);
}

/** One sum per name, the most called first. */
const mergeCalls = (rows: readonly CallSum[]): (CallFigures & { readonly key: string })[] =>
  [...Map.groupBy(rows, ({ key }) => key)]
    .map(([key, of]) => {
      const calls = of.reduce((sum, one) => sum + one.calls, 0);
      return {
        key,
        calls,
        failures: of.reduce((sum, one) => sum + one.failures, 0),
        mean_ms: Math.round(of.reduce((sum, one) => sum + one.ms, 0) / calls),
        slowest_ms: Math.max(...of.map(({ slowest_ms: ms }) => ms)),
      };
    })
    .sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));

const spent = ({ runs, model_calls, input, output, cached, cost_usd, ...guess }: UsageSum): Spent => ({
  runs,
  model_calls,
  tokens: { input, output, cached },
  cost_usd,
  estimated: {
    tokens: guess.estimated_tokens,
    cost_usd: guess.estimated_usd,
    share: shareOf(guess.estimated_usd, cost_usd) ?? shareOf(guess.estimated_tokens, input + output) ?? 0,
  },
});

/** Of nothing there is no share. Sums of floats may be a little more than the whole. */
const shareOf = (part: number, whole: number): number | null =>
  whole > 0 ? Number(Math.min(1, part / whole).toFixed(4)) : null;
