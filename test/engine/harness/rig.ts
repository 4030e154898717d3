import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GenerateRequest, GenerateResponse, ModelInfo, ToolDefinition } from '#contract';
import { extensionsSchema } from '../../../engine/config/extension-schemas.ts';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import {
  contextSchema,
  gatewaySchema,
  inferenceSchema,
  securitySchema,
  systemSchema,
} from '../../../engine/config/schemas.ts';
import { createTaskDesk } from '../../../engine/config/tasks/task-desk.ts';
import type { Configs, ManifestOf, Persona } from '../../../engine/config/types.ts';
import { createRunsLane } from '../../../engine/dispatch/runs-lane.ts';
import { createWaiters } from '../../../engine/dispatch/waiting.ts';
import { announceBy } from '../../../engine/dispatch/work-queue.ts';
import { createDocumentReader } from '../../../engine/documents/reader.ts';
import { validatorOf } from '../../../engine/extensions/loading/validator.ts';
import { createRegistry } from '../../../engine/extensions/registry.ts';
import { BUNDLED } from '../../../engine/extensions/tool-sources.ts';
import type { RegisteredHook, RegisteredResolver, RegisteredTool } from '../../../engine/extensions/types.ts';
import { CAPABILITIES } from '../../../engine/features/capabilities.ts';
import { FEATURES } from '../../../engine/features/features.ts';
import { leaseMsOf } from '../../../engine/harness/lease.ts';
import { retryOf } from '../../../engine/harness/respond/park.ts';
import { advanceRun, type HarnessDeps } from '../../../engine/harness/runtime.ts';
import type { WriterDeps } from '../../../engine/intake/deps.ts';
import { takeIn } from '../../../engine/intake/intake.ts';
import { createCircuit } from '../../../engine/intake/rules/loops.ts';
import type { Clock } from '../../../engine/lib/clock.ts';
import { type PassCrashPoint, passThrough } from '../../../engine/lib/crash-points.ts';
import { randomIds } from '../../../engine/lib/ids.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { createCooldowns, createOutages } from '../../../engine/models/outages.ts';
import { chainOf, targetsFor } from '../../../engine/models/targets.ts';
import { mayBeUnpriced } from '../../../engine/models/unpriced.ts';
import { readLog } from '../../../engine/record/run-log.ts';
import { personaFiles } from '../../../engine/storage/persona-files.ts';
import type { LoadedRun } from '../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';

import { createFilesDesk } from '../../../engine/tools/files/desk.ts';
import currentInput from '../../../extensions/resolvers/current-input/index.ts';
import threadHistory from '../../../extensions/resolvers/thread-history/index.ts';
import { asTier, mailFacts, provenAs } from '../intake/facts.ts';

export const NOON = Date.parse('2026-11-21T12:00:00Z');
export const DAY = '2026-11-21';

/** A model in one function; throwing an EngineError is failing as a vendor does. */
export type Model = (
  request: GenerateRequest,
  asked: number,
  signal: AbortSignal,
) => Partial<GenerateResponse> | Promise<Partial<GenerateResponse>>;

export interface RigOptions {
  readonly tools?: Readonly<Record<string, ToolDefinition>>;
  /** By provider; a bare function is the provider `main`. */
  readonly models: Model | Readonly<Record<string, Model>>;
  readonly info?: Partial<ModelInfo>;
  /** Providers whose models cannot call tools. */
  readonly withoutTools?: readonly string[];
  readonly inference?: object;
  readonly security?: object;
  readonly persona?: object;
  /** Languages that files name for owners, by their addresses. */
  readonly ownerLanguages?: Persona['ownerLanguages'];
}

export type Claimed = LoadedRun & { crashes: number };
export type Rig = Awaited<ReturnType<typeof makeRig>>;

const INFO: ModelInfo = {
  context_tokens: 100_000,
  max_output_tokens: 1000,
  tools: true,
  images: false,
  usd_per_million_tokens: { input: 1, output: 10 },
};

/**
 * The harness and its dispatch lane over real databases and files in a temporary folder; only the model is a
 * function, and time stands still until somebody moves it.
 */
