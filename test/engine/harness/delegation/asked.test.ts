import { describe, expect, it } from 'vitest';
import { defineTool, type Json } from '#contract';
import { cancelRun } from '../../../../engine/actions/cancel-run.ts';
import { waitForRun } from '../../../../engine/queries/runs/wait-for-run.ts';
import { createEditJudge } from '../../../../engine/tools/judge-edit.ts';
import { mortal, placeToDie } from '../approvals-rig.ts';
import { call, type Model, type Rig, type RigOptions } from '../rig.ts';
import { elapse, family, resultsOf, rigs, taskIn } from './family.ts';

const BY = 'owner@example.com';

/** Hands on as many parts as are named; each pushes its own name once, and says what came of it. */
const pushing =
  (...parts: readonly string[]): Model =>
  (request) => {
    const told = resultsOf(request).map(({ content }) => content);
    const task = taskIn(request);
    if (told.length > 0) return { text: told.join('\n') };
    if (task !== null) return { toolCalls: [call('p', 'push', { n: task })] };
    return { toolCalls: parts.map((name) => call(`d${name}`, 'delegate', { task: name, tools: ['push'] })) };
  };

async function asking(model: Model, options: Partial<RigOptions> = {}) {
  const pushed: Json[] = [];
  const push = defineTool({
    ...{ description: 'A tool', risk: 'write', scope: 'web:write', input: { type: 'object' } },
    run(args) {
      pushed.push(args as Json);
      return 'pushed';
    },
  });
  const parts = await family(model, { ...options, tools: { push, ...options.tools } });
  const { rig } = parts;
  const approvals = (status?: 'pending') => rig.withStore((store) => store.listApprovals({ limit: 100, status }));
  const decide = async (state: 'approved' | 'rejected' | 'expired', most = 100) => {
    const verdicts = (await approvals('pending')).slice(0, most).map(({ id }) => ({ id, state, by: BY, reason: null }));
    return rig.withStore((store) => store.decideApprovals(verdicts, [], rig.clock.now()));
  };
  return { ...parts, pushed, approvals, decide };
}

/** Waits for the end of a run as a command does, at most a minute; how often it looked again meanwhile. */
async function waited(rig: Rig, runId: string | null) {
  const slept: number[] = [];
  const clock = {
    now: () => slept.reduce((sum, ms) => sum + ms, 0),
    sleep: async (ms: number) => void slept.push(ms),
  };
  const stores = {
    use: <Found>(_persona: string, work: Parameters<typeof rig.withStore<Found>>[0]) => rig.withStore(work),
  };
  const { status } = await waitForRun({ stores, clock }, 'ada', runId ?? '', 60_000);
  return { status, looks: slept.length };
}

const waits = (rig: Rig, runId: string | null) => rig.withStore((store) => store.suspensionsOfRun(runId ?? ''));

