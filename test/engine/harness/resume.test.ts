import { afterEach, describe, expect, it } from 'vitest';
import { defineTool, type Json } from '#contract';
import { createRegistry } from '../../../engine/extensions/registry.ts';
import type { RegisteredTool } from '../../../engine/extensions/types.ts';
import { FencedError } from '../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';

import proposePlan from '../../../extensions/tools/propose_plan/index.ts';
import { replayOf } from './replaying.ts';
import { call, type Model, makeRig, type Rig, type RigOptions } from './rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

/** Where a process may die: a place that counts its passings and hangs at one of them until it is let go. */
function placeToDie(at: number) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const passed = { count: 0 };
  return {
    passed,
    reached: reached.promise,
    letGo: () => gate.resolve(),
    async pass(): Promise<void> {
      passed.count += 1;
      if (passed.count - 1 !== at) return;
      reached.resolve();
      await gate.promise;
    },
  };
}

type Place = ReturnType<typeof placeToDie>;

/** Each commit of a run has two sides: the process dies before it, or after it and before anything else. */
function mortal(store: Store, place: Place): Store {
  const around =
    <Batch>(commit: (batch: Batch) => Promise<void>) =>
    async (batch: Batch) => {
      await place.pass();
      await commit(batch);
      await place.pass();
    };
  return { ...store, commitStep: around(store.commitStep), finishRun: around(store.finishRun) };
}

/** Two reads at once, a change that may be repeated, one that may not, then an answer that tells what it saw. */
async function makeStory() {
  const world = { looks: 0, put: new Map<string, Json>(), pushed: [] as Json[], place: placeToDie(-1) };
  const base = { description: 'A tool', scope: 'files:create', input: { type: 'object' } } as const;
  const tools = {
    look: defineTool({
      ...base,
      risk: 'read',
      async run() {
        world.looks += 1;
        await world.place.pass();
        return 'seen';
      },
    }),
    put: defineTool({
      ...base,
      risk: 'create',
      effect: 'idempotent',
      async run(args) {
        world.put.set('k', args);
        await world.place.pass();
        return 'put';
      },
    }),
    push: defineTool({
      ...base,
      risk: 'create',
      async run(args) {
        await world.place.pass();
        world.pushed.push(args);
        await world.place.pass();
        return 'pushed';
      },
    }),
  };
  const model: Model = async ({ messages }) => {
    await world.place.pass();
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
    switch (messages.filter(({ role }) => role === 'assistant').length) {
      case 0:
        return { toolCalls: [call('l1', 'look', { n: 1 }), call('l2', 'look', { n: 2 })] };
      case 1:
        return { toolCalls: [call('u1', 'put', { v: 1 })] };
      case 2:
        return { toolCalls: [call('p1', 'push', { v: 2 })] };
      default:
        return { text: results.map(({ callId, content }) => `${callId} ${codeIn(content)}`).join(', ') };
    }
  };
  const rig = await makeRig({ tools, models: model, persona: { reply: { receipt: 'never' } } });
  rigs.push(rig);
  return { rig, world };
}

const codeIn = (content: string): string => {
  const { error } = JSON.parse(content) as { error?: { code: string } };
  return error?.code ?? 'ok';
};

/** Works the due run as `instance` until it ends or dies at `place`; what was left behind comes back as `ghost`. */
async function live(rig: Rig, instance: string, place: Place): Promise<{ ghost: Promise<unknown> }> {
  const loaded = await rig.claim(instance);
  if (!loaded) throw new Error('nothing to claim');
  const ghost = rig.withStore((store) => rig.advance(loaded, mortal(store, place))).catch((error: unknown) => error);
  await Promise.race([ghost, place.reached]);
  return { ghost };
}

async function countPlaces(): Promise<number> {
  const { rig, world } = await makeStory();
  await rig.deliver();
  world.place = placeToDie(-1);
  await live(rig, 'only', world.place);
  return world.place.passed.count;
}

const everything = (rig: Rig, runId: string) => rig.ended(runId);

