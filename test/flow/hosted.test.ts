import { afterEach, expect, it } from 'vitest';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, startGateway, submit } from './gateway.ts';
import { brokenGateways } from './hosted-gateways.ts';
import { makeWorkspace, STEADY, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';

const open = { workspaces: [] as TestWorkspace[], gateways: [] as Gateway[], models: [] as FakeModel[] };
afterEach(async () => {
  for (const gateway of open.gateways.splice(0)) await gateway.end();
  for (const model of open.models.splice(0)) await model.stop();
  for (const workspace of open.workspaces.splice(0)) workspace.remove();
});

function workspaceWith(files: Readonly<Record<string, string | object>>): TestWorkspace {
  const workspace = makeWorkspace(files);
  open.workspaces.push(workspace);
  return workspace;
}
async function started(root: string, environment: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await startGateway(root, environment);
  open.gateways.push(gateway);
  return gateway;
}

it('two hosted gateways have a log, a clock and variables of their own', async () => {
  const model = await startFakeModel('openai', () => ({ text: 'Hello.' }), { key: 'the key of the first' });
  open.models.push(model);
  const files = {
    'configs/system.json': { console: { enabled: false }, log: { level: 'info', format: 'json' } },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'extensions/providers/steady/manifest.json': {
      ...STEADY['extensions/providers/steady/manifest.json'],
      secrets: { api_key: 'STEADY_KEY' },
    },
  };
  const lives = [
    { root: workspaceWith(files).root, year: '2031', key: { STEADY_KEY: 'the key of the first' }, status: 'done' },
    { root: workspaceWith(files).root, year: '2032', key: {}, status: 'deferred' },
  ];
  const gateways = await Promise.all(
    lives.map(({ root, year, key }) =>
      started(root, { NODE_ENV: 'test', EPISTLE_TEST_NOW: `${year}-01-01T00:00:00Z`, ...key }),
    ),
  );
  expect(new Set(gateways.map(({ ready }) => ready.pid)).size).toBe(1);
  for (const [n, { root, year, status }] of lives.entries()) {
    const gateway = gateways[n] as Gateway;
    await submit(root, gateway.ready, { from: OWNER, to: ADA, subject: `Of ${year}`, text: 'Hello?' });
    const now = { NODE_ENV: 'test', EPISTLE_TEST_NOW: `${year}-01-02T00:00:00Z` };
    const [run] = await eventually(
      async () => (await epistle(root, ['runs', 'list'], '', now)).json.runs,
      ([first]) => first?.status === status,
    );
    expect(run.created_at).toMatch(new RegExp(`^${year}-01-01T`));
    expect(gateways.map(({ log }) => log().includes(`Of ${year}`))).toEqual(gateways.map((one) => one === gateway));
  }
});

it('what a process heeds is not handed to a hosted gateway', async () => {
  const { root } = workspaceWith({});
  for (const name of ['EPISTLE_CRASH_AT', 'NODE_OPTIONS', 'TZ', 'HOME'])
    await expect(startGateway(root, { [name]: 'x' })).rejects.toThrow(`a process heeds ${name}`);
});

it('one that cannot start says why, and leaves its workspace to the next', async () => {
  const { root, write } = workspaceWith({ 'configs/gateway.json': '{' });
  await expect(started(root)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('the configuration has problems') },
  });
  write('configs/gateway.json', { smtp_listener: { port: 0 } });
  const gateway = await started(root);
  await expect(startGateway(root)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('another gateway') },
  });
  await gateway.stop();
  await started(root);
});

it('what nobody caught ends their process, is known to the test, and the next has another process', async () => {
  const { root } = workspaceWith({
    'extensions/extensions.json': { tools: ['bad'] },
    'extensions/tools/bad/manifest.json': { name: 'bad', kind: 'tool', api: 1, summary: 'x', entry: 'index.mjs' },
    'extensions/tools/bad/index.mjs': `import { existsSync } from 'node:fs';
      setInterval(() => { if (existsSync(new URL('../../../now', import.meta.url))) throw new Error('nobody caught it'); }, 20);
      export default { description: 'x', risk: 'read', scope: 'web:read', input: { type: 'object' }, run: () => 'x' };`,
  });
  const gateway = await startGateway(root);
  open.workspaces[0]?.write('now', '');
  const broken: string[] = [];
  await eventually(
    () => broken.push(...brokenGateways()),
    (count) => count > 0,
  );
  expect(broken).toEqual([expect.stringMatching(/^uncaught exception: Error: nobody caught it\n {4}at /)]);
  await expect(gateway.stop()).rejects.toThrow(/ended with|nobody caught it/);
  const next = workspaceWith({});
  const after = await started(next.root);
  expect(after.ready.pid).not.toBe(gateway.ready.pid);
});