describe('a call of a child run that needs an approval', () => {
  it('is asked about, once for all children of a run, and made as it stood; its result reaches the parent', async () => {
    const { rig, work, approvals, decide, pushed, runs } = await asking(pushing('a', 'b'));
    const { runId } = await rig.deliver();
    await rig.drain();
    const held = await approvals('pending');
    const below = (await runs()).filter(({ parent_run_id }) => parent_run_id === runId).map(({ id }) => id);
    expect(held.map(({ run_id }) => run_id).sort()).toEqual(below.sort());
    const jobs = (await rig.ended(runId ?? '')).jobs;
    expect(jobs.filter((id) => id.startsWith('approval_notice'))).toEqual([`approval_notice:${runId}`]);
    expect(jobs.filter((id) => id.startsWith('wait_notice'))).toEqual([`wait_notice:${runId}`]);
    expect((await rig.withStore((store) => store.unnoticedApprovals(runId))).map(({ id }) => id)).toEqual(
      held.map(({ id }) => id).toReversed(),
    );
    expect(pushed).toEqual([]);
    // Nothing goes on before somebody decides: whoever waits for the run is told so at once, and no sooner.
    expect(await waited(rig, runId)).toEqual({ status: 'waiting_approval', looks: 0 });
    await decide('approved', 1);
    expect((await waited(rig, runId)).looks).toBeGreaterThan(0);
    await decide('approved');
    await work();
    expect(pushed.map((args) => (args as { n: string }).n).sort()).toEqual(['a', 'b']);
    const { run, text, outbox } = await rig.ended(runId ?? '');
    expect(run).toMatchObject({ status: 'done', outcome: 'final' });
    expect(text?.match(/pushed/g)).toHaveLength(2);
    expect(outbox).toHaveLength(1);
  });

  it('is not made after a no, or where nobody answers, and the parent hears which', async () => {
    for (const [state, words] of [
      ['rejected', 'the owner said no'],
      ['expired', 'nobody answered in time'],
    ] as const) {
      const { rig, work, decide, pushed } = await asking(pushing('a'));
      const { runId } = await rig.deliver();
      await rig.drain();
      await decide(state);
      await work();
      expect(pushed).toEqual([]);
      expect((await rig.ended(runId ?? '')).text).toContain(words);
    }
  });

  it('goes by the standing rules: what an owner lets go is made at once', async () => {
    const security = { tool_policy: { tools: { push: 'allow' } } };
    const { rig, work, approvals, pushed } = await asking(pushing('a'), { security });
    await rig.deliver();
    await work();
    expect(await approvals()).toEqual([]);
    expect(pushed).toHaveLength(1);
  });

  it('keeps its parent waiting for as long as owners may take, and then for no longer than before', async () => {
    const { rig, work, approvals, decide, runs } = await asking(pushing('a'));
    const { runId } = await rig.deliver();
    await rig.drain();
    const [asked] = await approvals('pending');
    const [wait] = await waits(rig, runId);
    expect(wait?.due_at).toBeGreaterThan(asked?.expires_at ?? Number.POSITIVE_INFINITY);
    await elapse(rig);
    expect(await waits(rig, runId)).toMatchObject([{ state: 'open' }]);
    await decide('approved');
    // Nobody works: what goes on after a yes has the time that it had before, and no week.
    await elapse(rig);
    expect(await waits(rig, runId)).toMatchObject([{ state: 'timed_out' }]);
    await work();
    expect((await runs()).map(({ status }) => status).sort()).toEqual(['cancelled', 'done']);
  });

  it('waits on while another below the same part is asked about', async () => {
    const model: Model = (request) => {
      const told = resultsOf(request).map(({ content }) => content);
      const task = taskIn(request);
      if (told.length > 0) return { text: told.join() };
      if (task === null) return { toolCalls: [call('d', 'delegate', { task: 'm', tools: ['push', 'delegate'] })] };
      if (task !== 'm') return { toolCalls: [call('p', 'push', { n: task })] };
      return { toolCalls: ['x', 'y'].map((n) => call(`d${n}`, 'delegate', { task: n, tools: ['push'] })) };
    };
    const { rig, work, decide, pushed } = await asking(model);
    const { runId } = await rig.deliver();
    await rig.drain();
    const [before] = await waits(rig, runId);
    await decide('approved', 1);
    await work();
    const [still] = await waits(rig, runId);
    expect(still).toMatchObject({ state: 'open', due_at: before?.due_at });
    await decide('approved');
    const [after] = await waits(rig, runId);
    expect(after?.due_at).toBeLessThan(rig.clock.now() + 3_600_001);
    await work();
    expect(pushed).toHaveLength(2);
    expect((await rig.ended(runId ?? '')).run.outcome).toBe('final');
  });

  it('is over with the run that it works for, also where an owner has just said yes', async () => {
    for (const first of ['cancel', 'yes'] as const) {
      const { rig, work, approvals, decide, pushed, runs } = await asking(pushing('a'));
      const { runId } = await rig.deliver();
      await rig.drain();
      if (first === 'yes') await decide('approved');
      const deps = { ...rig.harness, announce: rig.announce };
      await rig.withStore((store) => cancelRun(deps, { persona: rig.persona, store, id: runId ?? '', by: 'cli' }));
      if (first === 'cancel') {
        const [asked] = await approvals();
        await decide('approved');
        await work();
        const late = [{ id: asked?.id ?? '', state: 'approved' as const, by: BY, reason: null }];
        expect(await rig.withStore((store) => store.decideApprovals(late, [], rig.clock.now()))).toMatchObject([
          { outcome: 'not_pending' },
        ]);
      }
      await work();
      expect(pushed).toEqual([]);
      expect(await approvals()).toMatchObject([{ state: 'stale' }]);
      expect(new Set((await runs()).map(({ status }) => status))).toEqual(new Set(['cancelled']));
    }
  });

  it('can be edited within what the child may use, and not beyond', async () => {
    const other = defineTool({
      ...{ description: 'A tool', risk: 'write', scope: 'files:write', input: { type: 'object' } },
      run: () => 'written',
    });
    const { rig, approvals } = await asking(pushing('a'), { tools: { other } });
    await rig.deliver();
    await rig.drain();
    const [asked] = await approvals('pending');
    if (!asked) throw new Error('nothing is asked');
    const judge = createEditJudge({
      ...rig.harness,
      tools: () => rig.registry.tools,
      hooks: () => rig.registry.hooks,
    });
    const edited = (tool: string) =>
      rig.withStore((store) => judge(rig.persona, store, { ...asked, tool }, { n: 'changed' }));
    expect(await edited('push')).toMatchObject({ ok: true });
    expect(await edited('other')).toMatchObject({ ok: false });
  });
});

