import { afterEach, describe, expect, it, vi } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { doing, type Modelled, openModelled } from './office-with-model.ts';

// Each is a story of several processes: a gateway, its restarts, and a command line call for every look.
vi.setConfig({ testTimeout: 60_000 });

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const step = (path: string, tool = 'delete_file') => ({ tool, arguments: { path } });
const plan = (...steps: ReturnType<typeof step>[]) => doing({ name: 'propose_plan', arguments: { steps } });

/** A second tool that destroys: with one alone no plan is ever wanted. */
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
    expect(notice.mail.subject).toContain('may I do this in 2 steps?');
    expect(notice.mail.text).toMatch(/Step 1: may I delete a\.txt[\s\S]*Step 2: may I delete b\.txt/);
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
  it.each([
    ['with one target', 'Please delete a.txt.', [step('a.txt')], SHRED],
    ['with one tool that could do it', 'Please delete a.txt and b.txt.', [step('a.txt'), step('b.txt')], {}],
    ['where nobody asked for anything to be gone', 'Please tidy the list.', [step('a.txt'), step('b.txt')], SHRED],
  ])('V-17: %s is sent back, and the call itself gets its one question', async (_why, text, steps, tools) => {
    const says: Parameters<typeof ada>[0] = (turn) => {
      if (turn === 0) return { calls: [{ name: 'propose_plan', arguments: { steps } }] };
      if (turn === 1) return { text: '', calls: [{ name: 'delete_file', arguments: { path: 'a.txt' } }] };
      return { text: 'Thank you for your mail.' };
    };
    const made = await ada(says, {}, tools);
    const sent = await made.office.ask(text);
    expect(sent.code).toBe(3);
    expect((await made.office.arrival('approval', OWNER)).mail.subject).toContain('may I delete');
    const run = (await made.office.cli('runs', 'show', sent.json.results[0].run_id)).json.run;
    const reasons = run.decisions.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toContain('calls_act_directly');
  });
});
