import { defineTool, type Json } from '#contract';
import { createRegistry } from '../../../engine/extensions/registry.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import type { Approval } from '../../../engine/storage/types/approvals.ts';

import sendEmail from '../../../extensions/tools/send_email/index.ts';
import { type Claimed, call, type Model, makeRig, type Rig, type RigOptions } from './rig.ts';

export const CARL = 'carl@elsewhere.example';
const TTL_MS = 168 * 3_600_000;

/** Where a process may die. Whoever hangs there goes on no further once another process has taken over. */
export function placeToDie(at: number) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  gate.promise.catch(() => {});
  const passed = { count: 0 };
  return {
    passed,
    reached: reached.promise,
    bury: () => gate.reject(new Error('this process is dead')),
    async pass(): Promise<void> {
      passed.count += 1;
      if (passed.count - 1 !== at) return;
      reached.resolve();
      await gate.promise;
    },
  };
}

export type Place = ReturnType<typeof placeToDie>;

/** Each commit has two sides: the process dies before it, or after it and before anything else. */
export function mortal(store: Store, place: Place): Store {
  const around =
    <Batch>(commit: (batch: Batch) => Promise<void>) =>
    async (batch: Batch) => {
      await place.pass();
      await commit(batch);
      await place.pass();
    };
  return {
    ...store,
    commitStep: around(store.commitStep),
    finishRun: around(store.finishRun),
    holdRun: around(store.holdRun),
  };
}

/** What the tools did to the world, by the number of the mail that asked for it. */
export interface World {
  place: Place;
  fails: boolean;
  readonly pushed: Json[];
  readonly put: Map<string, Json>;
  readonly looked: Json[];
}

const numberOf = (args: unknown): Json => (args as { n?: Json }).n ?? null;

function toolsOver(world: World) {
  const base = { description: 'A tool', scope: 'files:write', input: { type: 'object' } } as const;
  return {
    look: defineTool({
      ...base,
      risk: 'read',
      async run(args) {
        world.looked.push(numberOf(args));
        return 'seen';
      },
    }),
    jot: defineTool({
      ...base,
      risk: 'create',
      async run(args) {
        world.pushed.push({ jot: numberOf(args) });
        return 'jotted';
      },
    }),
    put: defineTool({
      ...base,
      risk: 'write',
      effect: 'idempotent',
      async run(args) {
        await world.place.pass();
        world.put.set(`put ${numberOf(args)}`, args as Json);
        await world.place.pass();
        return 'put';
      },
    }),
    push: defineTool({
      ...base,
      risk: 'write',
      async run(args) {
        await world.place.pass();
        if (world.fails) throw new Error('the far end said no');
        world.pushed.push(args as Json);
        await world.place.pass();
        return 'pushed';
      },
    }),
    send_email: sendEmail,
  };
}

export const toCarl = (n: number, extra: object = {}): Json => ({
  to: [CARL],
  subject: `Offer ${n}`,
  body: 'Dear *Carl*',
  ...extra,
});

export const codeIn = (content: string): string =>
  (JSON.parse(content) as { error?: { code: string } }).error?.code ?? 'ok';

/** Calls what the mail is about in its first turn, then tells what came of each. */
export const once =
  (calls: (n: number) => readonly ReturnType<typeof call>[]): Model =>
  ({ messages, input }) => {
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
    if (results.length === 0) return { toolCalls: calls(Number(/n=(\d+)/.exec(input.text)?.[1] ?? 0)) };
    return { text: results.map(({ callId, content }) => `${callId} ${codeIn(content)}`).join(', ') };
  };

/** A rig whose tools want an owner's word, among them the real `send_email`. */
export async function makeApprovalRig(model: Model, options: Partial<RigOptions> = {}) {
  const world: World = { place: placeToDie(-1), fails: false, pushed: [], put: new Map(), looked: [] };
  const loop_guard = {
    max_replies_per_thread_per_hour: 0,
    max_replies_per_sender_per_hour: 0,
    fast_reply_s: 0,
    max_fast_replies: 0,
  };
  const rig = await makeRig({
    models: async (...given) => {
      await world.place.pass();
      return model(...given);
    },
    ...options,
    tools: { ...toolsOver(world), ...options.tools },
    security: { loop_guard, ...options.security },
    // These tests tell from the model's own text what it was told; the receipt below it has tests of its own.
    persona: { reply: { receipt: 'never' }, ...options.persona },
  });
  rig.registry.tools = createRegistry(
    rig.registry.tools.all().map((tool) => ({ ...tool, manifest: { ...tool.manifest, capabilities: ['outgoing'] } })),
  );
  return { rig, world, ...ownersOf(rig) };
}

/** What owners and the clock do to held calls. */
function ownersOf(rig: Rig) {
  const pending = () => rig.withStore((store) => store.listApprovals({ limit: 100, status: 'pending' }));
  const inOrder = (rows: readonly Approval[]) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  const decide = (rows: readonly Approval[], state: 'approved' | 'rejected' | 'expired', reason?: string) =>
    rig.withStore((store) =>
      store.decideApprovals(
        rows.map(({ id }) => ({ id, state, by: 'owner@example.com', reason: reason ?? null })),
        [],
        rig.clock.now(),
      ),
    );
  return {
    decide,
    /** Open calls in the order in which they were made. */
    pending: async () => inOrder(await pending()),
    ofRun: async (runId: string | null | undefined) =>
      inOrder(await rig.withStore((store) => store.listApprovals({ limit: 100 }))).filter(
        ({ run_id }) => run_id === runId,
      ),
    async expire() {
      rig.time.now += TTL_MS;
      await decide(await pending(), 'expired');
    },
    /** Mail that a tool wrote. */
    mailTo: (address: string) =>
      rig.withStore(async (store) => {
        const rows = await store.listOutbox({ limit: 2000 });
        const to = await store.outboxRecipients(rows.map(({ id }) => id));
        return rows.filter(({ id }) => to.some((each) => each.outbox_id === id && each.address === address));
      }),
  };
}

/** Works the due run until it ends, is held, or its process dies at `place`. */
export async function live(
  rig: Rig,
  instance: string,
  place: Place,
  atCommits = true,
): Promise<{ ghost: Promise<unknown> }> {
  const loaded: Claimed | undefined = await rig.claim(instance);
  if (!loaded) throw new Error('nothing to claim');
  const ghost = rig
    .withStore((store) => rig.advance(loaded, atCommits ? mortal(store, place) : store))
    .catch((error: unknown) => error);
  await Promise.race([ghost, place.reached]);
  return { ghost };
}

export { call };
