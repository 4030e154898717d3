import { workspaceFiles } from '../config/workspace-files.ts';
import { parseResolverCall } from '../harness/context/config.ts';
import { priceOf } from '../harness/providers/cost.ts';
import { estimateRunCost } from '../harness/providers/estimate.ts';
import { parseTarget } from '../harness/providers/targets.ts';
import { surfaceFor } from '../harness/tools/for-run.ts';
import type { Workspace } from '../workspace.ts';
import { targetOf } from './provider-in-use.ts';
import type { ListedTask } from './task-listing.ts';

const NEWEST_RUNS = 10;

/** About what one run of the task costs, in USD; null when the price of its model is unknown. */
export async function costPerRun(workspace: Workspace, listed: ListedTask): Promise<number | null> {
  const { live } = workspace;
  const { providers } = await workspace.extensions();
  const target = listed.row?.pinned ? parseTarget(listed.row.pinned) : targetOf(workspace, listed.persona);
  const info = providers.get(target.provider)?.modelInfo(target.model);
  const price = info ? priceOf(target, info, live.current().inference.prices) : null;
  const past = await pastCosts(workspace, listed);
  return estimateRunCost({ price, past, texts: past.length > 0 ? [] : await firstTexts(workspace, listed) });
}

async function pastCosts({ stores }: Workspace, { persona, entry }: ListedTask): Promise<readonly number[]> {
  if (!stores.exists(persona.id)) return [];
  const times = await stores.use(persona.id, (store) =>
    store.taskTimes({ task: entry.id, limit: NEWEST_RUNS, withRun: true }),
  );
  return times
    .filter(({ run_status }) => run_status === 'done' || run_status === 'failed')
    .map(({ cost_usd }) => cost_usd);
}

/** What the first model call will surely hold: the files of the context profile, the tools on offer, the prompt. */
async function firstTexts({ root, live, currentExtensions }: Workspace, { persona, entry }: ListedTask) {
  const configs = live.current();
  const files = workspaceFiles(root);
  const texts = [entry.task?.prompt ?? ''];
  for (const call of configs.context.profiles.task) {
    const { name, argument } = parseResolverCall(call, { persona_id: persona.id });
    // A file that cannot be read is a limitation of the run, and costs nothing.
    if (name === 'load-file' && argument) texts.push((await files.readText(argument).catch(() => null)) ?? '');
  }
  const { specs } = surfaceFor(currentExtensions().tools, { persona, configs, run: { tier: 'owner' } });
  return [...texts, JSON.stringify(specs)];
}
