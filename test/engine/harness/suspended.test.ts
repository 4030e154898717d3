import { afterEach, describe, expect, it } from 'vitest';
import { defineTool, EngineError, type Json } from '#contract';
import { bringResult } from '../../../engine/actions/bring-result.ts';
import { cancelRun } from '../../../engine/actions/cancel-run.ts';
import { stopRuns } from '../../../engine/actions/stop.ts';
import { createRegistry } from '../../../engine/extensions/registry.ts';
import { createSuspensionTimer } from '../../../engine/tools/outside/suspension-timer.ts';
import { call, live, makeApprovalRig, once, placeToDie } from './approvals-rig.ts';
import { replayOf } from './replaying.ts';
import type { Rig, RigOptions } from './rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

const pendingFor = (id: string, times = {}) => ({ pending: { id, check_after_s: 10, timeout_s: 60, ...times } });

/** A tool that begins work elsewhere; `outside` is what that has to say when it is asked. */
async function story(
  options: Partial<RigOptions> & {
    readonly risk?: 'read' | 'write';
    readonly says?: string;
    readonly calls?: number;
  } = {},
) {
  const outside: { begun: string[]; asked: number; says(): Json } = {
    begun: [],
    asked: 0,
    says: () => pendingFor('job-1'),
  };
  const render = defineTool({
    description: 'Renders a film',
    risk: options.risk ?? 'read',
    scope: 'files:read',
    input: { type: 'object' },
    output: { type: 'object', properties: { film: { type: 'string' } }, required: ['film'] },
    run() {
      outside.begun.push('job-1');
      return pendingFor('job-1');
    },
    check(id) {
      outside.asked += 1;
      if (id !== 'job-1') throw new Error(`nobody knows ${id}`);
      return outside.says();
    },
  });
  const renders = Array.from({ length: options.calls ?? 1 }, (_, at) => call(`r${at + 1}`, 'render', { n: at }));
  const model = once(() => [...renders, call('l1', 'look', { n: 1 })]);
  const made = await makeApprovalRig(
    async (...given) => {
      const turn = await model(...given);
      return turn.toolCalls ? { ...turn, text: options.says ?? '' } : turn;
    },
    { ...options, tools: { render } },
  );
  const { rig } = made;
  rigs.push(rig);
  const timerWith = (pass: Rig['harness']['pass']) =>
    createSuspensionTimer({
      ...rig.harness,
      tools: () => rig.registry.tools,
      hooks: () => rig.registry.hooks,
      announce: rig.announce,
      pass,
    });
  /** What the jobs lane does when the next check is due; whether there was one. */
  const tick = (instance = 'first', pass = rig.harness.pass): Promise<boolean> =>
    rig.withStore(async (store) => {
      const timer = timerWith(pass);
      const others = (await store.dueJobs(Number.MAX_SAFE_INTEGER, 50)).filter(({ kind }) => kind !== timer.kind);
      for (const { id } of others) await store.endJob(id);
      const [next] = await store.dueJobs(Number.MAX_SAFE_INTEGER, 1);
      rig.time.now = Math.max(rig.time.now, next?.due_at ?? 0);
      const claim = { instance, deadHolders: 'all others' as const, now: rig.time.now, leaseMs: 60_000 };
      const job = await store.claimJob(claim);
      if (job) await timer.prepare(job)(rig.persona, store, new AbortController().signal);
      return job !== undefined;
    });
  const rows = (runId: string) => rig.withStore((store) => store.suspensionsOfRun(runId));
  return { ...made, outside, tick, rows };
}

