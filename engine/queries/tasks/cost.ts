import { workspaceFiles } from '../../config/workspace-files.ts';
import { parseResolverCall } from '../../harness/context/config.ts';
import { estimateRunCost, pastCosts } from '../../models/estimate.ts';
import { surfaceFor } from '../../tools/run-surface.ts';
import { pricedTargetOf } from '../gateway/provider-in-use.ts';
import type { QueryPorts } from '../ports.ts';
import type { ListedTask } from './listing.ts';

/** About what one run of the task costs, in USD; null when the price of its model is unknown. */
export async function costPerRun(ports: QueryPorts, listed: ListedTask): Promise<number | null> {
  await ports.extensions();
  const { price } = pricedTargetOf(ports, listed.persona, listed.row?.pinned ?? null);
  const past = await pastCostsOf(ports, listed);
  return estimateRunCost({ price, past, texts: past.length > 0 ? [] : await firstTexts(ports, listed) });
}

async function pastCostsOf({ stores }: QueryPorts, { persona, entry }: ListedTask): Promise<readonly number[]> {
  if (!stores.exists(persona.id)) return [];
  return stores.use(persona.id, (store) => pastCosts(store, entry.id));
}

/** What the first model call will surely hold: the files of the context profile, the tools on offer, the prompt. */
async function firstTexts({ root, live, currentExtensions }: QueryPorts, { persona, entry }: ListedTask) {
  const configs = live.current();
  const files = workspaceFiles(root);
  const texts = [entry.task?.prompt ?? ''];
  for (const call of configs.context.profiles.task) {
    const { name, argument } = parseResolverCall(call, { persona_id: persona.id });
    // A file that cannot be read is a limitation of the run, and costs nothing.
    if (name === 'load-file' && argument) texts.push((await files.readText(argument).catch(() => null)) ?? '');
  }
  const { specs } = surfaceFor(currentExtensions(), {
    persona,
    configs,
    toldBack: null,
    run: { tier: 'owner', sender: null },
  });
  return [...texts, JSON.stringify(specs)];
}
