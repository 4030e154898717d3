import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { epistle, launchGateway, type Program } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
let workspace: TestWorkspace;
const gateways: Program[] = [];
const start = async () => {
  const gateway = await launchGateway(workspace.root).ready;
  gateways.push(gateway);
  return gateway;
};
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.kill();
  workspace.remove();
});

const status = async () => (await epistle(workspace.root, ['status'])).json;
const readyFile = () => existsSync(join(workspace.root, 'data/ready.json'));

describe('a gateway that runs', () => {
  it('is shown by status with its pid, and keeps a second one out at once', async () => {
    const gateway = await start();
    const shown = await status();
    expect(shown).toMatchObject({ ok: true, running: true, pid: gateway.ready.pid, config_errors: [] });
    // People read since when, and no count of seconds.
    const { stdout } = await run(['--workspace', workspace.root, 'status']);
    expect(stdout).toMatch(
      new RegExp(`^The gateway runs since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d \\(pid ${shown.pid}\\)`),
    );

    // A command that does nothing, beside it, tells how long a process takes on this machine just now.
    const [second, beside] = await Promise.all([
      run(['--workspace', workspace.root, 'start', '--json']),
      run(['--workspace', workspace.root, 'status', '--json']),
    ]);
    expect(second.code).toBe(2);
    expect(JSON.parse(second.stdout)).toMatchObject({ ok: false, error: { code: 'workspace_locked' } });
    expect(second.ms - beside.ms).toBeLessThan(9500);
    expect(readyFile()).toBe(true);
  });

  it('leaves nothing behind that says it runs when it is stopped', async () => {
    const gateway = await start();
    expect(await gateway.stop()).toBe(0);
    expect(readyFile()).toBe(false);
    expect(await status()).toMatchObject({ running: false, pid: null, uptime_s: null });
  });

  it('stops although a client holds its connection open', async () => {
    const gateway = await start();
    const client = connect(gateway.ready.smtp.port, '127.0.0.1');
    await once(client, 'data');
    const begun = performance.now();
    expect(await gateway.stop()).toBe(0);
    // Ten seconds are promised on a machine that has them to give; left alone, the client could stay for minutes.
    expect(performance.now() - begun).toBeLessThan(40_000);
    client.destroy();
  });

  it('is not believed to run when it was killed: commands do the work themselves', async () => {
    const gateway = await start();
    await gateway.kill();
    expect(readyFile()).toBe(true);
    expect(await status()).toMatchObject({ running: false, pid: null });
    const sent = await epistle(
      workspace.root,
      ['send', '--to', 'ada@agents.localhost', '--from', OWNER, '--wait=180'],
      'hi',
    );
    expect(sent).toMatchObject({ code: 0, json: { ok: true, results: [{ decision: 'accepted', status: 'done' }] } });
    expect(readyFile()).toBe(false);
  });
});

describe('a gateway that cannot start', () => {
  it('says which port is taken, lets go of the workspace, and starts when the port is another', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : 0;
    workspace.write('configs/gateway.json', { smtp_listener: { port } });
    const failed = await run(['start', '--json', '--workspace', workspace.root]);
    taken.close();
    expect(failed.code).toBe(2);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      ok: false,
      error: { code: 'port_in_use', message: expect.stringContaining('configs/gateway.json') },
    });
    expect(readyFile()).toBe(false);
    workspace.write('configs/gateway.json', { smtp_listener: { port: 0 } });
    expect((await start()).ready.smtp.port).toBeGreaterThan(0);
  });

  it('names every problem of every file at once, for people and for scripts', async () => {
    workspace.write('configs/gateway.json', { smtp_listner: {} });
    workspace.write('configs/security.json', '{ "owners": [1 }');
    const failed = await run(['start', '--json', '--workspace', workspace.root]);
    expect(failed.code).toBe(2);
    const { error } = JSON.parse(failed.stdout);
    expect(error.code).toBe('config_invalid');
    expect(error.problems).toMatchObject([
      { file: 'configs/gateway.json', key: 'smtp_listner', code: 'unknown_key', nearest: 'smtp_listener' },
      { file: 'configs/security.json', code: 'invalid_json' },
    ]);
    const told = await run(['start', '--workspace', workspace.root]);
    expect(told).toMatchObject({ code: 2, stdout: '' });
    expect(told.stderr).toContain('did you mean "smtp_listener"?');
    expect(told.stderr).toContain('configs/security.json');
  });
});

describe('a workspace whose configuration was broken', () => {
  it('can still be looked at', async () => {
    await epistle(workspace.root, ['send', '--to', 'ada@agents.localhost', '--from', OWNER, '--wait=180'], 'hi');
    workspace.write('configs/inference.json', '{');
    expect(await status()).toMatchObject({
      ok: true,
      config_errors: [{ file: 'configs/inference.json', code: 'invalid_json' }],
    });
    expect(await epistle(workspace.root, ['runs', 'list'])).toMatchObject({
      code: 0,
      json: { runs: [{ persona: 'ada' }] },
    });
    const sent = await epistle(workspace.root, ['send', '--to', 'ada@agents.localhost', '--from', OWNER], 'hi');
    expect(sent).toMatchObject({ code: 2, json: { error: { code: 'config_invalid' } } });
  });
});
