import { afterEach, describe, expect, it } from 'vitest';
import { CARL, MEMBER, OWNER } from '../governance-rig.ts';
import { recordOf } from './explain-rig.ts';
import { doing, type Modelled, openModelled } from './office-with-model.ts';

// Each is a story of several processes: a gateway, its restarts, and a command line call for every look.
const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const step = (path: string, tool = 'delete_file') => ({ tool, arguments: { path } });
const plan = (...steps: ReturnType<typeof step>[]) => doing({ name: 'propose_plan', arguments: { steps } });

/** A second tool that destroys: with one alone a plan of the model's own is not offered. */
const SHRED = {
  'extensions/tools/shred/manifest.json': {
    name: 'shred',
    kind: 'tool',
    api: 1,
    summary: 'Shreds',
    entry: 'index.js',
  },
  'extensions/tools/shred/index.js': `export default {
    description: 'Shreds a thing that is named by a path, and fails at the one that is stuck.',
    risk: 'destructive', scope: 'files:delete',
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
    effects: async ({ path }) => ({ targets: [path] }),
    run({ path }) { if (path === 'stuck') throw new Error('the shredder is stuck'); return { path }; },
  };`,
};

async function ada(
  says: Parameters<typeof openModelled>[0],
  security: object = {},
  tools: Readonly<Record<string, string | object>> = SHRED,
): Promise<Modelled> {
  const made = await openModelled(says, {
    ...tools,
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 }, ...security },
  });
  open.made = made;
  for (const name of ['a.txt', 'b.txt', 'c.txt']) made.put(name, `This is ${name}.`);
  return made;
}

const FILES = ['a.txt', 'b.txt', 'c.txt'];
const left = (made: Modelled) => FILES.filter((name) => made.read(name) !== null);
const approvalsOf = async (made: Modelled) => (await made.office.cli('approvals', 'list')).json.approvals;