describe('a call whose result comes later', () => {
  it('holds neither lease nor thread, is asked about until it is there, and is made once', async () => {
    const { rig, outside, tick, rows, world } = await story();
    const { run } = await rig.answer();
    expect(run).toMatchObject({ status: 'waiting_approval', waiting_for: 'external', leased_by: null });
    expect(world.looked).toEqual([1]);
    expect(await rows(run.id)).toMatchObject([{ call_id: 'r1', kind: 'external', state: 'open' }]);
    await tick();
    expect((await rig.ended(run.id)).run.status).toBe('waiting_approval');
    outside.says = () => ({ film: 'f.mp4' });
    await tick();
    await rig.drain();
    const end = await rig.ended(run.id);
    expect(end.text).toBe('r1 ok, l1 ok');
    expect(end.replies).toHaveLength(1);
    expect([outside.begun.length, outside.asked]).toEqual([1, 2]);
    expect(await rows(run.id)).toMatchObject([{ state: 'resolved' }]);
    expect(await tick()).toBe(false);
    expect(await replayOf(rig, run.id)).toMatchObject({ difference: null, stale: null });
  });

  it('leaves its thread free for the mail that comes meanwhile', async () => {
    const { rig, outside } = await story();
    const first = await rig.answer({ id: '<first@member.example>' });
    const { runId } = await rig.deliver({ inReplyTo: '<first@member.example>' });
    await rig.drain();
    const second = await rig.ended(runId ?? '');
    expect(second.run.thread_id).toBe(first.run.thread_id);
    expect(second.run.status).toBe('waiting_approval');
    expect(outside.begun).toHaveLength(2);
  });

  it('has timed out when its time is over, and the model is told', async () => {
    const { rig, tick, rows, outside } = await story();
    const { run } = await rig.answer();
    while (await tick());
    await rig.drain();
    const end = await rig.ended(run.id);
    expect(end.text).toBe('r1 tool_timeout, l1 ok');
    expect(await rows(run.id)).toMatchObject([{ state: 'timed_out' }]);
    expect(rig.time.now).toBe(Date.parse('2026-11-21T12:01:00Z'));
    expect(outside.asked).toBe(5);
    expect(await replayOf(rig, run.id)).toMatchObject({ difference: null, stale: null });
  });

  it('is asked about again where nobody could say, and has failed where it is not known', async () => {
    const { rig, outside, tick } = await story();
    const { run } = await rig.answer();
    outside.says = () => {
      throw new Error('the far end is busy');
    };
    await tick();
    expect((await rig.ended(run.id)).run.status).toBe('waiting_approval');
    outside.says = () => {
      throw new EngineError('not_found', 'no such job');
    };
    await tick();
    await rig.drain();
    expect((await rig.ended(run.id)).text).toBe('r1 not_found, l1 ok');
  });

  it('is a failed call where the result is not what its tool declares', async () => {
    const { rig, outside, tick } = await story();
    const { run } = await rig.answer();
    outside.says = () => ({ movie: 1 });
    await tick();
    await rig.drain();
    expect((await rig.ended(run.id)).text).toBe('r1 invalid_result, l1 ok');
  });

  it('gives one result when the process dies before or after it was taken', async () => {
    for (const dies of ['before', 'after'] as const) {
      const { rig, outside, tick, rows } = await story();
      const { run } = await rig.answer();
      outside.says = () => {
        if (dies === 'before') throw new Error('dead');
        return { film: 'f.mp4' };
      };
      const pass = () => {
        throw new Error('dead');
      };
      await tick('first', pass).catch(() => {});
      outside.says = () => ({ film: 'another.mp4' });
      while (await tick('second'));
      await rig.drain('second');
      const end = await rig.ended(run.id);
      expect(end.replies).toHaveLength(1);
      const film = dies === 'before' ? 'another.mp4' : 'f.mp4';
      expect(await rows(run.id)).toMatchObject([{ state: 'resolved', result: { ok: true, result: { film } } }]);
    }
  });

  it('is begun again after a death before it was on record, where that is harmless', async () => {
    const { rig, outside, tick } = await story();
    const { runId } = await rig.deliver();
    // The commit that holds the suspension has two sides: this is the one before it.
    const place = placeToDie(4);
    const { ghost } = await live(rig, 'first', place);
    expect(outside.begun).toHaveLength(1);
    await rig.drain('second');
    expect(outside.begun).toHaveLength(2);
    outside.says = () => ({ film: 'f.mp4' });
    await tick('second');
    await rig.drain('second');
    expect((await rig.ended(runId ?? '')).text).toBe('r1 ok, l1 ok');
    place.bury();
    await ghost;
  });

  it('comes after an owner has agreed to the call, and the call is done by then', async () => {
    const { rig, outside, pending, decide, tick, ofRun, rows } = await story({ risk: 'write' });
    const { run } = await rig.answer();
    expect(outside.begun).toEqual([]);
    await decide(await pending(), 'approved');
    await rig.drain();
    expect(outside.begun).toEqual(['job-1']);
    expect((await rig.ended(run.id)).run).toMatchObject({ status: 'waiting_approval', waiting_for: 'external' });
    expect(await ofRun(run.id)).toMatchObject([{ state: 'executed' }]);
    outside.says = () => ({ film: 'f.mp4' });
    await tick();
    await rig.drain();
    expect((await rig.ended(run.id)).text).toBe('r1 ok, l1 ok');
    expect(await rows(run.id)).toMatchObject([{ state: 'resolved' }]);
    expect(await replayOf(rig, run.id)).toMatchObject({ difference: null, stale: null });
  });
});

