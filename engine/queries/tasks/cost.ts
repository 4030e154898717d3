import { workspaceFiles } from '../../config/workspace-files.ts';
import { parseResolverCall } from '../../harness/context/config.ts';
import { estimateRunCost, pastCosts } from '../../models/estimate.ts';
import { surfaceFor } from '../../tools/run-surface.ts';
import { pricedTargetOf } from '../gateway/provider-in-use.ts';
import type { QueryPorts } from '../ports.ts';
import type { ListedTask } from './listing.ts';

/** About what one run costs. */
interface RunCost {
  /** USD; null when the price of its model is unknown. */
  readonly usd: number | null;
  /** No run of it has told yet: it is what the first question to the model will surely cost, and so the least. */
  readonly isGuess: boolean;
}

export async function costPerRun(ports: QueryPorts, listed: ListedTask): Promise<number | null> {
  return (await runCost(ports, listed)).usd;
}

export async function runCost(ports: QueryPorts, listed: ListedTask): Promise<RunCost> {
  await ports.extensions();
  const { price } = pricedTargetOf(ports, listed.persona, listed.row?.pinned ?? null);
  const past = await pastCostsOf(ports, listed);
  const isGuess = past.length === 0;
  return { usd: estimateRunCost({ price, past, texts: isGuess ? await firstTexts(ports, listed) : [] }), isGuess };
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