export async function makeRig(options: RigOptions) {
  const root = mkdtempSync(join(tmpdir(), 'epistle-rig-'));
  const time = { now: NOON };
  const circuit = createCircuit();
  const clock: Clock = {
    now: () => time.now,
    async sleep(ms) {
      time.now += ms;
    },
  };
  const ids = randomIds(clock.now);
  const configs: Configs = {
    gateway: gatewaySchema.parse({}),
    inference: inferenceSchema.parse({ provider: 'main', model: 'm1', ...options.inference }),
    context: contextSchema.parse({ profiles: { thread: ['thread-history', 'current-input'] } }),
    security: securitySchema.parse({ owners: ['owner@example.com'], ...options.security }),
    system: systemSchema.parse({}),
    extensions: extensionsSchema.parse({}),
  };
  const persona: Persona = {
    ...personaSchema.parse({ name: 'Ada', address: 'ada@agents.localhost', ...options.persona }),
    id: 'ada',
    owners: ['owner@example.com'],
    ...(options.ownerLanguages && { ownerLanguages: options.ownerLanguages }),
  };
  const tools = await Promise.all(
    Object.entries(options.tools ?? {}).map(([name, definition]) => registered(name, definition)),
  );
  const registry = { tools: createRegistry(tools), hooks: createRegistry<RegisteredHook>([]) };
  const stores = createStores({ dataDir: root, maxOpen: 10 });
  const gateway = openGatewayStore(join(root, 'gateway.db'));
  const announce = announceBy(
    gateway,
    () => clock.now(),
    () => {},
  );
  const cooldowns = createCooldowns([], async () => {});
  const requests: (GenerateRequest & { readonly provider: string })[] = [];
  const models = typeof options.models === 'function' ? { main: options.models } : options.models;
  const crash = { pass: passThrough as PassCrashPoint };
  const outages = createOutages({ random: () => 0.5, onAnswered() {} });
  const harness: HarnessDeps = {
    outages,
    configs: () => configs,
    extensions: () => ({
      tools: registry.tools,
      hooks: registry.hooks,
      resolvers: createRegistry<RegisteredResolver>([
        resolver('thread-history', threadHistory),
        resolver('current-input', currentInput),
      ]),
    }),
    prepareTools: () => null,
    refusals: gateway,
    waitingDesk: () => Promise.reject(new Error('nothing waits here')),
    calendarsOf: (id) => join(root, 'personas', id, 'calendars'),
    models: {
      adapter: async (provider) => ({
        async generate(request, { signal }) {
          requests.push({ ...request, provider });
          const model = models[provider];
          if (!model) throw new Error(`no model is scripted for ${provider}`);
          return complete(request, provider, await model(request, requests.length, signal));
        },
      }),
      info: ({ provider }) => ({ ...INFO, ...options.info, tools: !options.withoutTools?.includes(provider) }),
      mayBeUnpriced: (inference, budget) => mayBeUnpriced(inference, budget, { until: null, now: clock.now() }),
      cooldowns,
    },
    defaultModel: () => 'm1',
    firstKeyed: () => null,
    features: async () => FEATURES,
    capabilities: async () => CAPABILITIES,
    workspace: {
      readText: async () => null,
      list: async () => [],
      walk: async () => [],
      readBytes: async () => null,
    },
    filesOf: (id) => personaFiles(root, id),
    filesDesk: createFilesDesk(clock),
    documents: createDocumentReader(),
    taskDesk: createTaskDesk(root, () => []),
    priceFor: () => ({ target: { provider: 'p', model: 'm1' }, price: null }),
    isOwnAddress: (address) => address.endsWith('@agents.localhost'),
    recursionSecret: 'ab'.repeat(32),
    clock,
    ids,
    random: () => 0.5,
    log: silentLog,
    pass: (point) => crash.pass(point),
  };
  const waiters = createWaiters({
    outages,
    pauseOf: gateway.pauseOf,
    chainOf: () =>
      chainOf(
        targetsFor(persona, configs.inference, { firstKeyed: harness.firstKeyed, defaultModel: harness.defaultModel }),
      ),
    retryOf: () => retryOf(persona, configs.inference),
    probeMs: () => 150_000,
    now: clock.now,
    pass: passThrough,
  });
  const laneOf = (instance: string) =>
    createRunsLane({
      waiters,
      harness,
      configs: () => configs,
      findPersona: (id) => (id === 'ada' ? { state: 'ready', id, persona } : undefined),
      holder: { instance, deadHolders: 'all others' },
      clock,
      random: () => 0.5,
      log: silentLog,
    });
  const withStore = <Result>(work: (store: Store) => Promise<Result>) => stores.use('ada', work);

  /** What comes in beside the harness; no answer of an owner is judged here. */
  const intake: WriterDeps = {
    stores,
    gateway,
    clock,
    ids,
    pass: passThrough,
    filesOf: harness.filesOf,
    rawMail: { held() {} },
    documents: harness.documents,
    configs: () => configs,
    circuit,
    judgeEdit: () => Promise.reject(new Error('no edit comes through here')),
    quarantineFolder: join(root, 'quarantine'),
    writingFrom: () => [],
    waitingFor: async () => null,
    isOwnAddress: harness.isOwnAddress,
    announce,
  };

  async function deliver(
    mail: Partial<{
      text: string;
      from: string;
      name: string;
      subject: string;
      tier: Tier;
      inReplyTo: string;
      cc: string;
      id: string;
      /** A text file that comes with it. */
      file: { name: string; text: string };
    }> = {},
  ) {
    const { from = 'mia@member.example', tier = 'member', text = 'Please help.' } = mail;
    const id = mail.id ?? `<${ids.next()}@member.example>`;
    const references = mail.inReplyTo === undefined ? [] : [`In-Reply-To: ${mail.inReplyTo}`];
    const { file } = mail;
    const ofText = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'];
    const lines = [
      `From: ${mail.name === undefined ? from : `${JSON.stringify(mail.name)} <${from}>`}`,
      'To: ada@agents.localhost',
      ...(mail.cc === undefined ? [] : [`Cc: ${mail.cc}`]),
      ...(file ? ['Content-Type: multipart/mixed; boundary=between'] : ofText),
      `Subject: ${mail.subject ?? 'A request'}`,
      `Message-ID: ${id}`,
      ...references,
    ];
    const body = file
      ? [
          ...['--between', ...ofText, '', text, '--between', ...ofText],
          ...[`Content-Disposition: attachment; filename="${file.name}"`, '', file.text, '--between--'],
        ]
      : [text];
    const raw = Buffer.from([...lines, 'Date: Sat, 21 Nov 2026 12:00:00 +0000', '', ...body, ''].join('\r\n'));
    const read = await readMail(raw, configs.gateway.limits);
    if (!read.ok) throw new Error(read.message);
    return takeIn(
      intake,
      mailFacts({
        persona,
        raw,
        mail: read.mail,
        now: clock.now(),
        loopGuard: configs.security.loop_guard,
        identity: provenAs(from),
        admission: asTier(tier),
      }),
    );
  }

  /** Works all runs to their ends as the dispatcher would, moving the clock to whatever is due next. */
  async function drain(instance = 'first', most = 200): Promise<void> {
    const lane = laneOf(instance);
    for (let turn = 0; turn < most; turn += 1) {
      const again = await withStore(async (store) => lane.takeUp?.('ada', store, true));
      const [work] = await withStore((store) => lane.claim('ada', store, 1));
      if (work) {
        await withStore((store) => work(store, new AbortController().signal));
        continue;
      }
      const { runs: open } = await withStore((store) => store.overview(0));
      if (open.every(({ status }) => status === 'waiting_approval')) return;
      const due = await withStore((store) => store.listRuns({ limit: 100, status: 'queued' }));
      time.now = Math.max(time.now, Math.min(again ?? Number.MAX_SAFE_INTEGER, ...due.map((run) => run.due_at)));
    }
    throw new Error(`runs are still open after ${most} turns`);
  }

  return {
    root,
    time,
    clock,
    configs,
    persona,
    harness,
    requests,
    cooldowns,
    crash,
    registry,
    stores,
    gateway,
    intake,
    announce,
    laneOf,
    withStore,
    deliver,
    drain,
    async claim(instance: string): Promise<Claimed | undefined> {
      const leaseMs = leaseMsOf({ configs: () => configs });
      const holder = { instance, deadHolders: 'all others' as const };
      const claim = { ...holder, now: clock.now(), leaseMs, day: DAY, limit: 1 };
      return (await withStore((store) => store.claimRuns(claim)))[0];
    },
    advance: (loaded: Claimed, store: Store) =>
      advanceRun(harness, { loaded, persona, store, signal: new AbortController().signal }),
    /** One mail, worked to its end. */
    async answer(mail: Parameters<typeof deliver>[0] = {}) {
      const accepted = await deliver(mail);
      await drain();
      return ended(accepted.runId ?? '');
    },
    /** One mail, worked until it has ended or waits for something. */
    async waits(mail: Parameters<typeof deliver>[0] = {}) {
      const accepted = await deliver(mail);
      const lane = laneOf('first');
      for (;;) {
        const [work] = await withStore((store) => lane.claim('ada', store, 1));
        if (work) await withStore((store) => work(store, new AbortController().signal));
        const found = await ended(accepted.runId ?? '');
        const { status, deferred_code } = found.run;
        if (deferred_code !== null || status === 'done' || status === 'failed') return found;
        time.now = Math.max(time.now, found.run.due_at);
      }
    },
    ended,
    async close() {
      await stores.close();
      await gateway.close();
      rmSync(root, { recursive: true, force: true });
    },
  };

  /** What is on record of a run. */
  function ended(runId: string) {
    return withStore(async (store) => {
      const run = await store.getRun(runId);
      if (!run) throw new Error(`no run ${runId}`);
      // By the schemas of the record: whatever any test has written is read by them.
      const log = readLog(await store.runEvents(runId), harness.filesOf('ada').artifacts);
      const events = log.all.map(({ type, data }): { type: string; data: Readonly<Record<string, unknown>> } => ({
        type,
        data: { ...data },
      }));
      const messages = await store.threadMessages(run.thread_id, 100);
      return {
        run,
        events,
        decisions: events.filter(({ type }) => type === 'decision').map(({ data }) => data.reason),
        rows: await store.toolEventsOfRuns([runId]),
        replies: messages.filter((message) => message.run_id === runId && message.direction === 'out'),
        text: messages.find((message) => message.run_id === runId && message.direction === 'out')?.text ?? null,
        outbox: (await store.listOutbox({ limit: 100 })).filter((mail) => mail.run_id === runId),
        jobs: (await store.dueJobs(Number.MAX_SAFE_INTEGER, 100)).map(({ id }) => id),
      };
    });
  }
}

