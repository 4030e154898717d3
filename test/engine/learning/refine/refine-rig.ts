import { EngineError, type GenerateRequest, type GenerateResponse } from '#contract';
import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import { inferenceSchema, systemSchema } from '../../../../engine/config/schemas.ts';
import type { Configs, Persona } from '../../../../engine/config/types.ts';
import type { Example } from '../../../../engine/learning/refine/examples.ts';
import { createRefiner } from '../../../../engine/learning/refine/refine-job.ts';
import type { CrashPoint } from '../../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { createCooldowns } from '../../../../engine/models/outages.ts';
import { refineJob } from '../../../../engine/record/jobs/job-kinds.ts';
import type { Blobs } from '../../../../engine/storage/blobs.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import type { PlaybookOutcome } from '../../../../engine/storage/types/learning/playbooks.ts';
import { accept, NOON } from '../../../storage/world.ts';
import { EXAMPLES, WORLD } from './judging-rig.ts';

export const KIND = 'answer';
class Killed extends Error {}

interface Options {
  /** Of the persona's `learning`, beside that it is on. */
  readonly learning?: object;
  readonly model?: string;
  readonly usdPerDay?: number;
}

/** A store with runs of one kind and their examples, the job over it, and a model that writes what it is told. */
export function refineRig(store: Store, writes: () => string, { learning = {}, model = 'm', usdPerDay }: Options = {}) {
  const persona: Persona = {
    ...personaSchema.parse({
      name: 'Ada',
      address: 'ada@x.example',
      budget: { usd_per_day: usdPerDay ?? null },
      learning: { enabled: true, ...learning },
      inference: { stages: { refine: {} } },
    }),
    id: 'ada',
    owners: ['you@example.com'],
  };
  const configs = { inference: inferenceSchema.parse({}), system: systemSchema.parse({}) };
  const asked: GenerateRequest[] = [];
  const warnings: string[] = [];
  const state = { now: NOON + 1000, numbers: 0, runs: 0, dieAt: null as CrashPoint | null };
  const generate = async (request: GenerateRequest): Promise<GenerateResponse> => {
    asked.push(request);
    const isWriter = request.system.join('').startsWith('You write');
    const text = isWriter ? writes() : 'It does nothing.';
    if (text === 'unavailable') throw new EngineError('unavailable', text);
    return {
      text,
      toolCalls: [],
      finish: 'stop',
      reportedCostUsd: null,
      usage: { input: 1000, output: 100, cached: 0, cacheWrite: 0 },
      providerParts: { provider: 'p', model, data: null },
    };
  };
  const info = { context_tokens: 1e5, max_output_tokens: 8192, tools: true, images: false };
  const handler = createRefiner({
    configs: () => configs as Configs,
    worldOf: () => WORLD,
    models: {
      adapter: async () => ({ generate }),
      info: () => ({ ...info, usd_per_million_tokens: { input: 1, output: 10 } }),
      mayBeUnpriced: () => true,
      cooldowns: createCooldowns([], async () => {}),
    },
    targetsOf: () => [{ provider: 'p', model }],
    defaultModel: () => model,
    artifactsOf: () => ({}) as Blobs,
    clock: { now: () => state.now, sleep: async () => {} },
    ids: { next: () => `n${state.numbers++}`, random: () => 'r' },
    random: () => 0,
    log: { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) },
    pass: (point: CrashPoint) => {
      if (point === state.dieAt) throw new Killed(point);
    },
  });

  /** A run that is over, with its outcome and as an example. */
  async function ran(example: Example, change: Partial<PlaybookOutcome> = {}): Promise<string> {
    state.runs += 1;
    const [id, run] = [`m${state.runs}`, `r-m${state.runs}`];
    await accept(store, id);
    const { id: _, verdict, tainted, ...body } = example;
    state.now += 1000;
    const outcome = {
      thread_id: `t-${id}`,
      kind: KIND,
      version_id: null,
      mode: 'none',
      used: 0,
      delegated: 0,
    } as const;
    const went = { succeeded: verdict === 'good' ? 1 : 0, failed: verdict === 'good' ? 0 : 1, followed: 0 };
    await store.recordOutcome(
      { run_id: run, ...outcome, ...went, model_calls: 2, tokens: 20, at: state.now, ...change },
      'none',
    );
    const row = { id: `s-${id}`, kind: KIND, run_id: run, thread_id: `t-${id}`, verdict, hash: id };
    const kept = { scenario_json: JSON.stringify(body), tainted: tainted ? 1 : 0, created_at: state.now };
    await store.settleScenario(run, { ...row, ...kept, used_at: 0 }, { jobId: 'none', most: 20 });
    return run;
  }

  return {
    asked,
    warnings,
    state,
    ran,
    /** All the examples, and after them the job that runs or an owner ask for. */
    async ask(asked_by: 'runs' | 'owner' = 'runs', examples: readonly Example[] = EXAMPLES): Promise<void> {
      let run = `r-m${state.runs}`;
      for (const example of examples) run = await ran(example);
      await store.addJobs([refineJob({ kind: KIND, id: `of-${run}`, run_id: run, asked_by }, state.now)]);
    },
    /** Does what is due, as often as it is put back, and dies where it is told to. */
    async work(): Promise<void> {
      for (let tries = 0; tries < 20; tries += 1) {
        const kinds = { names: [handler.kind], only: true };
        const instance = `i${state.numbers++}`;
        const job = await store.claimJob({ instance, deadHolders: 'all others', now: state.now, leaseMs: 1, kinds });
        if (!job) return;
        try {
          await handler.prepare(job)(persona, store, new AbortController().signal);
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          state.dieAt = null;
        }
        state.now += 4_000_000;
      }
    },
    last: async () => (await store.refinements(KIND, 1))[0],
    numbers: async () => (await store.playbookVersions(KIND)).map(({ number, origin }) => `${number} ${origin}`),
    told: async () => (await store.unnoticedUndo('learned')).map(({ tool, arguments: args }) => ({ tool, ...args })),
  };
}
