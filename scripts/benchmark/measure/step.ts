import type { Worker } from '../../../engine/app/worker.ts';
import { openAiSdk } from '../ai-sdk.ts';
import { addressOf, makeBenchWorkspace, personaId, SENDER } from '../bench-workspace.ts';
import { cpuMicroseconds, median, repeat, rounded } from '../figures.ts';
import { mailBytes } from '../mail.ts';
import { openWorker } from '../open-worker.ts';
import type { Peer } from '../peer.ts';
import { openStepFloor } from '../step-floor.ts';

export const STEPS = 8;

export type ModelServer = Peer<{ url: string }>;

export interface StepFigure {
  readonly cpu_us: number;
  readonly floor_cpu_us: number;
  /** To the floor. */
  readonly ratio: number;
  /** Of a step that is not durable. */
  readonly ai_sdk_cpu_us: number;
  /** To a step of the AI SDK. */
  readonly ai_sdk_ratio: number;
}

/**
 * CPU time of one durable tool step (model call, permission, a tool that costs nothing, observation, all of it
 * committed): runs of eight steps less runs of none. The floor is the same SDK call with the same body, and two prepared transactions that
 * write the same rows. The AI SDK makes the same steps beside it and keeps nothing of them.
 */
export async function measureStep(
  model: ModelServer,
  size: { warmUp: number; rounds: number; runs: number },
): Promise<StepFigure> {
  const workspace = makeBenchWorkspace({ personas: 1, modelUrl: model.hello.url, maxToolTurns: STEPS + 1 });
  const { workspace: opened, worker } = await openWorker(workspace.root, true);
  try {
    const deliver = deliveryTo(worker);
    const batch = (steps: number) => cpuMicroseconds(() => repeat(size.runs, () => deliver(steps)));
    const floor = await openStepFloor({
      folder: workspace.root,
      bodies: await bodiesOf(model, () => deliver(STEPS)),
      modelUrl: model.hello.url,
      store: opened.stores,
      personaId: personaId(0),
    });
    const floorBatch = () => cpuMicroseconds(() => repeat(size.runs, () => floor.run()));
    const aiSdk = openAiSdk(model.hello.url);
    const aiSdkBatch = (steps: number) => cpuMicroseconds(() => repeat(size.runs, () => aiSdk(steps)));
    const perStep = async (batch: (steps: number) => Promise<number>) => {
      const without = await batch(0);
      return ((await batch(STEPS)) - without) / size.runs / STEPS;
    };
    const real: number[] = [];
    const bare: number[] = [];
    const other: number[] = [];
    for (let round = 0; round < size.warmUp + size.rounds; round += 1) {
      real.push(await perStep(batch));
      other.push(await perStep(aiSdkBatch));
      bare.push((await floorBatch()) / size.runs / STEPS);
      // What it costs to compile code is no cost of a step, and more code takes longer until it is compiled.
      if (round < size.warmUp) for (const figures of [real, bare, other]) figures.length = 0;
    }
    floor.close();
    // Ratios of what ran side by side: a busy neighbour makes both cost more.
    const ratioTo = (them: readonly number[]) =>
      rounded(median(real.map((cpu, round) => cpu / (them[round] ?? Number.NaN))));
    return {
      cpu_us: rounded(median(real), 0),
      floor_cpu_us: rounded(median(bare), 0),
      ratio: ratioTo(bare),
      ai_sdk_cpu_us: rounded(median(other), 0),
      ai_sdk_ratio: ratioTo(other),
    };
  } finally {
    await worker.stop(2000);
    await opened.close();
    workspace.remove();
  }
}

/** Puts one mail through the gateway's door and waits until it is answered. */
export function deliveryTo(worker: Worker, persona = 0): (steps: number, inReplyTo?: string) => Promise<void> {
  let lastId = 0;
  return async (steps, inReplyTo) => {
    lastId += 1;
    const messageId = `<step.${persona}.${lastId}@member.example>`;
    const to = addressOf(persona);
    const reference = inReplyTo === undefined ? {} : { inReplyTo };
    const raw = Buffer.from(mailBytes({ from: SENDER, to, messageId, serial: lastId, steps, ...reference }));
    const { results } = await worker.receive({
      raw,
      arrival: { door: 'submission' },
      envelope: { returnPath: SENDER, recipients: [to] },
      place: null,
    });
    if (results[0]?.decision !== 'accepted') throw new Error(`the mail was ${results[0]?.decision}`);
    await worker.dispatcher.idle();
  };
}

/** The request bodies of one run, as the model server heard them. */
export async function bodiesOf(model: ModelServer, run: () => Promise<void>): Promise<readonly string[]> {
  await model.ask({ record: true });
  await run();
  const { bodies } = await model.ask<{ bodies: string[] }>({ record: false });
  if (bodies.length !== STEPS + 1) throw new Error(`the run made ${bodies.length} model calls`);
  return bodies.slice(0, STEPS);
}