function complete(request: GenerateRequest, provider: string, response: Partial<GenerateResponse>): GenerateResponse {
  const { text = '', toolCalls = [] } = response;
  return {
    text,
    toolCalls,
    finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: { input: 100, output: 20, cached: 0, cacheWrite: 0 },
    providerParts: { provider, model: request.model, data: null },
    reportedCostUsd: null,
    ...response,
  };
}

/** One call, with an id that no other call of the test has. */
export const call = (id: string, name: string, args: GenerateResponse['toolCalls'][number]['arguments'] = {}) => ({
  id,
  name,
  arguments: args,
});

async function registered(name: string, definition: ToolDefinition): Promise<RegisteredTool> {
  const manifest: ManifestOf<'tool'> = {
    name,
    kind: 'tool',
    api: 1,
    summary: name,
    entry: 'index.ts',
    secrets: {},
    config: {},
    capabilities: [],
  };
  const input = await validatorOf(definition.input, 'input');
  const output = definition.output === undefined ? null : await validatorOf(definition.output, 'output');
  return {
    name,
    source: BUNDLED,
    manifest,
    definition,
    call: async (args, context) => definition.run(args as never, context),
    config: {},
    secrets: () => ({}),
    inputSchema: input.jsonSchema,
    validate: input.validate,
    validateOutput: output?.validate ?? ((value) => ({ ok: true, value })),
    ready: () => definition.ready?.({ config: {}, secrets: {} }) ?? null,
  };
}

function resolver(name: string, definition: RegisteredResolver['definition']): RegisteredResolver {
  const manifest = {
    name,
    kind: 'resolver',
    api: 1,
    summary: name,
    entry: 'index.ts',
    secrets: {},
    config: {},
  } as const;
  return { name, manifest, definition, config: {}, secrets: () => ({}) };
}
