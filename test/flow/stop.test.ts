import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mustBeOurs } from '../../engine/cli/command/gateway-process.ts';
import { serviceIn } from '../../engine/service/manager.ts';
import { epistle, epistleAlone, launchGateway, type Program } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
let gateway: Program | undefined;
beforeEach(() => {
  workspace = makeWorkspace();
});
afterEach(async () => {
  await gateway?.kill();
  gateway = undefined;
  workspace.remove();
});

describe('a gateway that is stopped', () => {
  it('has ended once the command says so, and the workspace is free for the next one', async () => {
    const launched = launchGateway(workspace.root);
    gateway = await launched.ready;
    const { pid } = gateway.ready;
    expect(await epistle(workspace.root, ['stop'])).toMatchObject({ code: 0, json: { ok: true, stopped: true, pid } });
    expect(await launched.exited).toBe(0);
    expect(await epistle(workspace.root, ['persona', 'rename', 'ben', 'bea'])).toMatchObject({ code: 0 });
    expect(await epistle(workspace.root, ['stop'])).toMatchObject({ code: 0, json: { stopped: false, pid: null } });
  });
});

describe('a gateway that is restarted', () => {
  it('is another process once the command says so, also where none ran', async () => {
    const launched = launchGateway(workspace.root);
    gateway = await launched.ready;
    const { pid } = gateway.ready;
    const again = await epistleAlone(workspace.root, ['restart']);
    expect(again).toMatchObject({ code: 0, json: { ok: true, was: pid, service: null } });
    expect(await launched.exited).toBe(0);
    expect((await epistle(workspace.root, ['status'])).json).toMatchObject({ pid: again.json.pid });
    expect((await epistle(workspace.root, ['stop'])).json).toMatchObject({ stopped: true, pid: again.json.pid });
    const anew = await epistleAlone(workspace.root, ['restart']);
    expect(anew.json).toMatchObject({ was: null, service: null });
    expect((await epistle(workspace.root, ['stop'])).json).toMatchObject({ stopped: true, pid: anew.json.pid });
  });

  it.each([
    ['0::/system.slice/epistle.service', { name: 'epistle', isSystem: true }],
    ['12:cpu:/\n1:name=systemd:/system.slice/epistle-2.service', { name: 'epistle-2', isSystem: true }],
    [
      '0::/user.slice/user-1000.slice/user@1000.service/app.slice/epistle.service',
      { name: 'epistle', isSystem: false },
    ],
    ['0::/user.slice/user-1000.slice/session-3.scope', null],
    ['0::/', null],
    ['', null],
  ])('is restarted by the unit that it runs in: %j', (cgroup, unit) => expect(serviceIn(cgroup)).toEqual(unit));
});

describe('a process that has its number somewhere else', () => {
  it.each([
    ['/sbin/init splash ', false],
    ['/usr/bin/node /opt/epistle/bin/epistle.js status ', false],
    [null, false],
    ['/usr/bin/node /opt/epistle/bin/epistle.js start --json ', true],
    ['/usr/bin/node /opt/epistle/bin/epistle.js --workspace /w start ', true],
  ])('is sent no signal: %j', (command, isOurs) => {
    const look = () => mustBeOurs(7, command);
    if (isOurs) expect(look).not.toThrow();
    else expect(look).toThrow(/container/);
  });
});