describe('a mail that asks for two things to be gone, where two tools could do that', () => {
  it('V-17 V-18: is asked about as one plan, done exactly as stored over a restart, and not a second time', async () => {
    const made = await ada(plan(step('a.txt'), step('b.txt')));
    expect((await made.office.ask('Please delete the two drafts a.txt and b.txt.')).code).toBe(3);
    const notice = await made.office.arrival('approval', OWNER);
    expect(notice.mail.subject).toContain('may I delete 2 files?');
    expect(notice.mail.text).toMatch(/Step 1: May I delete a\.txt[\s\S]*Step 2: May I delete b\.txt/);
    expect(left(made)).toEqual(FILES);
    await made.office.restart();
    await made.office.answer(notice, 'approve 1');
    expect((await made.office.arrival('clarify', OWNER)).mail.text).toContain('as a whole');
    expect(left(made)).toEqual(FILES);
    await made.office.answer(notice, 'approve');
    await made.office.arrival('reply', MEMBER);
    expect(left(made)).toEqual(['c.txt']);
    // Somebody has put one back; a second yes does not reach it.
    made.put('a.txt', 'again');
    await made.office.answer(notice, 'approve');
    const [approval] = await approvalsOf(made);
    expect(approval).toMatchObject({
      state: 'executed',
      arguments: { steps: [step('a.txt'), step('b.txt')] },
      reason: 'step 1 (delete_file): done; step 2 (delete_file): done',
    });
    expect((await made.office.cli('approvals', 'approve', approval.id)).json.error.code).toBe('not_pending');
    expect(left(made)).toEqual(['a.txt', 'c.txt']);
    expect((await made.office.cli('runs', 'list')).json.runs).toHaveLength(1);
  });

  it('V-12: has of each step what the governor said and what the sensor saw, below the plan that it is of', async () => {
    const made = await ada(plan(step('a.txt'), step('b.txt')));
    await made.office.ask('Please delete the two drafts a.txt and b.txt.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'approve');
    await made.office.arrival('reply', MEMBER);
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    const { events } = recordOf(made, run);
    const permissions = events.filter(({ type, data }) => type === 'permission' && data.step_of !== undefined);
    expect(permissions.map(({ data }) => [data.tool, data.by, data.asked.risk])).toEqual([
      ['delete_file', 'risk destructive', 'destructive'],
      ['delete_file', 'risk destructive', 'destructive'],
    ]);
    const explained = await made.office.cli('runs', 'explain', run.id);
    const [proposed] = explained.json.explained.steps[0].calls;
    expect(proposed).toMatchObject({ tool: 'propose_plan', approval: { state: 'executed' } });
    const ran = { source: 'owner', decision: 'approved', inside: expect.any(Object) };
    expect(proposed.steps).toMatchObject([
      { arguments: { path: 'a.txt' }, permission: { verdict: 'approve' }, ran, result: { ok: true } },
      { arguments: { path: 'b.txt' }, permission: { verdict: 'approve' }, ran, result: { ok: true } },
    ]);
    expect(explained.json.explained.missing).toEqual([]);
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });

  it('V-21: stops at the first step that fails; what comes after is not done, and each is told', async () => {
    const made = await ada(plan(step('a.txt'), step('stuck', 'shred'), step('c.txt')));
    await made.office.ask('Delete a.txt, then shred the stuck thing, then delete c.txt.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'approve all');
    await made.office.arrival('reply', MEMBER);
    expect(made.told()).toContain('step 2 (shred): failed, tool_failed; step 3 (delete_file): not done');
    expect(left(made)).toEqual(['b.txt', 'c.txt']);
    expect(await approvalsOf(made)).toMatchObject([{ state: 'failed', reason: expect.stringContaining('step 3') }]);
  });

  it('is refused, naming the step, when one of the plan may not be done', async () => {
    const made = await ada(plan(step('a.txt'), step('b.txt', 'shred')), {
      tool_policy: { rules: [{ tool: 'shred', when: { path: 'b*' }, decision: 'deny' }] },
    });
    await made.office.ask('Delete a.txt and shred b.txt.');
    await made.office.arrival('reply', MEMBER);
    expect(made.told()).toContain('step 2 (shred)');
    const { audit } = (await made.office.cli('audit')).json;
    expect(audit.filter(({ event }: { event: string }) => event === 'tool_call_denied')).toMatchObject([
      { tool: 'propose_plan', decision: 'policy_denied', detail: { by: 'rule', risk: 'destructive' } },
    ]);
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
    expect(await approvalsOf(made)).toEqual([]);
    expect(left(made)).toEqual(FILES);
  });
});

describe('a plan that nobody needs', () => {
  const says =
    (...steps: ReturnType<typeof step>[]): Parameters<typeof ada>[0] =>
    (turn) => {
      if (turn === 0) return { calls: [{ name: 'propose_plan', arguments: { steps } }] };
      if (turn === 1) return { text: '', calls: [{ name: 'delete_file', arguments: { path: 'a.txt' } }] };
      return { text: 'Thank you for your mail.' };
    };
  const reasonsOf = async (made: Modelled, runId: string): Promise<readonly string[]> =>
    (await made.office.cli('runs', 'show', runId)).json.run.decisions.map(({ reason }: { reason: string }) => reason);

  it('V-17: with one target is sent back, and the call itself gets its one question', async () => {
    const made = await ada(says(step('a.txt')));
    const sent = await made.office.ask('Please delete a.txt.');
    expect(sent.code).toBe(3);
    expect((await made.office.arrival('approval', OWNER)).mail.subject).toContain('may I delete');
    expect(await reasonsOf(made, sent.json.results[0].run_id)).toContain('calls_act_directly');
  });

  it('V-17: with one tool that could do it is not offered, and a call to it is refused', async () => {
    const made = await ada(says(step('a.txt'), step('b.txt')), {}, {});
    expect((await made.office.ask('Please delete a.txt and b.txt.')).code).toBe(3);
    expect(made.model.requests[0]?.view.tools).not.toContain('propose_plan');
    expect(made.told()).toContain('policy_denied');
    expect((await made.office.arrival('approval', OWNER)).mail.subject).toContain('may I delete');
  });
});

const remove = (...paths: readonly string[]) => paths.map((path) => ({ name: 'delete_file', arguments: { path } }));

describe('two calls of one turn that destroy two things, in a workspace as it comes', () => {
  it('V-17: are one plan: one mail, one decision over a restart, each with its own result', async () => {
    const made = await ada(doing(...remove('a.txt', 'b.txt')), {}, {});
    expect((await made.office.ask('Tidy up, please.')).code).toBe(3);
    const notice = await made.office.arrival('approval', OWNER);
    expect(notice.mail.text).toMatch(/a\.txt[\s\S]*b\.txt/);
    const [asked, ...others] = await approvalsOf(made);
    expect(others).toEqual([]);
    expect(asked).toMatchObject({ state: 'pending', arguments: { steps: [step('a.txt'), step('b.txt')] } });
    await made.office.restart();
    await made.office.answer(notice, 'approve');
    await made.office.arrival('reply', MEMBER);
    expect(left(made)).toEqual(['c.txt']);
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    const { rows } = recordOf(made, run);
    expect(rows.map(({ event_type, tool_name }) => `${event_type} ${tool_name}`)).toEqual([
      'tool_call delete_file',
      'tool_call delete_file',
      'tool_result delete_file',
      'tool_result delete_file',
    ]);
    expect(await approvalsOf(made)).toMatchObject([
      { state: 'executed', reason: 'step 1 (delete_file): done; step 2 (delete_file): done' },
    ]);
    const { explained } = (await made.office.cli('runs', 'explain', run.id)).json;
    expect(explained.missing).toEqual([]);
    const approval = { id: asked.id, state: 'executed' };
    expect(explained.steps[0].calls).toMatchObject([
      { permission: { verdict: 'approve' }, approval, ran: { source: 'owner' } },
      { permission: { verdict: 'approve' }, approval, ran: { source: 'owner' } },
    ]);
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });

  it.each(['run.tool_executed', 'run.step_intended:2'])(
    'go on after a death at %s, and nothing is done twice',
    async (label) => {
      const made = await ada(doing(...remove('a.txt', 'b.txt')), {}, {});
      await made.office.ask('Tidy up, please.');
      const notice = await made.office.arrival('approval', OWNER);
      const dying = await made.office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
      // The line may break with the process.
      await made.office.answer(notice, 'approve').catch(() => {});
      await dying.death();
      await made.office.restart();
      await made.office.arrival('reply', MEMBER);
      expect(left(made)).toEqual(['c.txt']);
      expect(await approvalsOf(made)).toMatchObject([{ tool: 'plan' }]);
      const [run] = (await made.office.cli('runs', 'list')).json.runs;
      expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
    },
  );

  it('are all denied by a no, and the model is told of each', async () => {
    const made = await ada(doing(...remove('a.txt', 'b.txt')), {}, {});
    await made.office.ask('Tidy up, please.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'deny because I need them');
    await made.office.arrival('reply', MEMBER);
    expect(left(made)).toEqual(FILES);
    // The reason is the owner's, and the answer goes to a member.
    expect(made.told().match(/the owner said no/g)).toHaveLength(2);
    expect(made.told()).not.toContain('I need them');
    expect(await approvalsOf(made)).toMatchObject([{ state: 'rejected' }]);
  });

  it('are decided one by one where the owner wants it: what the yes leaves out is not done, and nothing hangs', async () => {
    const made = await ada(doing(...remove('a.txt', 'b.txt', 'c.txt')), {}, {});
    await made.office.ask('Tidy up, please.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'approve 1, 3');
    await made.office.arrival('reply', MEMBER);
    expect(left(made)).toEqual(['b.txt']);
    const states = (await approvalsOf(made)).map(
      ({ tool, state }: { tool: string; state: string }) => `${tool} ${state}`,
    );
    expect(states.toSorted()).toEqual([
      'delete_file executed',
      'delete_file executed',
      'delete_file rejected',
      'plan stale',
    ]);
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });

  it('stop at the first that fails, and are asked about anew when one has changed since', async () => {
    const made = await ada(
      doing(...remove('a.txt'), { name: 'shred', arguments: { path: 'stuck' } }, ...remove('c.txt')),
    );
    await made.office.ask('Tidy up, please.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'approve');
    await made.office.arrival('reply', MEMBER);
    expect(left(made)).toEqual(['b.txt', 'c.txt']);
    const [approval] = await approvalsOf(made);
    expect(approval).toMatchObject({
      state: 'failed',
      reason: 'step 1 (delete_file): done; step 2 (shred): failed, tool_failed; step 3 (delete_file): not done',
    });
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });

  it('are asked about anew as one plan when one of them has changed since', async () => {
    const made = await ada(doing(...remove('a.txt', 'b.txt')), {}, {});
    await made.office.ask('Tidy up, please.');
    const notice = await made.office.arrival('approval', OWNER);
    made.put('b.txt', 'Somebody has written on.');
    await made.office.answer(notice, 'approve');
    const again = await made.office.arrival('approval', OWNER, 2);
    expect(left(made)).toEqual(FILES);
    await made.office.answer(again, 'approve');
    await made.office.arrival('reply', MEMBER);
    expect(left(made)).toEqual(['c.txt']);
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });

  it('take along what stands between them, in its place, and leave out what comes before', async () => {
    const write = { name: 'send_email', arguments: { to: [CARL], subject: 'Gone', body: 'Dear Carl' } };
    const made = await ada(doing(...remove('a.txt'), write, ...remove('b.txt')), {}, {});
    await made.office.ask('Tidy up, please.');
    const [asked, ...others] = await approvalsOf(made);
    expect(others).toEqual([]);
    expect(asked.arguments.steps.map(({ tool }: { tool: string }) => tool)).toEqual([
      'delete_file',
      'send_email',
      'delete_file',
    ]);
  });
});