describe('a run whose process dies', () => {
  it('at any place comes to the same end in the next process, and the dead one changes nothing any more', async () => {
    const places = await countPlaces();
    expect(places).toBeGreaterThan(15);
    const told: string[] = [];
    for (let at = 0; at < places; at += 1) {
      const { rig, world } = await makeStory();
      const { runId } = await rig.deliver();
      const place = placeToDie(at);
      world.place = place;
      const { ghost } = await live(rig, 'first', place);
      world.place = placeToDie(-1);
      await rig.drain('second');
      const end = await everything(rig, runId ?? '');

      const where = `place ${at} of ${places}`;
      expect(end.run, where).toMatchObject({ status: 'done', outcome: 'final', leased_by: null });
      expect(end.replies, where).toHaveLength(1);
      expect(end.outbox, where).toHaveLength(1);
      expect([...world.put.values()], where).toEqual([{ v: 1 }]);
      expect(end.text, where).toMatch(/^l1 ok, l2 ok, u1 ok, p1 (ok|side_effect_unknown)$/);
      if (end.text?.endsWith('p1 ok')) expect(world.pushed, where).toEqual([{ v: 2 }]);
      expect(world.pushed.length, where).toBeLessThanOrEqual(1);
      for (const type of ['run_ended', 'reply_committed', 'context_built', 'run_started']) {
        expect(
          // What went on in another process says so in a start of its own.
          end.events.filter(({ type: one, data }) => one === type && data.taken_over !== true),
          `${where}: ${type}`,
        ).toHaveLength(1);
      }
      for (const id of ['l1', 'l2', 'u1', 'p1']) {
        const rows = end.rows.filter(({ tool_call_id }) => tool_call_id === id);
        expect(
          rows.map(({ event_type }) => event_type),
          `${where}: ${id}`,
        ).toEqual(['tool_call', 'tool_result']);
      }
      expect(
        end.rows.map(({ step_index }) => step_index),
        where,
      ).toEqual(end.rows.map((_row, index) => index));
      told.push(end.text?.split(' ').at(-1) ?? '');
      expect(await replayOf(rig, runId ?? ''), where).toMatchObject({ difference: null, stale: null });

      const pushed = [...world.pushed];
      place.letGo();
      const last = await ghost;
      expect(last instanceof FencedError || at === places - 1, `${where}: ${String(last)}`).toBe(true);
      const later = await everything(rig, runId ?? '');
      // What its model has answered is paid, whoever asked.
      const { cost_usd } = later.run;
      expect(cost_usd, where).toBeGreaterThanOrEqual(end.run.cost_usd);
      expect(later, where).toEqual({ ...end, run: { ...end.run, cost_usd } });
      // What was already under way in the dead process is the one thing that nobody can take back.
      expect(world.pushed.length - pushed.length, where).toBeLessThanOrEqual(1);
    }
    expect(new Set(told)).toEqual(new Set(['ok', 'side_effect_unknown']));
  });
});

async function rigWith(options: RigOptions): Promise<Rig> {
  const rig = await makeRig(options);
  rigs.push(rig);
  return rig;
}

const hang = () => new Promise<never>(() => {});

/** Dies `times` times at wherever `hung` says that it hangs. */
async function dieOften(rig: Rig, times: number, hung: { at: PromiseWithResolvers<void> }, wrap?: (s: Store) => Store) {
  for (let life = 0; life < times; life += 1) {
    hung.at = Promise.withResolvers<void>();
    const loaded = await rig.claim(`life ${life}`);
    if (!loaded) throw new Error(`nothing to claim in life ${life}`);
    void rig.withStore((store) => rig.advance(loaded, wrap ? wrap(store) : store)).catch(() => {});
    await hung.at.promise;
  }
}

/** A mail in a thread that has one before it, of which more is read while the prompt is put together. */
async function deliverSecond(rig: Rig) {
  const { replies } = await rig.answer();
  return rig.deliver({ inReplyTo: replies[0]?.message_id ?? '' });
}

