import { afterEach } from 'vitest';
import { defineTool, type GenerateRequest, type Json } from '#contract';
import { createRegistry } from '../../../../engine/extensions/registry.ts';
import { createDelegationEnded } from '../../../../engine/harness/delegation-ended.ts';
import { createSuspensionTimer } from '../../../../engine/tools/outside/suspension-timer.ts';
import delegate from '../../../../extensions/tools/delegate/index.ts';
import { call, type Model, makeRig, type Rig, type RigOptions } from '../rig.ts';

export const DELEGATING = { delegation: { enabled: true, max_children: 3, max_depth: 2 } };
export const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

/** What stands in the newest mail of a request, and what came back of calls so far. */
export const wordsOf = ({ messages }: GenerateRequest) =>
  messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n');
export const resultsOf = ({ messages }: GenerateRequest) =>
  messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
export const taskIn = (request: GenerateRequest): string | null => /Task:\n(.*)/.exec(wordsOf(request))?.[1] ?? null;

export async function family(models: Model, options: Partial<RigOptions> = {}) {
  const looked: Json[] = [];
  const look = defineTool({
    description: 'A tool',
    risk: 'read',
    scope: 'files:read',
    input: { type: 'object' },
    run(args) {
      looked.push(args as Json);
      return 'seen';
    },
  });
  const rig = await makeRig({
    models,
    ...options,
    tools: { delegate, look, ...options.tools },
    persona: { ...DELEGATING, ...options.persona },
  });
  rigs.push(rig);
  rig.registry.tools = createRegistry(
    rig.registry.tools.all().map((tool) => ({
      ...tool,
      manifest: {
        ...tool.manifest,
        capabilities: tool.name === 'delegate' ? ['delegation'] : ['files', 'artifacts', 'mail', 'outgoing'],
      },
    })),
  );
  const ended = createDelegationEnded({ ...rig.harness, announce: rig.announce });
  /** What the jobs lane does; whether there was anything to do. */
  const settle = (instance = 'first'): Promise<boolean> =>
    rig.withStore(async (store) => {
      const jobs = await store.dueJobs(rig.clock.now(), 100);
      const mine = jobs.filter(({ kind }) => kind === ended.kind);
      for (const { id } of jobs.filter(({ kind }) => kind !== ended.kind && kind !== 'suspension_due'))
        await store.endJob(id);
      for (const _ of mine) {
        const claim = { instance, deadHolders: 'all others' as const, now: rig.time.now, leaseMs: 60_000 };
        const job = await store.claimJob(claim);
        if (job?.kind === ended.kind) await ended.prepare(job)(rig.persona, store, new AbortController().signal);
      }
      return mine.length > 0;
    });
  /** Works all runs to their ends. */
  const work = async (instance = 'first') => {
    do await rig.drain(instance);
    while (await settle(instance));
  };
  const runs = () => rig.withStore((store) => store.listRuns({ limit: 100 }));
  return { rig, looked, work, settle, runs };
}

export const LEAVES = [1, 2, 3].flatMap((n) => [1, 2, 3].map((m) => `p.${n}.${m}!`)).join(' ');

/** Three children with three each; what each leaf says is told upwards. */
export const tree: Model = (request) => {
  const results = resultsOf(request);
  const task = taskIn(request);
  if (results.length > 0)
    return { text: results.flatMap(({ content }) => content.match(/p[\d.]+!/g) ?? ['?']).join(' ') };
  if (task !== null && task.split('.').length > 2) return { text: `${task}!` };
  const name = task ?? 'p';
  return {
    toolCalls: [1, 2, 3].map((n) => call(`c${n}`, 'delegate', { task: `${name}.${n}`, tools: ['delegate', 'look'] })),
  };
};

/** Every timer of a wait rings. */
export async function elapse(rig: Rig): Promise<void> {
  const timer = createSuspensionTimer({
    ...rig.harness,
    tools: () => rig.registry.tools,
    hooks: () => rig.registry.hooks,
    announce: rig.announce,
  });
  await rig.withStore(async (store) => {
    rig.time.now += 3_600_000;
    for (;;) {
      const claim = { instance: 'first', deadHolders: 'all others' as const, now: rig.time.now, leaseMs: 60_000 };
      const due = (await store.dueJobs(rig.time.now, 50)).filter(({ kind }) => kind === timer.kind);
      const job = due.length > 0 ? await store.claimJob(claim) : undefined;
      if (!job) return;
      if (job.kind === timer.kind) await timer.prepare(job)(rig.persona, store, new AbortController().signal);
      else await store.endJob(job.id);
    }
  });
}
