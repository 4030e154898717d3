import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '#contract';
import { cancelRun } from '../../../engine/actions/cancel-run.ts';
import proposePlan from '../../../extensions/tools/propose_plan/index.ts';
import { call, DAY, type Model, makeRig, type Rig } from './rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

const burn = defineTool({
  description: 'Burns',
  risk: 'destructive',
  scope: 'web:delete',
  input: { type: 'object' },
  run: () => 'burnt',
});
const burns: Model = ({ messages }) =>
  messages.some(({ role }) => role === 'tool') ? { text: 'Burnt.' } : { toolCalls: [call('c1', 'burn')] };

async function rigWith(models: Model): Promise<Rig> {
  const rig = await makeRig({ tools: { burn }, models });
  rigs.push(rig);
  return rig;
}

const cancel = (rig: Rig, id: string) =>
  rig.withStore((store) =>
    cancelRun({ ...rig.harness, announce: rig.announce }, { persona: rig.persona, store, id, by: 'cli' }),
  );

describe('a run that somebody cancels', () => {
  it('before it began is told of once, and never asks a model', async () => {
    const rig = await rigWith(burns);
    const { runId } = await rig.deliver();
    expect(await cancel(rig, runId ?? '')).toMatchObject({ status: 'cancelled', cancelled_by: 'cli' });
    await rig.drain();
    const { run, replies, text, decisions, jobs } = await rig.ended(runId ?? '');
    expect(run).toMatchObject({ status: 'cancelled', outcome: 'cancelled', code: null });
    expect(decisions).toEqual(['cancelled']);
    expect(replies).toHaveLength(1);
    expect(text).toMatch(/^The work on your mail was stopped by the owner/);
    expect(rig.requests).toEqual([]);
    expect(jobs).toEqual([]);
  });

  it('while it waits for an owner can be approved no more, and the log says who closed it', async () => {
    const rig = await rigWith(burns);
    const { runId } = await rig.deliver();
    await rig.drain();
    await cancel(rig, runId ?? '');
    const { run, rows, text } = await rig.ended(runId ?? '');
    expect(run.status).toBe('cancelled');
    expect(text).toContain('Not done: burn (stopped before it was done)');
    expect(rows.map(({ event_type }) => event_type)).toEqual(['tool_call', 'tool_result']);
    await rig.withStore(async (store) => {
      const [approval] = await store.listApprovals({ limit: 10 });
      expect(approval).toMatchObject({ state: 'stale', reason: 'the run was cancelled' });
      const audit = await store.listAudit({ limit: 10 });
      expect(audit.filter(({ event }) => event === 'approval_closed')).toMatchObject([{ actor: 'cli' }]);
    });
    await rig.drain();
    expect(rig.requests).toHaveLength(1);
  });

  it('by a process that dies before it has told anybody is ended by the next that claims it', async () => {
    const rig = await rigWith(burns);
    const { runId: id = '' } = await rig.deliver();
    await rig.withStore((store) =>
      store.seizeRun({ id: id ?? '', day: DAY, now: rig.clock.now(), by: 'cli', instance: 'dead', leaseMs: 30_000 }),
    );
    await rig.drain('gateway');
    const { run, replies } = await rig.ended(id ?? '');
    expect(run).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    expect(replies).toHaveLength(1);
    expect(rig.requests).toEqual([]);
  });

  it('in the middle of a plan has a result for each step that was begun', async () => {
    const begun = Promise.withResolvers<void>();
    const shred = defineTool({
      description: 'Shreds, and does not come back from the second',
      risk: 'destructive',
      scope: 'files:delete',
      input: { type: 'object' },
      effects: async (args) => ({ targets: [JSON.stringify(args)] }),
      run(args) {
        if (JSON.stringify(args) !== '{"n":2}') return 'shredded';
        begun.resolve();
        return new Promise<never>(() => {});
      },
    });
    const steps = [1, 2, 3].map((n) => ({ tool: 'shred', arguments: { n } }));
    const rig = await makeRig({
      tools: { burn, shred, propose_plan: proposePlan },
      models: () => ({ toolCalls: [call('c1', 'propose_plan', { steps })] }),
    });
    rigs.push(rig);
    const { runId } = await rig.deliver({ text: 'Please delete all three.' });
    await rig.drain();
    const [asked] = await rig.withStore((store) => store.listApprovals({ limit: 10 }));
    const yes = { id: asked?.id ?? '', state: 'approved', by: 'owner@example.com', reason: null } as const;
    await rig.withStore((store) => store.decideApprovals([yes], [], rig.clock.now()));
    const loaded = await rig.claim('first');
    if (!loaded) throw new Error('nothing to claim');
    void rig.withStore((store) => rig.advance(loaded, store));
    await begun.promise;
    await cancel(rig, runId ?? '');
    const { rows, text, jobs } = await rig.ended(runId ?? '');
    expect(rows.map(({ event_type, tool_call_id }) => `${event_type} ${tool_call_id}`)).toEqual([
      'tool_call c1',
      'tool_call c1.1',
      'tool_result c1.1',
      'tool_call c1.2',
      'tool_result c1.2',
      'tool_result c1',
    ]);
    expect(text).toContain('Not certain: shred: {"n":2} (may or may not have been done; it was not repeated)');
    expect(jobs).toContain(`notice:run_failed:${runId}`);
  });

  it('is over once: a second time says so', async () => {
    const rig = await rigWith(burns);
    const { runId } = await rig.deliver();
    await cancel(rig, runId ?? '');
    expect(await cancel(rig, runId ?? '')).toBe('ended');
    expect(await cancel(rig, 'nobody')).toBe('not_found');
  });
});
