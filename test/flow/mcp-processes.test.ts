import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAlive, READ } from '../engine/extensions/mcp/mcp-rig.ts';
import { epistleAlone, launchGateway, type Program } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const PROGRAM = fileURLToPath(new URL('../fakes/mcp-program.ts', import.meta.url));
const open: { workspace?: TestWorkspace; gateway?: Program; pids?: () => number[] } = {};
afterEach(async () => {
  await open.gateway?.kill();
  for (const pid of open.pids?.().filter(isAlive) ?? []) process.kill(pid, 'SIGKILL');
  open.workspace?.remove();
});

/** A gateway whose server ends for no signal that can be refused, and neither does what the server has started. */
async function started() {
  const server = { name: 'wiki', command: process.execPath, args: [PROGRAM, 'wiki.json'] };
  const workspace = makeWorkspace({
    'extensions/extensions.json': { mcp: [server] },
    'wiki.json': { tools: [READ], stubborn: true, hasChild: true },
  });
  const { root } = workspace;
  const path = join(root, 'wiki.json.pids');
  const pids = () => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number.parseFloat) : []);
  Object.assign(open, { workspace, pids });
  expect((await epistleAlone(root, ['extensions', 'allow', 'wiki'])).code).toBe(0);
  expect(pids().filter(isAlive)).toEqual([]);
  const gateway = await launchGateway(root).ready;
  open.gateway = gateway;
  const sent = await epistleAlone(
    root,
    ['send', '--to', 'ada@agents.localhost', '--from', 'owner@example.com', '--subject', 'x', '--wait'],
    {
      stdin: '/wiki_look_up {"word": "cat"}\n',
    },
  );
  expect(sent.json).toMatchObject({ results: [{ status: expect.any(String) }] });
  expect(pids().filter(isAlive)).toHaveLength(2);
  return { root, gateway, pids, records: () => readdirSync(join(root, 'data/processes')) };
}

describe('a server that wants to go on', () => {
  it('is gone with what it has started when the gateway has ended', async () => {
    const { gateway, pids, records } = await started();
    await gateway.stop();
    expect(pids().filter(isAlive)).toEqual([]);
    expect(records()).toEqual([]);
  });

  it('is ended by the next start when the gateway was killed', async () => {
    const { root, gateway, pids, records } = await started();
    await gateway.kill();
    expect(pids().filter(isAlive)).toHaveLength(2);
    expect(records()).toHaveLength(1);
    open.gateway = await launchGateway(root).ready;
    await vi.waitFor(() => expect(pids().filter(isAlive)).toEqual([]));
    expect(records()).toEqual([]);
    expect(open.gateway.log()).toContain('processes that a killed gateway had started were ended');
  });
});