describe('a run at which the process dies three times in the same place', () => {
  const tool = (run: () => Promise<Json>) =>
    defineTool({ description: 'Kills', risk: 'read', scope: 'web:read', input: { type: 'object' }, run });
  const calls: Model = ({ messages }) =>
    messages.some(({ role }) => role === 'tool') ? { text: 'Never said.' } : { toolCalls: [call('c1', 'deadly')] };

  it('in a tool ends with a stated partial answer, and the tool is not tried a fourth time', async () => {
    const hung = { at: Promise.withResolvers<void>(), count: 0 };
    const deadly = tool(() => {
      hung.count += 1;
      hung.at.resolve();
      return hang();
    });
    const rig = await rigWith({ tools: { deadly }, models: calls });
    const { runId } = await rig.deliver();
    await dieOften(rig, 3, hung);
    await rig.drain('last');
    const end = await rig.ended(runId ?? '');
    expect(end.run).toMatchObject({ status: 'done', outcome: 'partial', code: 'repeated_crash', crashes: 3 });
    expect(end.text).toContain('the same step made the program stop several times');
    expect(end.replies).toHaveLength(1);
    expect(end.rows.map(({ event_type }) => event_type)).toEqual(['tool_call', 'tool_result']);
    expect(end.jobs).toEqual([`notice:run_failed:${runId}`]);
    expect(hung.count).toBe(3);
  });

  it('in a step of an approved plan ends the plan there, although that step could be made again', async () => {
    const hung = { at: Promise.withResolvers<void>(), count: 0 };
    const gone = (run: () => Json | Promise<Json>) =>
      defineTool({
        description: 'Removes',
        risk: 'destructive',
        scope: 'files:delete',
        effect: 'idempotent',
        input: { type: 'object' },
        effects: async (args) => ({ targets: [JSON.stringify(args)] }),
        run,
      });
    const deadly = gone(() => {
      hung.count += 1;
      hung.at.resolve();
      return hang();
    });
    const steps = [
      { tool: 'erase', arguments: { n: 1 } },
      { tool: 'deadly', arguments: { n: 2 } },
      { tool: 'erase', arguments: { n: 3 } },
    ];
    const erased: Json[] = [];
    const erase = gone(() => erased.push('one'));
    const rig = await rigWith({
      tools: { erase, deadly, propose_plan: proposePlan },
      models: ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'Never said.' }
          : { toolCalls: [call('c1', 'propose_plan', { steps })] },
    });
    const { runId } = await rig.deliver({ text: 'Please delete all three.' });
    await rig.drain();
    await rig.withStore(async (store) => {
      const asked = await store.listApprovals({ limit: 10 });
      const yes = asked.map(({ id }) => ({ id, state: 'approved' as const, by: 'owner@example.com', reason: null }));
      await store.decideApprovals(yes, [], rig.clock.now());
    });
    await dieOften(rig, 3, hung);
    await rig.drain('last');
    const { run, rows, jobs } = await rig.ended(runId ?? '');
    expect(run).toMatchObject({ outcome: 'partial', code: 'repeated_crash' });
    expect({ made: hung.count, erased }).toEqual({ made: 3, erased: ['one'] });
    expect(rows.filter(({ event_type }) => event_type === 'tool_result')).toHaveLength(3);
    expect(jobs).toContain(`notice:run_failed:${runId}`);
    const [approval] = await rig.withStore((store) => store.listApprovals({ limit: 10 }));
    expect(approval).toMatchObject({ state: 'side_effect_unknown', reason: expect.stringContaining('step 3') });
    expect(await replayOf(rig, runId ?? '')).toMatchObject({ difference: null, stale: null });
  });

  it('in the model call ends in the same way', async () => {
    const hung = { at: Promise.withResolvers<void>(), count: 0 };
    const rig = await rigWith({
      models: () => {
        hung.count += 1;
        hung.at.resolve();
        return hang();
      },
    });
    const { runId } = await rig.deliver();
    await dieOften(rig, 3, hung);
    await rig.drain('last');
    expect((await rig.ended(runId ?? '')).run).toMatchObject({ outcome: 'partial', code: 'repeated_crash' });
    expect(hung.count).toBe(3);
  });

  it('while the prompt is put together ends in the same way, without putting it together again', async () => {
    const hung = { at: Promise.withResolvers<void>() };
    const rig = await rigWith({ models: () => ({ text: 'Said once.' }) });
    const { runId } = await deliverSecond(rig);
    await dieOften(rig, 3, hung, (store) => ({
      ...store,
      countSeen: () => {
        hung.at.resolve();
        return hang();
      },
    }));
    await rig.drain('last');
    expect((await rig.ended(runId ?? '')).run).toMatchObject({ outcome: 'partial', code: 'repeated_crash' });
    expect(rig.requests).toHaveLength(1);
  });

  it('over its reply too is given up after six with a fixed one, and the owner is told', async () => {
    const hung = { at: Promise.withResolvers<void>() };
    const rig = await rigWith({ models: () => ({ text: 'Deadly words.' }) });
    const { runId } = await rig.deliver();
    await dieOften(rig, 6, hung, (store) => ({
      ...store,
      finishRun: () => {
        hung.at.resolve();
        return hang();
      },
    }));
    await rig.drain('last');
    const end = await rig.ended(runId ?? '');
    expect(end.run).toMatchObject({ status: 'failed', outcome: 'failed', code: 'repeated_crash' });
    expect(end.replies).toHaveLength(1);
    expect(end.outbox).toMatchObject([{ purpose: 'final', state: 'queued', in_reply_to: end.run.message_id }]);
    expect(end.text).toMatch(/^I could not work on your mail: .* nothing more will happen by itself\.$/);
    expect(end.jobs).toEqual([`notice:run_abandoned:${runId}`]);
  });

  it('or the engine fails at it six times, gets the fixed answer all the same, and only that', async () => {
    const rig = await rigWith({ models: () => ({ text: 'Words that never leave.' }) });
    // Needed for every usual reply, and for nothing else.
    Object.defineProperty(rig.harness, 'recursionSecret', {
      get() {
        throw new TypeError('broken');
      },
    });
    const { run, text, replies, outbox, jobs } = await rig.answer();
    expect(run).toMatchObject({ status: 'failed', outcome: 'failed', code: 'repeated_crash', reserved_usd: 0 });
    expect(text).toMatch(/^I could not work on your mail: something inside the gateway failed/);
    expect(replies).toHaveLength(1);
    expect(outbox).toHaveLength(1);
    expect(jobs).toEqual([`notice:run_abandoned:${run.id}`]);
  });

  it('starts to count anew when a step was made in between', async () => {
    const hung = { at: Promise.withResolvers<void>() };
    const rig = await rigWith({
      tools: { look: tool(async () => 'seen') },
      models: ({ messages }, asked) => {
        if (asked === 3 || asked === 6) return { toolCalls: [call(`c${asked}`, 'look', { asked })] };
        if (asked === 7) return { text: `After ${messages.length}` };
        hung.at.resolve();
        return hang();
      },
    });
    const { runId } = await rig.deliver();
    await dieOften(rig, 4, hung);
    await rig.drain('last');
    expect((await rig.ended(runId ?? '')).run).toMatchObject({ outcome: 'final', code: null });
  });
});

