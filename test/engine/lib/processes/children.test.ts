import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { type Children, createChildren } from '../../../../engine/lib/processes/children.ts';
import { isAlive } from '../../extensions/mcp/mcp-rig.ts';

const STUBBORN = "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)";
/** A head that starts another process and waits for it. */
const LAUNCHER = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { stdio: 'inherit' });
console.log(child.pid); setInterval(() => {}, 1000)`;

function rig() {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-children-'));
  const children = createChildren({ folder: () => folder, id: 'ours', log: silentLog });
  onTestFinished(() => {
    children.killAll();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, children };
}

/** Its number and that of the process that it has started. */
async function launched(children: Children, program = LAUNCHER) {
  const child = spawn(process.execPath, ['-e', program], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...children.environment },
  });
  const { pid = 0 } = child;
  children.add(pid, 'launcher');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    // Which of the two processes writes first is not said.
    if (text.includes('up') && /\d+\n/.test(text)) break;
  }
  onTestFinished(() => {
    for (const each of [pid, Number(/\d+/.exec(text)?.[0])]) if (isAlive(each)) process.kill(each, 'SIGKILL');
  });
  return { child, pid, below: Number(/\d+/.exec(text)?.[0]) };
}

/** As if the process that wrote the records had been killed. */
function forget(folder: string) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const record = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...record, by: { ...record.by, born: 'before' } }));
  }
}

const gone = (...pids: number[]) => vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]));

describe('what this process has started', () => {
  it('is ended with all that it has started itself, and its record goes', async () => {
    const { children, folder } = rig();
    const { pid, below } = await launched(children);
    expect(readdirSync(folder)).toEqual([`${process.pid}-${pid}.json`]);
    children.killAll();
    await gone(pid, below);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is left alone by others as long as this process lives', async () => {
    const { children, folder } = rig();
    const { pid, below } = await launched(children);
    const next = createChildren({ folder: () => folder, id: 'next', log: silentLog });
    expect(next.endLeftBehind()).toEqual([]);
    expect([pid, below].every(isAlive)).toBe(true);
  });

  it('is ended by the next start when this process was killed', async () => {
    const { children, folder } = rig();
    const { pid, below } = await launched(children);
    forget(folder);
    const next = createChildren({ folder: () => folder, id: 'next', log: silentLog });
    expect(next.endLeftBehind()).toEqual(['launcher']);
    await gone(pid, below);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is ended by the next start where its head is gone and what it had started is left', async () => {
    const { children, folder } = rig();
    const { child, pid, below } = await launched(children);
    const exited = once(child, 'exit');
    process.kill(pid, 'SIGKILL');
    await exited;
    forget(folder);
    const next = createChildren({ folder: () => folder, id: 'next', log: silentLog });
    expect(next.endLeftBehind()).toEqual(['launcher']);
    await gone(below);
  });
});

describe('a number that another process has by now', () => {
  it('is not signalled, neither by the next start nor by this process', async () => {
    const { children, folder } = rig();
    const { pid, below } = await launched(children);
    const stranger = join(folder, `${process.pid}-${pid}.json`);
    const record = JSON.parse(readFileSync(stranger, 'utf8'));
    const by = { pid: process.pid, born: 'before' };
    writeFileSync(stranger, JSON.stringify({ ...record, by, born: 'another time', mark: 'another' }));
    const next = createChildren({ folder: () => folder, id: 'next', log: silentLog });
    expect(next.endLeftBehind()).toEqual([]);
    expect([pid, below].every(isAlive)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['no JSON', 'half a rec'],
    ['group 1', JSON.stringify({ name: 'x', pid: 1, born: 'x', mark: 'x', by: { pid: 1, born: 'x' } })],
    ['a negative number', JSON.stringify({ name: 'x', pid: -1, born: 'x', mark: 'x', by: { pid: 1, born: 'x' } })],
  ])('ends nothing where a record is %s', (_what, text) => {
    const { children, folder } = rig();
    writeFileSync(join(folder, '1-2.json'), text);
    writeFileSync(join(folder, 'notes.txt'), 'of somebody');
    expect(children.endLeftBehind()).toEqual([]);
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });
});
