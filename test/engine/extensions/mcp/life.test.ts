import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive, mcpRig, READ } from './mcp-rig.ts';

const grants = (allow: string[], deny: string[] = []) => ({ allow, deny });

describe('a program that is slow to start', () => {
  it('is waited for as long as its settings say', async () => {
    const rig = mcpRig({ tools: [READ], startsAfterMs: 1500 }, { start_timeout_s: 20 });
    expect((await rig.tools()).get('wiki_look_up')?.ready()).toBeNull();
    expect(rig.pids()).toHaveLength(1);
  });

  it('is named when it takes longer', async () => {
    const rig = mcpRig({ tools: [READ], startsAfterMs: 20_000 }, { start_timeout_s: 0.3 });
    expect((await rig.tools()).get('wiki')?.ready()).toMatch(/did not answer in time/);
  });

  it.each([
    ['names a tool of another server', grants(['crm_add'])],
    ['names another kind of scope', grants(['mail:read', 'files:read'])],
    ['is given nothing', grants([])],
    ['is denied all', grants(['*'], ['*'])],
    ['is denied each tool that is wanted of it', grants(['*'], ['wiki_look_up'])],
  ])('is not started for a persona that %s', async (_what, given) => {
    const rig = mcpRig({ tools: [READ], startsAfterMs: 20_000 }, { tools: { allow: ['look-up'] } });
    await rig.tools(given);
    expect(rig.pids()).toEqual([]);
  });

  it.each([
    ['names one of its tools', grants(['wiki_look_up'])],
    ['may use every tool', grants(['*'])],
    ['may use what its tools do', grants(['web:write'])],
    ['is denied another one', grants(['*'], ['wiki_other'])],
  ])('is started for a persona that %s', async (_what, given) => {
    const rig = mcpRig({ tools: [READ] }, { tools: { allow: ['look-up'] } });
    expect((await rig.tools(given)).get('wiki_look_up')?.ready()).toBeNull();
  });
});

describe('a slow program of which nothing is allowed yet', () => {
  it('is started and holds up no mail', async () => {
    const rig = mcpRig({ tools: [READ], startsAfterMs: 30_000 }, { start_timeout_s: 40 }, { reviewed: false });
    const began = performance.now();
    expect((await rig.tools(grants(['*']))).names).toEqual([]);
    expect(performance.now() - began).toBeLessThan(20_000);
    await expect.poll(() => rig.pids()).toHaveLength(1);
  });
});

describe('what a program has started', () => {
  it('ends with it, also what does not want to', async () => {
    const rig = mcpRig({ tools: [READ], stubborn: true, hasChild: true });
    await rig.tools();
    const pids = rig.pids();
    expect(pids.filter(isAlive)).toHaveLength(2);
    await rig.servers.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(join(rig.folder, 'processes'))).toEqual([]);
  });

  it('ends when the program dies in a call', async () => {
    const rig = mcpRig({ tools: [READ], hasChild: true, calls: { 'look-up': 'die' } });
    await rig.tools();
    await expect(rig.call('wiki_look_up')).rejects.toMatchObject({ code: 'tool_failed' });
    await expect.poll(() => rig.pids().filter(isAlive)).toEqual([]);
    expect(readdirSync(join(rig.folder, 'processes'))).toEqual([]);
  });

  it('is ended at once where nobody has the time to ask', async () => {
    const rig = mcpRig({ tools: [READ], stubborn: true, hasChild: true });
    await rig.tools();
    rig.children.killAll();
    await expect.poll(() => rig.pids().filter(isAlive)).toEqual([]);
  });
});