describe('a run whose tool is no longer installed when it goes on', () => {
  it.each([
    ['died in its call', 1],
    ['died after it, and the model that was shown it calls it again', 2],
  ])('and that %s ends with a stated reply and one word to the owner', async (_when, times) => {
    const hung = { at: Promise.withResolvers<void>() };
    const lives = { count: 0 };
    const stop = () => {
      hung.at.resolve();
      return hang();
    };
    const gone = defineTool({
      description: 'Goes',
      risk: 'read',
      scope: 'web:read',
      input: { type: 'object' },
      run: () => (times === 1 ? stop() : 'seen'),
    });
    const rig = await rigWith({
      tools: { gone },
      models: ({ messages }) => {
        const turn = messages.filter(({ role }) => role === 'assistant').length;
        if (turn === 1 && lives.count === 0) return stop();
        return { toolCalls: [call(`c${turn}`, 'gone', { turn })] };
      },
    });
    const { runId } = await rig.deliver();
    await dieOften(rig, 1, hung);
    lives.count = 1;
    rig.registry.tools = createRegistry<RegisteredTool>([]);
    await rig.drain('second');
    const end = await rig.ended(runId ?? '');
    expect(end.run).toMatchObject({ status: 'failed', outcome: 'failed', code: 'tool_not_found' });
    expect(end.text).toContain('a tool that was needed is no longer installed');
    expect(end.replies).toHaveLength(1);
    expect(end.jobs).toEqual([`notice:run_failed:${runId}`]);
    const kinds = end.rows.map(({ event_type }) => event_type);
    expect(kinds).toEqual(Array.from({ length: times }, () => ['tool_call', 'tool_result']).flat());
  });
});

