import { join } from 'node:path';
import { addressOf, makeBenchWorkspace, personaId, SENDER } from '../bench-workspace.ts';
import { cpuMicroseconds, median, rounded } from '../figures.ts';
import { openWorker } from '../open-worker.ts';
import { seedThread } from '../seed-thread.ts';
import { deliveryTo, type ModelServer } from './step.ts';

/**
 * What a mail costs in a thread with so many earlier messages, as a multiple of the shortest. The model's context is
 * small enough for the shortest thread to fill it, so that all of them show the model equally much.
 */
export async function measureThread(
  model: ModelServer,
  size: { lengths: readonly number[]; rounds: number; mails: number },
): Promise<{ messages: number; cost_ratio: number }[]> {
  const { lengths } = size;
  const workspace = makeBenchWorkspace({ personas: lengths.length, modelUrl: model.hello.url, model: 'small' });
  const ids = await Promise.all(
    lengths.map((messages, persona) =>
      seedThread({
        file: join(workspace.root, 'data', 'personas', personaId(persona), 'persona.db'),
        messages,
        sender: SENDER,
        persona: addressOf(persona),
      }),
    ),
  );
  const { workspace: opened, worker } = await openWorker(workspace.root, true);
  try {
    const deliver = lengths.map((_, persona) => deliveryTo(worker, persona));
    const batch = (persona: number, mails: number) =>
      cpuMicroseconds(async () => {
        for (let mail = 0; mail < mails; mail += 1) await deliver[persona]?.(0, ids[persona]);
      });
    const costs = lengths.map((): number[] => []);
    for (let round = 0; round <= size.rounds; round += 1) {
      for (const persona of lengths.keys()) {
        const cost = await batch(persona, round === 0 ? size.mails * 2 : size.mails);
        if (round > 0) costs[persona]?.push(cost);
      }
    }
    const base = median(costs[0] ?? []);
    return lengths.map((messages, persona) => ({
      messages,
      cost_ratio: rounded(median(costs[persona] ?? []) / base),
    }));
  } finally {
    await worker.stop(2000);
    await opened.close();
    workspace.remove();
  }
}
