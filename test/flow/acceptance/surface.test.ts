import { afterEach, describe, expect, it } from 'vitest';
import { CARL, MEMBER, OWNER } from '../governance-rig.ts';
import { STEADY } from '../workspace.ts';
import { recordOf } from './explain-rig.ts';
import { type Modelled, openModelled, type Says } from './office-with-model.ts';

// Each is a story of several processes: a gateway, its restarts, and a command line call for every look.
const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

async function ada(says: Says, files: Readonly<Record<string, string | object>> = {}): Promise<Modelled> {
  open.made = await openModelled(says, files);
  return open.made;
}

const ADA = { name: 'Ada', address: 'ada@agents.localhost', access: { allow: ['*@member.example'] } };
const SAVE = { name: 'write_file', arguments: { path: 'note.txt', content: 'Written.' } };
const WRITE_TO_CARL = { name: 'send_email', arguments: { to: [CARL], subject: 'Offer', body: 'Dear Carl' } };
const DONE = { text: 'Thank you for your mail.' };

async function runOf(made: Modelled) {
  const [run] = (await made.office.cli('runs', 'list')).json.runs;
  return { id: run.id as string, ...recordOf(made, run) };
}
const errorsOf = (rows: readonly { readonly event_type: string; readonly payload_json: string }[]) =>
  rows.flatMap(({ event_type, payload_json }) =>
    event_type === 'tool_result' ? [JSON.parse(payload_json).error ?? null] : [],
  );

