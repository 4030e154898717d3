import { describe, expect, it } from 'vitest';
import { defineTool, type GenerateRequest } from '#contract';
import { cancelRun } from '../../../../engine/actions/cancel-run.ts';
import { createRegistry } from '../../../../engine/extensions/registry.ts';
import { CONTEXT_DENIED } from '../../../../engine/policy/delegated.ts';
import { mortal, placeToDie } from '../approvals-rig.ts';
import { call } from '../rig.ts';
import { DELEGATING, family, LEAVES, resultsOf, rigs, taskIn, tree } from './family.ts';

describe('a run that hands on parts of its work', () => {
  it('waits for all of them, and the record says so on both sides', async () => {
    const { rig, work, runs } = await family((request) => {
      const results = resultsOf(request);
      if (taskIn(request) !== null) return { text: `done: ${taskIn(request)}` };
      if (results.length > 0) return { text: results.map(({ content }) => content).join('\n') };
      return { toolCalls: [call('a', 'delegate', { task: 'one' }), call('b', 'delegate', { task: 'two' })] };
    });
    const { runId } = await rig.deliver();
    await work();
    const end = await rig.ended(runId ?? '');
    expect(end.run).toMatchObject({ status: 'done', outcome: 'final' });
    expect(end.text).toContain('done: one');
    expect(end.text).toContain('done: two');
    const children = (await runs()).filter(({ kind }) => kind === 'delegation');
    expect(children).toHaveLength(2);
    for (const child of children) {
      expect(child).toMatchObject({ parent_run_id: runId, status: 'done' });
      expect(child.thread_id).not.toBe(end.run.thread_id);
      const { outbox, events } = await rig.ended(child.id);
      expect(outbox).toEqual([]);
      const started = end.events.find(({ type, data }) => type === 'child_started' && data.child_run_id === child.id);
      expect(events[0]?.data).toMatchObject({ parent_run_id: runId, packet: { sha256: started?.data.sha256 } });
    }
    expect(end.events.filter(({ type }) => type === 'child_ended')).toHaveLength(2);
    expect(end.outbox).toHaveLength(1);
  });

  it('tells all below it who gets the answer as well, whose sight is theirs', async () => {
    const { rig, work, runs } = await family(tree, { persona: { ...DELEGATING, reply: { recipients: 'all' } } });
    const { runId } = await rig.deliver({ cc: 'ben@member.example' });
    await work();
    const readers = ['ben@member.example'];
    const children = (await runs()).filter(({ kind }) => kind === 'delegation');
    expect(children).toHaveLength(12);
    for (const { id } of children) expect((await rig.ended(id)).events[0]?.data).toMatchObject({ packet: { readers } });
    for (const id of [runId ?? '', ...children.map((child) => child.id)]) {
      const built = (await rig.ended(id)).events.find(({ type }) => type === 'context_built');
      expect(built?.data.also_read).toEqual(readers);
    }
  });

  it('is a tree of three times three', async () => {
    const { rig, work, runs } = await family(tree);
    const { runId } = await rig.deliver();
    await work();
    const { text } = await rig.ended(runId ?? '');
    expect(text).toBe(LEAVES);
    expect(await runs()).toHaveLength(13);
  });

  it('is over with all of it when somebody cancels it', async () => {
    const { rig, runs, work } = await family(tree);
    const { runId } = await rig.deliver();
    const lane = rig.laneOf('first');
    for (let at = 0; at < 3; at += 1) {
      const [one] = await rig.withStore((store) => lane.claim('ada', store, 1));
      if (one) await rig.withStore((store) => one(store, new AbortController().signal));
    }
    const deps = { ...rig.harness, announce: rig.announce };
    await rig.withStore((store) => cancelRun(deps, { persona: rig.persona, store, id: runId ?? '', by: 'cli' }));
    await work();
    expect(new Set((await runs()).map(({ status }) => status))).toEqual(new Set(['cancelled']));
  });

  it('does all itself where it is not switched on: nothing of it is shown', async () => {
    const { rig, work } = await family(() => ({ text: 'Yes.' }), { persona: {} });
    const off = await family(() => ({ text: 'Yes.' }), { persona: { delegation: { enabled: false } } });
    const none = await family(() => ({ text: 'Yes.' }), { persona: { delegation: { enabled: false } } });
    const others = none.rig.registry.tools.all().filter(({ name }) => name !== 'delegate');
    none.rig.registry.tools = createRegistry(others);
    for (const one of [rig, off.rig, none.rig]) await one.deliver({ id: '<same@member.example>' });
    for (const each of [work, off.work, none.work]) await each();
    expect(off.rig.requests[0]?.tools.map(({ name }) => name)).toEqual(['answer', 'look']);
    expect(rig.requests[0]?.tools.map(({ name }) => name)).toEqual(['answer', 'delegate', 'look']);
    // As where there is no such tool at all, to the byte, but for ids that are random.
    const bytes = (one: typeof rig) => JSON.stringify(one.requests).replaceAll(/[0-9a-f]{8}[0-9a-f-]*/g, 'id');
    expect(bytes(off.rig)).toBe(bytes(none.rig));
  });
});

const SECRET = 'kestrel 4711';
const WIDE = { max_tool_turns: 900, max_tool_calls: 900, max_calls_per_turn: 50, max_consecutive_failures: 900 };

/** Ways to ask for what the parent knows: every tool, with whatever could name it. */
function attempts(names: readonly string[], targets: readonly string[], count: number) {
  const keys = ['query', 'ref', 'path', 'id', 'message_id', 'thread', 'from', 'file', 'text', 'subject', 'task'];
  return Array.from({ length: count }, (_, at) => {
    const target = targets[at % targets.length] ?? '';
    const name = names[Math.floor(at / targets.length) % names.length] ?? '';
    const more = at % 3 === 0 ? { page: 1 + (at % 4) } : { limit: 20 };
    return call(`t${at}`, name, { ...Object.fromEntries(keys.map((key) => [key, target])), ...more, n: at });
  });
}

