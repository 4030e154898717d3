import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mustBeOurs } from '../../engine/cli/commands/gateway/stop.ts';
import { epistle, type Gateway, launchGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
let gateway: Gateway | undefined;
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