describe('a model that cannot call tools and calls one nevertheless', () => {
  it('is refused, on record like any refusal, and nothing is written', async () => {
    const made = await ada((turn) => (turn === 0 ? { calls: [SAVE] } : DONE), {
      'extensions/providers/steady/manifest.json': {
        ...STEADY['extensions/providers/steady/manifest.json'],
        models: { m: { context_tokens: 32_000, max_output_tokens: 4096, tools: false } },
      },
    });
    await made.office.ask('Please save a note.');
    await made.office.arrival('reply', MEMBER);
    expect(made.read('note.txt')).toBeNull();
    expect(made.model.requests[0]?.view.tools).toEqual([]);
    expect(made.model.requests[0]?.view.lastUser).toContain('- every tool: this model cannot call tools');
    const { id, events, rows } = await runOf(made);
    expect(rows.map(({ event_type, tool_name }) => `${event_type} ${tool_name}`)).toEqual([
      'tool_call write_file',
      'tool_result write_file',
    ]);
    expect(errorsOf(rows)).toMatchObject([{ code: 'policy_denied', retryable: false, hint: expect.any(String) }]);
    expect(events.find(({ type }) => type === 'permission')?.data).toMatchObject({ verdict: 'deny', by: 'not_shown' });
    expect((await made.office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
  });
});

const LOCKED = {
  'extensions/tools/vault/manifest.json': { name: 'vault', kind: 'tool', api: 1, summary: 'Opens', entry: 'index.js' },
  'extensions/tools/vault/index.js': `export default {
    description: 'Opens the vault.', risk: 'read', scope: 'files:read', input: { type: 'object' },
    ready: () => 'the vault is being painted', run: () => 'gold',
  };`,
};

describe('a tool that is not ready', () => {
  it('is not shown, is named with its reason beside the mail, and is refused when it is called', async () => {
    const made = await ada((turn) => (turn === 0 ? { calls: [{ name: 'vault', arguments: {} }] } : DONE), LOCKED);
    await made.office.ask('What is in the vault?');
    await made.office.arrival('reply', MEMBER);
    const [first] = made.model.requests;
    expect(first?.view.tools).not.toContain('vault');
    expect(first?.view.system).not.toContain('painted');
    expect(first?.view.lastUser).toContain('- vault: the vault is being painted');
    const { events, rows } = await runOf(made);
    expect(errorsOf(rows)).toMatchObject([
      { code: 'policy_denied', message: 'vault cannot be used now: the vault is being painted' },
    ]);
    expect(errorsOf(rows)[0].hint).toMatch(/^allowed: .*read_file/);
    expect(events.find(({ type }) => type === 'permission')?.data).toMatchObject({ by: 'not_ready' });
  });
});

describe('rights that change while a run waits for its owner', () => {
  const says: Says = (turn) => {
    if (turn === 0) return { calls: [WRITE_TO_CARL] };
    return turn === 1 ? { calls: [SAVE] } : DONE;
  };

  async function afterApproval(allowed: readonly string[], changed: object): Promise<Modelled> {
    const made = await ada(says, { 'personas/ada/persona.json': { ...ADA, tools: { allow: allowed } } });
    expect((await made.office.ask('Please write to Carl, then save a note.')).code).toBe(3);
    const notice = await made.office.arrival('approval', OWNER);
    made.office.workspace.write('personas/ada/persona.json', { ...ADA, tools: changed });
    await made.office.restart();
    await made.office.answer(notice, 'approve');
    await made.office.arrival('reply', MEMBER);
    return made;
  }

  it('are not widened for it: what its model was not shown is refused, although it is granted today', async () => {
    const made = await afterApproval(['send_email'], { allow: ['send_email', 'write_file'] });
    expect(made.read('note.txt')).toBeNull();
    const { id, events, rows } = await runOf(made);
    expect(errorsOf(rows)).toMatchObject([null, { code: 'policy_denied', hint: 'allowed: answer, send_email' }]);
    const started = events.filter(({ type }) => type === 'model_call_started').map(({ data }) => data.surface);
    expect(new Set(started).size).toBe(1);
    expect(started[0]).toMatch(/^[0-9a-f]{64}$/);
    expect((await made.office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
  });

  it('are taken away from it at once', async () => {
    const made = await afterApproval(['send_email', 'write_file'], { allow: ['send_email'] });
    expect(made.read('note.txt')).toBeNull();
    const { id, events, rows } = await runOf(made);
    expect(errorsOf(rows)).toMatchObject([null, { code: 'policy_scope_missing', hint: 'allowed: answer, send_email' }]);
    const started = events.filter(({ type }) => type === 'model_call_started').map(({ data }) => data.surface);
    expect(new Set(started).size).toBe(2);
    expect((await made.office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
  });
});

describe('a mail that a rule forbids, and a model that says it was sent', () => {
  it('is a denial on record, and never an effect', async () => {
    const made = await ada((turn) => (turn === 0 ? { calls: [WRITE_TO_CARL] } : { text: 'All set, Carl has it.' }), {
      'configs/security.json': {
        owners: [OWNER],
        tool_policy: { rules: [{ tool: 'send_email', when: { to: CARL }, decision: 'deny' }] },
      },
    });
    await made.office.ask('Send the offer to Carl, please.');
    await made.office.arrival('reply', MEMBER);
    expect(await made.office.left('reply', CARL)).toEqual([]);
    const { events, rows } = await runOf(made);
    expect(errorsOf(rows)).toMatchObject([{ code: 'policy_denied', retryable: false }]);
    expect(events.filter(({ type }) => type === 'tool_call_intended')).toEqual([]);
  });
});

describe('one call that an owner is asked about beside one that policy allows', () => {
  it('holds back only itself: the new file is written at once, and nobody is asked about it', async () => {
    const made = await ada((turn) => (turn === 0 ? { calls: [WRITE_TO_CARL, SAVE] } : DONE));
    expect((await made.office.ask('Write to Carl and save a note.')).code).toBe(3);
    const notice = await made.office.arrival('approval', OWNER);
    expect(made.read('note.txt')).toBe('Written.');
    const { approvals } = (await made.office.cli('approvals', 'list')).json;
    expect(approvals).toMatchObject([{ tool: 'send_email', state: 'pending' }]);
    await made.office.answer(notice, 'approve');
    await made.office.arrival('reply', MEMBER);
    const { id, rows } = await runOf(made);
    expect(errorsOf(rows)).toEqual([null, null]);
    expect((await made.office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
  });

  it('also holds what would change the same thing after it', async () => {
    const attach = { ...WRITE_TO_CARL, arguments: { ...WRITE_TO_CARL.arguments, attachments: ['list.txt'] } };
    const edit = { name: 'edit_file', arguments: { path: 'list.txt', old_text: 'Carl', new_text: 'Dana' } };
    const made = await ada((turn) => (turn === 0 ? { calls: [edit, attach] } : DONE), {
      'configs/security.json': {
        owners: [OWNER],
        approvals: { batch_window_s: 0 },
        tool_policy: { rules: [{ tool: 'send_email', when: { to: CARL }, decision: 'allow' }] },
      },
    });
    made.put('list.txt', 'For Carl');
    expect((await made.office.ask('Change the list, then send it to Carl.')).code).toBe(3);
    const { approvals } = (await made.office.cli('approvals', 'list')).json;
    expect(approvals.map(({ tool }: { tool: string }) => tool).toSorted()).toEqual(['edit_file', 'send_email']);
  });
});
