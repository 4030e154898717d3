import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../engine/lib/crash-points.ts';
import { run } from './command-line.ts';
import { epistle, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(() => workspace.remove());
const doctor = async () => (await epistle(workspace.root, ['doctor'])).json;
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly cure: string | null;
}
const failed = (json: { checks: Check[] }) => json.checks.filter(({ ok }) => !ok);

describe('a doctor', () => {
  it('finds nothing wrong with a fresh workspace, with or without a gateway', async () => {
    expect(await doctor()).toMatchObject({ ok: true });
    const gateway = await startGateway(workspace.root);
    const { ok, checks } = await doctor();
    await gateway.end();
    expect(ok).toBe(true);
    expect(checks.map(({ name }: Check) => name)).toEqual(
      expect.arrayContaining([
        'node',
        'configs',
        'personas',
        'extensions',
        'data_dir',
        'listener_port',
        'dns',
        'clock',
      ]),
    );
  });

  it('says of a persona that learns by which model, and what to do where that cannot be asked', async () => {
    const learning = async (refinement: string | null, stages: object = {}) => {
      workspace.write('configs/inference.json', { provider: 'offline', stages });
      workspace.write('configs/system.json', { learning: { enabled: true, refinement_model: refinement } });
      const { checks } = await doctor();
      return checks.find(({ name }: Check) => name === 'learning:ada');
    };
    expect((await doctor()).checks.some(({ name }: Check) => name === 'learning:ada')).toBe(false);
    expect(await learning('offlin/m')).toMatchObject({
      ok: false,
      message: 'no provider is called "offlin"',
      cure: 'change it to offline (learning.refinement_model in configs/system.json)',
    });
    expect(await learning('nowhere/m')).toMatchObject({
      ok: false,
      message: 'no provider is called "nowhere"',
      cure: 'name one of `epistle providers list` (learning.refinement_model in configs/system.json)',
    });
    expect(await learning('anthropic/claude-sonnet-4-5')).toMatchObject({
      ok: false,
      cure: 'put ANTHROPIC_API_KEY=… into .env',
    });
    expect(await learning('offline/tiny')).toMatchObject({ ok: true, message: expect.stringContaining('too small') });
    expect(await learning(null)).toMatchObject({
      ok: true,
      message: expect.stringMatching(/^warning: no model is named/),
    });
    expect(await learning(null, { refine: {} })).toMatchObject({ ok: true, message: expect.stringMatching(/^better/) });
    expect(await learning('offline/m')).toMatchObject({ ok: true, message: expect.stringContaining('offline/m') });
  });

  it('names the secrets of extensions that are not set, but of tools that nobody may use', async () => {
    const tool = `export default { description: 'd', risk: 'read', scope: 'web:read',
      input: { type: 'object' }, run: async () => ({}) };`;
    const manifest = (kind: string, name: string, secret: string) => ({
      name,
      kind,
      api: 1,
      summary: 's',
      entry: 'index.mjs',
      secrets: { key: secret },
    });
    workspace.write('extensions/tools/bell/manifest.json', manifest('tool', 'bell', 'BELL_KEY'));
    workspace.write('extensions/tools/bell/index.mjs', tool);
    workspace.write('extensions/hooks/ring/manifest.json', manifest('hook', 'ring', 'RING_URL'));
    workspace.write(
      'extensions/hooks/ring/index.mjs',
      "export default { on: ['approval_requested'], handle: async () => {} };",
    );
    workspace.write('extensions/extensions.json', { tools: ['bell'], hooks: ['ring'] });
    const secrets = async () => (await doctor()).checks.filter(({ name }: Check) => /^(tool|hook):/.test(name));
    expect(await secrets()).toMatchObject([
      {
        name: 'tool:bell',
        ok: true,
        message: 'warning: BELL_KEY is not set',
        cure: 'put BELL_KEY=… into .env or the environment',
      },
      { name: 'hook:ring', message: 'warning: RING_URL is not set' },
    ]);
    workspace.write('configs/security.json', { tool_policy: { tools: { bell: 'deny' } } });
    workspace.write('.env', 'RING_URL=http://127.0.0.1:9/\n');
    expect(await secrets()).toEqual([]);
  });

  it('names all that is wrong at once, each with a cure', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    workspace.write('configs/gateway.json', {
      smtp_listener: { port: typeof address === 'object' ? address?.port : 0 },
      mailboxes: [
        { id: 'main', smtp: { host: '127.0.0.1', port: 1, tls: 'none', user: 'x', secret_env: 'NOT_SET_ANYWHERE' } },
      ],
    });
    workspace.write('configs/context.json', { profils: {} });
    workspace.write('configs/security.json', { owners: [] });
    workspace.write('configs/inference.json', { provider: 'openai' });
    workspace.write('personas/ben/persona.json', { name: 'Ben' });
    workspace.write('personas/ada/persona.json', {
      name: 'Ada',
      address: 'ada@agents.localhost',
      owners: ['you@agents.localhost'],
      tools: { allow: ['sendmail'] },
    });
    workspace.write('personas/ada/tasks/brief.md', '---\nschedule: whenever\n---\nHello\n');
    workspace.write('data/personas/adele/files/a.txt', 'hers');
    workspace.write('extensions/extensions.json', { tools: ['nothing'] });
    const json = await doctor();
    taken.close();
    expect(json.ok).toBe(false);
    const names = failed(json).map(({ name }) => name);
    for (const name of [
      'configs',
      'personas',
      'extensions',
      'owners',
      'secrets',
      'provider:openai',
      'listener_port',
      'mailbox:main:smtp',
      'tasks',
      'grants:ada',
      'orphaned:adele',
      'owner_placeholder',
    ])
      expect(names).toContain(name);
    for (const { cure } of failed(json)) expect(cure).toMatch(/\w{3}/);
    expect(json.checks.find(({ name }: Check) => name === 'configs').problem).toMatchObject({
      file: 'configs/context.json',
      nearest: 'profiles',
    });
  });

  it('tells of budgets that are too small for an answer, or for a long one', async () => {
    const prices = { 'ollama/llama': { input: 1, output: 10 } };
    workspace.write('configs/inference.json', { provider: 'ollama', model: 'llama', prices });
    for (const [name, usd_per_day] of [
      ['ada', 0.01],
      ['ben', 0.041],
    ] as const) {
      const address = `${name}@agents.localhost`;
      workspace.write(`personas/${name}/persona.json`, { name, address, budget: { usd_per_day } });
    }
    const budgets = (await doctor()).checks.filter(({ name }: Check) => name.startsWith('budget:'));
    expect(budgets.map(({ name, ok }: Check) => [name, ok])).toEqual([
      ['budget:ada', false],
      ['budget:ben', true],
    ]);
    expect(budgets[0].message).toContain('not one answer fits');
    expect(budgets[0].cure).toContain('personas/ada/persona.json');
  });

  it('sees a data folder that others can read, and a folder that is no workspace', async () => {
    await doctor();
    chmodSync(join(workspace.root, 'data'), 0o755);
    expect(failed(await doctor())).toMatchObject([{ name: 'data_dir', cure: expect.stringContaining('chmod') }]);
    const empty = mkdtempSync(join(tmpdir(), 'epistle-empty-'));
    const { code, json } = await epistle(empty, ['doctor']);
    expect(code).toBe(1);
    expect(failed(json)).toMatchObject([{ name: 'workspace', cure: expect.stringContaining('epistle init') }]);
    expect(existsSync(join(empty, 'data'))).toBe(false);
    rmSync(empty, { recursive: true });
  });

  it('lists the places where a test may kill the gateway, anywhere', async () => {
    const { code, stdout } = await run(['doctor', '--crash-points', '--json'], { cwd: tmpdir() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ok: true, crash_points: CRASH_POINTS, other: expect.any(Array) });
  });
});