describe('a run that waits for what a call has begun', () => {
  it('is over when its owner cancels it, and what comes later is nobody’s', async () => {
    const { rig, tick, rows, outside } = await story();
    const { run } = await rig.answer();
    const deps = { ...rig.harness, announce: rig.announce };
    const cancelled = await rig.withStore((store) =>
      cancelRun(deps, { persona: rig.persona, store, id: run.id, by: 'cli' }),
    );
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    expect(await rows(run.id)).toMatchObject([{ state: 'cancelled' }]);
    outside.says = () => ({ film: 'f.mp4' });
    await tick();
    expect(outside.asked).toBe(0);
    expect((await rig.ended(run.id)).run.status).toBe('cancelled');
  });

  it('is over when its owner stops the persona', async () => {
    const { rig, tick, rows, outside } = await story();
    const { run } = await rig.answer();
    const now = rig.clock.now();
    await rig.withStore((store) =>
      stopRuns(rig.harness, { persona: rig.persona, store, now, by: 'owner@example.com' }),
    );
    expect(await rows(run.id)).toMatchObject([{ state: 'cancelled' }]);
    await tick();
    expect(outside.asked).toBe(0);
  });
});

it('what a tool without a check says is its result, whatever it looks like', async () => {
  const later = defineTool({
    description: 'A tool',
    risk: 'read',
    scope: 'files:read',
    input: { type: 'object' },
    run: () => pendingFor('job-1'),
  });
  const { rig } = await makeApprovalRig(
    once(() => [call('x1', 'later')]),
    { tools: { later } },
  );
  rigs.push(rig);
  const { text, run } = await rig.answer();
  expect([run.status, text]).toEqual(['done', 'x1 ok']);
});

describe('what can be said before a result is there', () => {
  const SO_FAR = 'Until then: look n=1 is done.';
  const sent = (end: Awaited<ReturnType<Rig['ended']>>) =>
    end.outbox.toReversed().map(({ purpose, kind, in_reply_to }) => ({ purpose, kind, in_reply_to }));

  it('is mailed at once, and the rest follows in its thread', async () => {
    const { rig, outside, tick } = await story({ says: SO_FAR });
    const { run, text, events } = await rig.answer({ id: '<film@member.example>' });
    expect(run.status).toBe('waiting_approval');
    expect(text).toBe(SO_FAR);
    expect(events.filter(({ type }) => type === 'answered_so_far')).toHaveLength(1);
    outside.says = () => ({ film: 'f.mp4' });
    await tick();
    await rig.drain();
    const end = await rig.ended(run.id);
    const reply = { kind: 'reply', in_reply_to: '<film@member.example>' };
    expect(sent(end)).toEqual([
      { purpose: 'so_far', ...reply },
      { purpose: 'follow_up', ...reply },
    ]);
    expect(end.replies.map((one) => one.text)).toEqual(['r1 ok, l1 ok', SO_FAR]);
    expect(end.run.reply_message_id).toBe(end.replies[0]?.message_id);
    expect(await replayOf(rig, run.id)).toMatchObject({ difference: null, stale: null });
  });

  it('is one mail, and so is the rest, wherever the process dies', async () => {
    for (let at = 0; ; at += 1) {
      const { rig, outside, tick, rows } = await story({ says: SO_FAR });
      const { runId } = await rig.deliver();
      const place = placeToDie(at);
      const lives = ['first', 'second'];
      const ghosts: Promise<unknown>[] = [];
      for (const instance of lives) {
        ghosts.push((await live(rig, instance, place)).ghost);
        await rig.drain('third');
        outside.says = () => ({ film: 'f.mp4' });
        while (await tick('third'));
        if ((await rig.withStore((store) => store.overview(0))).runs.length === 0) break;
      }
      await rig.drain('third');
      const end = await rig.ended(runId ?? '');
      expect(end.outbox.map(({ purpose }) => purpose).sort(), `dies at ${at}`).toEqual(['follow_up', 'so_far']);
      expect(end.replies.map((one) => one.text)).toEqual(['r1 ok, l1 ok', SO_FAR]);
      expect(await rows(end.run.id)).toMatchObject([{ state: 'resolved' }]);
      const isDone = place.passed.count <= at;
      place.bury();
      await Promise.all(ghosts);
      await rig.close();
      rigs.pop();
      if (isDone) break;
    }
  });

  it('waits where an owner is asked as well, and where answers lie in Drafts', async () => {
    const asked = await story({ says: SO_FAR, risk: 'write' });
    expect((await asked.rig.answer()).outbox).toEqual([]);
    const drafted = await story({ says: SO_FAR, persona: { reply: { mode: 'draft', receipt: 'never' } } });
    expect((await drafted.rig.answer()).outbox).toEqual([]);
  });
});