describe('a run that faults', () => {
  it('is put back with a growing wait and answered in part after three faults', async () => {
    const rig = await rigWith({ models: () => ({ text: 'Said once.' }) });
    const broken = (store: Store): Store => ({
      ...store,
      countSeen: () => Promise.reject(new Error('the disk is gone')),
    });
    const { runId } = await deliverSecond(rig);
    const lane = rig.laneOf('one');
    const waits: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const [work] = await rig.withStore((store) => lane.claim('ada', store, 1));
      const before = rig.clock.now();
      await rig.withStore((store) => work?.(broken(store), new AbortController().signal) ?? Promise.reject(turn));
      const { run } = await rig.ended(runId ?? '');
      waits.push(run.due_at - before);
      rig.time.now = run.due_at;
    }
    expect(waits).toEqual([375, 750, 1500]);
    await rig.drain('one');
    expect((await rig.ended(runId ?? '')).run).toMatchObject({ outcome: 'partial', code: 'repeated_crash' });
  });

  it('is worked although no look at runs that failed before was possible beside its claim', async () => {
    const rig = await rigWith({ models: () => ({ text: 'Here I am.' }) });
    const { runId } = await rig.deliver();
    const blind = (store: Store): Store => ({ ...store, hasDueSuspect: () => Promise.reject(new Error('locked')) });
    const work = await rig.withStore((store) => rig.laneOf('first').claim('ada', blind(store), 2));
    await rig.withStore((store) => work[0]?.(store, new AbortController().signal) ?? Promise.reject(new Error('lost')));
    expect((await rig.ended(runId ?? '')).run).toMatchObject({ outcome: 'final', crashes: 0 });
  });

  it('because the gateway stops is not blamed for it, and goes on in the next process', async () => {
    const stop = new AbortController();
    const rig = await rigWith({
      models: (_request, asked, signal) => {
        if (asked > 1) return { text: 'Here I am.' };
        stop.abort();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const { runId } = await rig.deliver();
    const [work] = await rig.withStore((store) => rig.laneOf('first').claim('ada', store, 1));
    await rig.withStore((store) => work?.(store, stop.signal) ?? Promise.reject(new Error('nothing to claim')));
    expect((await rig.ended(runId ?? '')).run).toMatchObject({ status: 'queued', crashes: 0 });
    await rig.drain('second');
    expect((await rig.ended(runId ?? '')).run).toMatchObject({ outcome: 'final', crashes: 0 });
  });
});

describe('the runs of one thread', () => {
  it('are worked one after the other, in the order in which their mail came', async () => {
    const rig = await rigWith({ models: (_request, asked) => ({ text: `Answer ${asked}` }) });
    await rig.deliver({ id: '<a@member.example>' });
    // Others get its answer, so that the first cannot answer it as well.
    await rig.deliver({ inReplyTo: '<a@member.example>', cc: 'zoe@member.example' });
    await rig.deliver({ from: 'zoe@member.example' });
    const first = await rig.claim('one');
    const other = await rig.claim('one');
    expect(first?.run.seq).toBe(1);
    expect(other?.run.seq).toBe(3);
    expect(await rig.claim('one')).toBeUndefined();
    await rig.withStore(async (store) => {
      if (first) await rig.advance(first, store);
    });
    expect((await rig.claim('one'))?.run.seq).toBe(2);
  });
});