describe('the demo', () => {
  it('shows answer, tools, a question and its yes, refusal, duplicate and why, and leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('epistle-demo-'));
    const { code, stdout, stderr, ms } = await run(['demo'], { cwd: tmpdir() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of [
      'accepted, done',
      'read_file: ok',
      'Subject: Ada asks: may I send "Your offer" to bob@customer.example?',
      'Subject: Your offer\n   \n   Two wheels, 90 euros.',
      'refused (sender_not_allowed)',
      'duplicate',
      'decision  accepted',
    ])
      expect(stdout).toContain(word);
    expect(ms).toBeLessThan(60_000);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('epistle-demo-'))).toEqual(before);
  });
});

describe('a chat', () => {
  it('is one thread, a mail for each line, and an answer for each', async () => {
    const args = ['chat', 'ada', '--json', '--workspace', workspace.root];
    const { code, stdout } = await run(args, { stdin: 'first line\n\nsecond line\n' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      persona: 'ada',
      turns: [
        { text: 'first line', status: 'done', reply: { text: expect.stringContaining('first line') } },
        { text: 'second line', status: 'done', reply: { text: expect.stringContaining('second line') } },
      ],
    });
    const { json } = await epistle(workspace.root, ['threads', 'list']);
    expect(json.threads).toMatchObject([{ subject: 'Chat', message_count: 4 }]);
  });
});