describe('work under way elsewhere', () => {
  it('is three calls of a persona at a time: the fourth is not begun, and the model is told', async () => {
    const { rig, outside, tick, rows } = await story({ calls: 4 });
    const { run } = await rig.answer();
    expect(outside.begun).toHaveLength(3);
    expect(await rows(run.id)).toHaveLength(3);
    const second = await rig.answer();
    expect(second.text).toBe(
      'r1 policy_quota_exceeded, r2 policy_quota_exceeded, r3 policy_quota_exceeded, r4 policy_quota_exceeded, l1 ok',
    );
    outside.says = () => ({ film: 'f.mp4' });
    while (await tick());
    await rig.drain();
    expect((await rig.ended(run.id)).text).toBe('r1 ok, r2 ok, r3 ok, r4 policy_quota_exceeded, l1 ok');
    expect((await rig.answer()).run.status).toBe('waiting_approval');
  });

  it('leaves its place where the call gave its result at once, or failed', async () => {
    const { rig, outside } = await story();
    const tool = rig.registry.tools.get('render');
    if (!tool) throw new Error('no render');
    const answers = [() => Promise.resolve({ film: 'f.mp4' }), () => Promise.reject(new Error('no disk'))];
    for (let time = 0; time < 8; time += 1) {
      const others = rig.registry.tools.all().filter(({ name }) => name !== 'render');
      rig.registry.tools = createRegistry([...others, { ...tool, call: answers[time % 2] ?? tool.call }]);
      expect((await rig.answer()).text).toBe(time % 2 === 0 ? 'r1 ok, l1 ok' : 'r1 tool_failed, l1 ok');
    }
    expect(outside.begun).toEqual([]);
  });

  it('is said in the reply to have come to nothing when its time is over', async () => {
    const { rig, tick } = await story({ persona: { reply: { receipt: 'effects' } } });
    const { run } = await rig.answer();
    while (await tick());
    await rig.drain();
    const { text } = await rig.ended(run.id);
    expect(text).toContain('Not done: render (broken off because it took too long');
    expect(await replayOf(rig, run.id)).toMatchObject({ difference: null, stale: null });
  });

  it('has its result by whoever brings it, once', async () => {
    const { rig } = await story();
    const { run } = await rig.answer();
    const bring = (json: string, job = 'job-1') =>
      bringResult(
        {
          ...rig.harness,
          announce: rig.announce,
          stores: rig.stores,
          personas: [rig.persona],
          tools: rig.registry.tools,
        },
        { job, json, by: 'cli', now: rig.clock.now() },
      );
    expect(await bring('{"film":"f.mp4"}', 'job-2')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    await expect(bring('film')).rejects.toThrow('JSON');
    expect(await bring('{"film":"f.mp4"}')).toMatchObject({ resolved: { run_id: run.id, call_id: 'r1' } });
    expect(await bring('{"film":"g.mp4"}')).toMatchObject({ ok: false });
    await rig.drain();
    const end = await rig.ended(run.id);
    expect(end.text).toBe('r1 ok, l1 ok');
    expect(end.events.find(({ type }) => type === 'resumed')?.data).toMatchObject({ by: 'cli' });
    expect(await replayOf(rig, run.id)).toMatchObject({ difference: null, stale: null });
  });
});
