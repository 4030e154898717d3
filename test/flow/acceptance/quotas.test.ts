import { afterEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { recordOf } from './explain-rig.ts';
import { doing, type Modelled, openModelled, type Says } from './office-with-model.ts';

// Each is a story of several processes: a gateway, its restarts, and a command line call for every look.
const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

async function ada(says: Says, security: object, more: Readonly<Record<string, object>> = {}): Promise<Modelled> {
  const approvals = { batch_window_s: 0 };
  open.made = await openModelled(says, {
    'configs/security.json': { owners: [OWNER], approvals, ...security },
    ...more,
  });
  return open.made;
}

const save = (path: string) => ({ name: 'write_file', arguments: { path, content: 'Written.' } });
const codesOf = (made: Modelled, run: { readonly id: string }): readonly (string | null)[] =>
  recordOf(made, run).rows.flatMap(({ event_type, payload_json }) =>
    event_type === 'tool_result' ? [JSON.parse(payload_json).error?.code ?? null] : [],
  );
const runsOf = async (made: Modelled) => (await made.office.cli('runs', 'list')).json.runs;

describe('a limit of calls', () => {
  it('for one mail stops calls of the same turn that are over it, and no replay sees it otherwise', async () => {
    const made = await ada(doing(save('1.txt'), save('2.txt'), save('3.txt')), {
      tool_policy: { quotas: { write_file: { max_per_run: 2 } } },
    });
    await made.office.ask('Save three notes.');
    await made.office.arrival('reply', MEMBER);
    expect([made.read('1.txt'), made.read('2.txt'), made.read('3.txt')]).toEqual(['Written.', 'Written.', null]);
    const [run] = await runsOf(made);
    expect(codesOf(made, run).toSorted()).toEqual([null, null, 'policy_quota_exceeded']);
    expect(made.told()).toContain('"retryable":false');
    const { audit } = (await made.office.cli('audit')).json;
    expect(audit.filter(({ event }: { event: string }) => event === 'tool_call_denied')).toMatchObject([
      { tool: 'write_file', decision: 'policy_quota_exceeded', detail: { by: 'quota max_per_run' } },
    ]);
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });

  it('for one day holds over a kill, and says when the next call is possible', async () => {
    const made = await ada(
      (turn, mail) => (turn === 0 ? { calls: [save(/note (\w+)/.exec(mail)?.[1] ?? 'none')] } : { text: 'Thank you.' }),
      { tool_policy: { quotas: { write_file: { max_per_day: 1 } } } },
    );
    await made.office.launch();
    await made.office.ask('Save note one');
    await made.office.restart();
    await made.office.ask('Save note two');
    expect([made.read('one'), made.read('two')]).toEqual(['Written.', null]);
    const error = JSON.parse(made.told().split('\n').at(-1) ?? '').error;
    expect(error).toMatchObject({ code: 'policy_quota_exceeded', retryable: true });
    expect(error.retry_after).toMatch(/T00:00:00/);
    expect(error.retry_after_ms).toBeGreaterThan(0);
    expect(error.retry_after_ms).toBeLessThanOrEqual(24 * 3_600_000);
  });

  it('is not passed by a process that dies between the count and the call: what was not begun was not used', async () => {
    const made = await ada(doing(save('1.txt')), { tool_policy: { quotas: { write_file: { max_per_day: 1 } } } });
    const dying = await made.office.launch({ EPISTLE_CRASH_AT: 'run.model_replied' });
    await made.office.post({
      from: MEMBER,
      subject: 'A note',
      text: 'Save a note.',
      messageId: '<q-1@member.example>',
    });
    await dying.death();
    const again = await made.office.launch({ EPISTLE_CRASH_AT: 'run.step_intended' });
    await again.death();
    expect(made.model.requests.length).toBeGreaterThan(1);
    await made.office.restart({});
    await made.office.arrival('reply', MEMBER);
    expect(made.read('1.txt')).toBe('Written.');
    const [run] = await runsOf(made);
    expect(codesOf(made, run)).toEqual([null]);
  });

  it('for one sender and hour counts all tools together', async () => {
    const made = await ada(doing(save('1.txt'), { name: 'list_files', arguments: {} }), {
      calls_per_sender_per_hour: 1,
    });
    await made.office.ask('Save a note and look.');
    await made.office.arrival('reply', MEMBER);
    const [run] = await runsOf(made);
    expect(codesOf(made, run).toSorted()).toEqual([null, 'policy_rate_limited']);
    expect(made.told()).toContain('"retry_after_ms":');
  });

  it('refuses a step of an approved plan, which ends there', async () => {
    const remove = (path: string) => ({ name: 'delete_file', arguments: { path } });
    const made = await ada(doing(remove('a.txt'), remove('b.txt')), {
      tool_policy: { quotas: { delete_file: { max_per_run: 1 } } },
    });
    for (const name of ['a.txt', 'b.txt']) made.put(name, name);
    await made.office.ask('Tidy up.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'approve');
    await made.office.arrival('reply', MEMBER);
    expect([made.read('a.txt'), made.read('b.txt')]).toEqual([null, 'b.txt']);
    const [run] = await runsOf(made);
    expect(codesOf(made, run)).toEqual([null, 'policy_quota_exceeded']);
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });
});

describe('a run that only reads, with the caps that come with the gateway', () => {
  it('is told before its turns are used up, and ends after six with what there is', async () => {
    const made = await ada(
      (turn) =>
        turn < 6 ? { calls: [{ name: 'list_files', arguments: { path: `${turn}` } }] } : { text: 'That is all.' },
      {},
      {
        'personas/ada/persona.json': {
          name: 'Ada',
          address: 'ada@agents.localhost',
          access: { allow: ['*@member.example'] },
          tools: { allow: ['files:read'] },
        },
        'configs/inference.json': { provider: 'steady', model: 'm', max_consecutive_failures: 20 },
      },
    );
    for (const folder of [0, 1, 2, 3, 4, 5]) made.put(`${folder}/a.txt`, 'a');
    await made.office.ask('Look everywhere.');
    const [run] = await runsOf(made);
    const { events } = recordOf(made, run);
    const limits = events.flatMap(({ type, data }) =>
      type === 'observation' ? [JSON.parse(data.content).limit ?? null] : [],
    );
    expect(limits).toEqual([
      null,
      null,
      null,
      '2 more turns with tools for this mail, then answer with what there is',
      '1 more turn with tools for this mail, then answer with what there is',
      'no more tools for this mail: answer now with what there is',
    ]);
    expect(run).toMatchObject({ code: 'max_tool_turns' });
    // What was said stays as it was said: each request begins with the one before it.
    const bodies = made.model.requests.map(({ body }) => (body as { messages: unknown[] }).messages);
    for (const [index, messages] of bodies.entries()) {
      expect(messages.slice(0, bodies[index - 1]?.length ?? 0)).toEqual(bodies[index - 1] ?? []);
    }
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });
});