describe('a child run', () => {
  it('reads nothing of its parent by any tool, reference, search, memory or path', async () => {
    const names = [
      'search_mail',
      'read_mail',
      'read_attachment',
      'resolve_ref',
      'read_file',
      'list_files',
      'query_table',
    ];
    const others = [
      'remember',
      'forget',
      'write_file',
      'edit_file',
      'delete_file',
      'send_email',
      'ask_owner',
      'attach',
    ];
    const known: string[] = [];
    const parent = (request: GenerateRequest) => {
      const results = resultsOf(request);
      const told = results.map(({ content }) => content).join('\n');
      if (results.length === 0)
        return { toolCalls: [call('p', 'secrets'), call('w', 'write_file', { path: 'notes.txt', content: SECRET })] };
      if (results.length > 2) return { text: told };
      known.push(...(told.match(/[0-9a-f]{64}/g) ?? []));
      const open = ['resolve_ref', 'read_attachment', 'read_file', 'list_files', 'query_table'];
      const tools = request.tools.map(({ name }) => name).filter((name) => open.includes(name));
      return { toolCalls: [call('a', 'delegate', { task: 'one', tools })] };
    };
    const { rig, work, runs } = await family(
      (request) => {
        if (taskIn(request) === null) return parent(request);
        const results = resultsOf(request);
        if (results.length >= 500) return { text: 'nothing' };
        const targets = [
          ...known,
          'notes.txt',
          './notes.txt',
          '../files/notes.txt',
          'kestrel',
          '<mail@member.example>',
          '*',
        ];
        return { toolCalls: attempts([...names, ...others], targets, 500).slice(results.length, results.length + 50) };
      },
      {
        inference: { ...WIDE, step_caps: { read: null, mutate: null } },
        tools: {
          ...(await bundled(...names, ...others)),
          secrets: defineTool({
            description: 'A tool',
            risk: 'read',
            scope: 'mail:read',
            input: { type: 'object' },
            run: () => ({ text: `${SECRET} `.repeat(4000) }),
          }),
        },
      },
    );
    await rig.deliver({ text: `Keep ${SECRET}.`, id: '<mail@member.example>', tier: 'owner' });
    const refuse = () =>
      rig.withStore(async (store) => {
        const asked = await store.listApprovals({ limit: 100, status: 'pending' });
        expect(JSON.stringify(asked)).not.toContain(SECRET);
        const no = asked.map(({ id }) => ({ id, state: 'rejected' as const, by: 'owner@example.com', reason: null }));
        await store.decideApprovals(no, [], rig.clock.now());
        return asked.length > 0;
      });
    do await work();
    while (await refuse());
    const child = (await runs()).find(({ kind }) => kind === 'delegation');
    const { rows, text } = await rig.ended(child?.id ?? '');
    expect(text).toMatch(/^nothing/);
    expect(known.length).toBeGreaterThan(0);
    const results = rows
      .filter(({ event_type }) => event_type === 'tool_result')
      .map(({ payload_json }) => payload_json);
    expect(results).toHaveLength(500);
    expect(results.filter((result) => result.includes(SECRET))).toEqual([]);
    expect(JSON.stringify(rig.requests.filter((request) => taskIn(request) !== null))).not.toContain(SECRET);
    const denied = results.filter((result) => result.includes(CONTEXT_DENIED));
    expect(denied.length).toBeGreaterThan(300);
  });
});

/** Every so manieth commit of the tree is a place to die; all of them at full size. */
const STRIDE = Number(process.env.EPISTLE_TEST_SIZE ?? 1) >= 20 ? 1 : 17;

describe('a tree of runs whose process is killed', () => {
  it('comes to the same, makes no call twice and stays within one budget', async () => {
    for (let at = 0; ; at += STRIDE) {
      const { rig, work, runs, settle } = await family(tree, {
        persona: { ...DELEGATING, budget: { usd_per_run: 1 } },
      });
      const { runId } = await rig.deliver();
      const place = placeToDie(at);
      const lane = rig.laneOf('first');
      const ghosts: Promise<unknown>[] = [];
      const dead = { is: false };
      void place.reached.then(() => {
        dead.is = true;
      });
      while (!dead.is) {
        const [one] = await rig.withStore((store) => lane.claim('ada', store, 1));
        if (!one) {
          if (await settle()) continue;
          break;
        }
        const ghost = rig.withStore((store) => one(mortal(store, place), new AbortController().signal)).catch(() => {});
        ghosts.push(ghost);
        await Promise.race([ghost, place.reached]);
      }
      rig.time.now += 1000;
      await work('second');
      const { text, outbox } = await rig.ended(runId ?? '');
      expect(text, `dies at ${at}`).toBe(LEAVES);
      expect(outbox).toHaveLength(1);
      const all = await runs();
      expect(all.filter(({ status }) => status === 'done')).toHaveLength(13);
      expect(all).toHaveLength(13);
      expect(all.reduce((sum, { cost_usd }) => sum + cost_usd, 0)).toBeLessThanOrEqual(1);
      const isDone = place.passed.count <= at;
      place.bury();
      await Promise.all(ghosts);
      await rig.close();
      rigs.pop();
      if (isDone) break;
    }
  });
});

async function bundled(...names: readonly string[]) {
  const tools = names.map(async (name) => [
    name,
    (await import(`../../../../extensions/tools/${name}/index.ts`)).default,
  ]);
  return Object.fromEntries(await Promise.all(tools));
}
