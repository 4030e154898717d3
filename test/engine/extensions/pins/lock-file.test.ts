import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pinsOf } from '../../../../engine/extensions/pins/difference.ts';
import { LOCK_FILE, lockIn, readLock, writePins } from '../../../../engine/extensions/pins/lock-file.ts';
import { createToolPins } from '../../../../engine/extensions/pins/tool-pins.ts';

const PINS = pinsOf([
  { name: 'look-up', description: 'Looks', inputSchema: { type: 'object' }, onlyReads: true, destroys: false },
]);

function workspace() {
  const root = mkdtempSync(join(tmpdir(), 'epistle-pins-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'extensions'));
  const path = join(root, LOCK_FILE);
  return { root, path, text: () => readFileSync(path, 'utf8') };
}

const pinsIn = (root: string, lock: () => { release(): void } | null = () => ({ release() {} })) =>
  createToolPins({ root, lock, clock: { now: () => 0, sleep: () => Promise.resolve() } });

describe('extensions.lock.json', () => {
  it('keeps what was pinned, server by server, and what another build put there', () => {
    const { root, path, text } = workspace();
    writeFileSync(path, JSON.stringify({ version: 1, extensions: { week: { uses: [] } } }));
    writePins(root, 'wiki', PINS);
    writePins(root, 'crm', PINS);
    writePins(root, 'wiki', PINS);
    const read = readLock(root);
    expect(read.state === 'read' && [...read.servers]).toEqual([
      ['crm', PINS],
      ['wiki', PINS],
    ]);
    expect(JSON.parse(text())).toMatchObject({ version: 1, extensions: { week: { uses: [] } } });
  });

  it('may stay as readable for others as its owner has made it', () => {
    const { root, path } = workspace();
    writePins(root, 'wiki', PINS);
    chmodSync(path, 0o600);
    writePins(root, 'crm', PINS);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is no JSON', '{"version": 1, "mcp"'],
    ['is not as it was written (mcp)', '{"version": 1, "mcp": []}'],
    ['is not as it was written (mcp.wiki.tools.x)', '{"version": 1, "mcp": {"wiki": {"tools": {"x": true}}}}'],
    ['was written by a newer version of Epistle', '{"version": 2, "mcp": {}}'],
    ['is not as it was written (at its root)', '[]'],
  ])('that %s allows nothing, says what to do and is not written over', async (what, content) => {
    const { root, path, text } = workspace();
    writeFileSync(path, content);
    const pins = pinsIn(root);
    expect(pins.now().of('wiki')).toBeNull();
    expect(pins.now().broken).toBe(
      `${LOCK_FILE} ${what}, so no tool of an MCP server is used; bring it back from a copy, or remove it and run \`epistle extensions allow NAME\` for each server`,
    );
    pins.takeOver(['wiki'], 2_000_000);
    expect(pins.isTakenOver('wiki')).toBe(false);
    await expect(pins.write('wiki', PINS)).rejects.toMatchObject({ code: 'config_invalid' });
    expect(text()).toBe(content);
  });

  it('that is a folder allows nothing', () => {
    const { root, path } = workspace();
    mkdirSync(path);
    expect(pinsIn(root).now().broken).toContain('is no file');
  });

  it('is read without a throw, whatever stands in it', () => {
    fc.assert(fc.property(fc.json(), (text) => void expect(['read', 'bad']).toContain(lockIn(text).state)));
    fc.assert(fc.property(fc.string(), (text) => void expect(['read', 'bad']).toContain(lockIn(text).state)));
  });
});

describe('pins of a workspace', () => {
  it('are those of the file as another process has written it', async () => {
    const { root } = workspace();
    const [one, other] = [pinsIn(root), pinsIn(root)];
    expect(one.now().of('wiki')).toBeNull();
    await other.write('wiki', PINS);
    expect(one.now().of('wiki')).toEqual(PINS);
    expect(one.now()).toBe(one.now());
  });

  it('take over a server of an earlier build once, and none of which something is pinned', async () => {
    const { root } = workspace();
    const pins = pinsIn(root);
    expect(pins.isTakenOver('wiki')).toBe(false);
    await pins.write('crm', PINS);
    pins.takeOver(['wiki', 'crm'], 1);
    expect([pins.isTakenOver('wiki'), pins.isTakenOver('crm')]).toEqual([true, false]);
    await pins.write('wiki', PINS);
    expect(pins.isTakenOver('wiki')).toBe(false);
    rmSync(join(root, LOCK_FILE));
    expect(pins.isTakenOver('wiki')).toBe(false);
  });

  it('wait for another process that writes, and say so when that takes too long', async () => {
    const { root } = workspace();
    const time = { now: 0, tries: 0 };
    const clock = {
      now: () => time.now,
      async sleep(ms: number) {
        time.now += ms;
      },
    };
    const free = createToolPins({
      root,
      clock,
      lock: () => {
        time.tries += 1;
        return time.tries < 3 ? null : { release() {} };
      },
    });
    await free.write('wiki', PINS);
    expect(time.tries).toBe(3);
    const held = createToolPins({ root, clock, lock: () => null });
    await expect(held.write('wiki', PINS)).rejects.toMatchObject({ code: 'workspace_locked' });
  });
});
