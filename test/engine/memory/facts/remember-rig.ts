import type { GenerateRequest, GenerateResponse, ProviderCode } from '#contract';
import { EngineError } from '#contract';
import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import { inferenceSchema, systemSchema } from '../../../../engine/config/schemas.ts';
import type { Configs, Persona } from '../../../../engine/config/types.ts';
import type { CrashPoint } from '../../../../engine/lib/crash-points.ts';
import { createRememberer } from '../../../../engine/memory/facts/remember-job.ts';
import { createThreadCloser } from '../../../../engine/memory/threads/close-job.ts';
import { closedBefore } from '../../../../engine/memory/threads/closing-shown.ts';
import { createSummariser } from '../../../../engine/memory/threads/summarise-job.ts';
import { createCooldowns } from '../../../../engine/models/outages.ts';
import type { PayloadOf } from '../../../../engine/record/events.ts';
import { closeThreadJob, rememberJob, summariseJob } from '../../../../engine/record/jobs/job-kinds.ts';
import type { Blobs } from '../../../../engine/storage/blobs.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import type { NewMessage, Tier } from '../../../../engine/storage/types/mail.ts';
import { arrival, arrive, MIA, message, NOON } from '../../../storage/world.ts';

/** A proposal as a model writes it. */
export interface Said {
  readonly text: string;
  readonly quote: string;
  readonly kind: string;
  readonly subject?: string;
}

export type Answers = (asked: {
  readonly purpose: 'propose' | 'compare' | 'summarise' | 'close';
  readonly text: string;
}) => string | ProviderCode | Promise<string>;

export const proposes = (...facts: readonly Said[]): string => JSON.stringify({ facts });

class Killed extends Error {}

const none = (): never => {
  throw new Error('nothing here is that large');
};
const NO_BLOBS = new Proxy({} as Blobs, { get: () => none });

/** A store, the job over it, and a model that answers as it is told. */
export function rememberRig(store: Store, answers: Answers, budget: Persona['budget']['usd_per_day'] = null) {
  const persona: Persona = {
    ...personaSchema.parse({
      name: 'Ada',
      address: 'ada@x.example',
      memory: { facts: true },
      inference: { stages: { remember: {}, summarise: {} } },
      budget: { usd_per_day: budget },
    }),
    id: 'ada',
    owners: ['you@example.com'],
  };
  const configs = { inference: inferenceSchema.parse({}), system: systemSchema.parse({}) };
  const asked: GenerateRequest[] = [];
  const state = { now: NOON, numbers: 0, dieAt: null as CrashPoint | null };
  const generate = async (request: GenerateRequest): Promise<GenerateResponse> => {
    asked.push(request);
    const [part] = request.messages.flatMap((one) => (one.role === 'user' ? one.content : []));
    const text = part?.type === 'text' ? part.text : '';
    const system = request.system.join('');
    const purpose = system.startsWith('You keep notes')
      ? 'summarise'
      : system.startsWith('A conversation by mail is over')
        ? 'close'
        : system.startsWith('You read one mail')
          ? 'propose'
          : 'compare';
    const said = await answers({ purpose, text });
    if (!said.includes('{') && said !== '') throw new EngineError(said as ProviderCode, said);
    return {
      text: said,
      toolCalls: [],
      finish: 'stop',
      reportedCostUsd: null,
      usage: { input: 1000, output: 100, cached: 0, cacheWrite: 0 },
      providerParts: { provider: 'p', model: 'm', data: null },
    };
  };
  const info = { context_tokens: 1e5, max_output_tokens: 4096, tools: true, images: false };
  const deps = {
    configs: () => configs as Configs,
    models: {
      adapter: async () => ({ generate }),
      info: () => ({ ...info, usd_per_million_tokens: { input: 1, output: 10 } }),
      mayBeUnpriced: () => true,
      cooldowns: createCooldowns([], async () => {}),
    },
    targetsOf: () => [{ provider: 'p', model: 'm' }],
    defaultModel: () => 'm',
    artifactsOf: () => NO_BLOBS,
    clock: { now: () => state.now, sleep: async () => {} },
    ids: { next: () => `n${state.numbers++}`, random: () => `${state.numbers++}`.padStart(10, '0') },
    random: () => 0,
    pass: (point: CrashPoint) => {
      if (point === state.dieAt) throw new Killed(point);
    },
  } satisfies Parameters<typeof createRememberer>[0];
  const handlers = [createRememberer(deps), createSummariser(deps), createThreadCloser(deps)];

  return {
    asked,
    state,
    /** A mail whose run is over, and the job that follows from it. */
    async mail(
      id: string,
      newText: string,
      change: Partial<NewMessage> & { tier?: Tier; sender?: string; viewers?: readonly string[] } = {},
    ) {
      const { tier = 'member', sender = MIA, viewers = [sender], ...rest } = change;
      const thread = rest.thread_id ?? `t-${id}`;
      const isNew = (await store.getThread(thread)) === undefined;
      await arrive(store, arrival(id, { sender }), {
        ...(isNew ? { newThread: { id: thread, kind: 'thread' as const, subject: '' } } : {}),
        message: message(id, thread, {
          new_text: newText,
          text: newText,
          from_address: sender,
          received_at: state.now,
          tier,
          ...rest,
        }),
        viewers,
        run: {
          id: `r-${id}`,
          thread_id: thread,
          message: id,
          message_id: `<${id}@x.example>`,
          kind: 'message',
          status: 'queued',
          sender,
          tier,
          recursion: 3,
          due_at: state.now,
          created_at: state.now,
        },
      });
      await store.addJobs([rememberJob(`r-${id}`, state.now)]);
    },
    /** As a run leaves it that was shown nothing older than this place of its thread. */
    async summarises(id: string, historyFrom: number) {
      const thread = (await store.getRun(`r-${id}`))?.thread_id ?? '';
      const patch = { id: thread, patch: { history_from: historyFrom } };
      await arrive(store, arrival(`from-${id}-${historyFrom}`), { threadPatch: patch });
      await store.addJobs([summariseJob(`r-${id}`, null, state.now)]);
    },
    /** As the daily look leaves it at this time. */
    async closes(now: number): Promise<number> {
      state.now = now;
      const before = closedBefore(now, configs.system.memory.close_after_days);
      const { threads } = await store.threadsToClose({ before, below: null, scan: 500 });
      await store.addJobs(threads.map(({ threadId, runId }) => closeThreadJob(runId, threadId, now)));
      return threads.length;
    },
    /** Does what is due, as often as it is put back, and dies where it is told to. */
    async work(): Promise<void> {
      for (let tries = 0; tries < 20; tries += 1) {
        const job = await store.claimJob({
          instance: `i${state.numbers++}`,
          deadHolders: 'all others',
          now: state.now,
          leaseMs: 1,
        });
        if (!job) return;
        const handler = handlers.find(({ kind }) => kind === job.kind);
        if (!handler) {
          await store.endJob(job.id);
          continue;
        }
        try {
          await handler.prepare(job)(persona, store, new AbortController().signal);
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          state.dieAt = null;
        }
        state.now += 4_000_000;
      }
    },
    async events(id: string): Promise<readonly PayloadOf<'memory_written'>[]> {
      const events = await store.runEvents(`r-${id}`);
      return events.flatMap(({ type, payload_json: json }) => (type === 'memory_written' ? [JSON.parse(json)] : []));
    },
    kept: async () =>
      (await store.listFacts({ limit: 5000, now: state.now, status: 'kept' })).filter(
        (fact) => fact.superseded_by === null,
      ),
    all: () => store.listFacts({ limit: 5000, now: state.now, all: true }),
  };
}