/** Works until the process dies at this commit, or to the end; then another goes on. An owner says yes to all. */
async function livesTwice(at: number) {
  const parts = await asking(pushing('a', 'b'));
  const { rig, work, settle, decide } = parts;
  const { runId } = await rig.deliver();
  const place = placeToDie(at);
  const lane = rig.laneOf('first');
  const ghosts: Promise<unknown>[] = [];
  const dead = { is: false };
  void place.reached.then(() => {
    dead.is = true;
  });
  const goesOn = async () => (await settle()) || (await decide('approved')).length > 0;
  while (!dead.is) {
    const [one] = await rig.withStore((store) => lane.claim('ada', store, 1));
    if (!one && (await goesOn())) continue;
    if (!one) break;
    const ghost = rig.withStore((store) => one(mortal(store, place), new AbortController().signal)).catch(() => {});
    ghosts.push(ghost);
    await Promise.race([ghost, place.reached]);
  }
  rig.time.now += 1000;
  do await work('second');
  while ((await decide('approved')).length > 0);
  const end = await rig.ended(runId ?? '');
  const approvals = await parts.approvals();
  const isDone = place.passed.count <= at;
  place.bury();
  await Promise.all(ghosts);
  await rig.close();
  rigs.pop();
  return { end, approvals, isDone, names: parts.pushed.map((args) => (args as { n: string }).n) };
}

describe('a tree with held calls whose process is killed', () => {
  it('asks once for each and makes none twice, at whatever commit it dies', async () => {
    for (let at = 0; ; at += 1) {
      const { end, approvals, isDone, names } = await livesTwice(at);
      expect(end.run, `dies at ${at}`).toMatchObject({ status: 'done', outcome: 'final' });
      expect(end.outbox).toHaveLength(1);
      expect(approvals, `dies at ${at}`).toHaveLength(2);
      expect(new Set(names).size).toBe(names.length);
      // What was under way is not made again: it is made, or said to be unknown.
      const unknown = end.text?.match(/side_effect_unknown/g)?.length ?? 0;
      expect(names.length + unknown, `dies at ${at}`).toBeGreaterThanOrEqual(2);
      if (isDone) break;
    }
  });
});

describe('an address that a model has put together', () => {
  const fetch = (urls: string[]) =>
    defineTool({
      ...{ description: 'A page', risk: 'read', scope: 'web:read', input: { type: 'object' }, leaves: true },
      run(args) {
        urls.push((args as { url: string }).url);
        return 'Read https://shop.example/list and go on.';
      },
    });

  it('is no more free to a child than to the parent that handed it on; one that was read is', async () => {
    for (const [url, asked] of [
      ['https://evil.example/?q=kestrel-4711', 1],
      ['https://shop.example/list', 0],
    ] as const) {
      const urls: string[] = [];
      const model: Model = (request) => {
        const told = resultsOf(request).map(({ content }) => content);
        if (taskIn(request) !== null)
          return told.length > 0 ? { text: 'done' } : { toolCalls: [call('w', 'page', { url })] };
        if (told.length === 0) return { toolCalls: [call('f', 'page', { url: 'https://start.example/' })] };
        if (told.length === 1)
          return { toolCalls: [call('d', 'delegate', { task: `Read ${url} for me`, tools: ['page'] })] };
        return { text: 'done' };
      };
      const { rig, approvals } = await asking(model, { tools: { page: fetch(urls) } });
      await rig.deliver({ tier: 'owner', from: BY, text: 'Look at https://start.example/ please.' });
      await rig.drain();
      expect(await approvals('pending'), url).toHaveLength(asked);
      expect(urls).toHaveLength(2 - asked);
    }
  });
});
