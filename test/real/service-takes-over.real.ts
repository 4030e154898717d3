import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspace } from '../flow/workspace.ts';
import { root as checkout } from '../house/sources.ts';
import { startUserManager } from '../lab/user-manager.ts';

const PROGRAM = join(checkout, 'bin/epistle.js');
const folder = mkdtempSync(join(tmpdir(), 'epistle-manager-'));
const workspace = makeWorkspace();
let manager: Awaited<ReturnType<typeof startUserManager>>;
let path: string;

beforeAll(async () => {
  manager = await startUserManager(folder);
  path = manager.agreeing('loginctl');
});
afterAll(async () => {
  await epistle(['stop']);
  await manager.stop();
  workspace.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function epistle(words: readonly string[], environment: Readonly<Record<string, string>> = { PATH: path }) {
  const args = [process.execPath, PROGRAM, '--workspace', workspace.root, '--json', ...words];
  const { code, stdout, stderr } = await manager.within(args, environment);
  return { code, json: stdout.trim() === '' ? null : JSON.parse(stdout), stderr };
}
const runs = async (): Promise<number | null> => (await epistle(['status'])).json.pid ?? null;
const ofUnit = async () => Number(await manager.property('epistle', 'MainPID'));

describe('a gateway that runs by itself, and the service of an account under systemd', () => {
  it('gives way to the service, which runs once the command says so', async () => {
    const alone = await epistle(['restart']);
    expect(alone.json).toMatchObject({ ok: true, was: null, service: null });
    const installed = await epistle(['service', 'install', '--now']);
    expect(installed).toMatchObject({ code: 0, json: { written: true, started: true, commands: [], said: [] } });
    expect([await runs(), await manager.property('epistle', 'ActiveState')]).toEqual([await ofUnit(), 'active']);
    expect(await runs()).not.toBe(alone.json.pid);
    expect((await epistle(['service', 'status'])).json).toMatchObject({ installed: true, active: true });
  });

  it('is restarted by systemd, on command and when it was killed', async () => {
    const before = await ofUnit();
    const again = await epistle(['restart']);
    expect(again.json).toMatchObject({ ok: true, was: before, service: 'epistle' });
    expect(again.json.pid).toBe(await ofUnit());
    process.kill(again.json.pid, 'SIGKILL');
    await expect.poll(runs, { timeout: 40_000, interval: 500 }).not.toBe(null);
    expect([await runs(), await manager.property('epistle', 'NRestarts')]).toEqual([await ofUnit(), '1']);
  });

  it('stays stopped, and is started by systemd again where its unit is there', async () => {
    const before = await ofUnit();
    expect((await epistle(['stop'])).json).toMatchObject({ stopped: true, pid: before });
    expect([await runs(), await manager.property('epistle', 'ActiveState')]).toEqual([null, 'inactive']);
    const again = await epistle(['restart']);
    expect(again.json).toMatchObject({ was: null, service: 'epistle', pid: await ofUnit() });
    expect(await runs()).toBe(again.json.pid);
  });

  it('is installed anew while it runs, and leaves with its unit', async () => {
    const before = await ofUnit();
    expect((await epistle(['service', 'install', '--now'])).json).toMatchObject({ started: true, said: [] });
    expect([await runs(), await ofUnit()]).toEqual([before, before]);
    expect((await epistle(['service', 'uninstall'])).json).toMatchObject({ removed: true, said: [] });
    expect([await runs(), await manager.property('epistle', 'ActiveState')]).toEqual([null, 'inactive']);
  });

  it('runs also where nothing keeps it running after a logout, which is said', async () => {
    const { json, code } = await epistle(['service', 'install', '--now'], {});
    expect([code, json.started, json.commands]).toEqual([1, true, ['loginctl enable-linger']]);
    expect(json.said.at(-1)).toMatch(/^It ends when you log out/);
    expect(await runs()).toBe(await ofUnit());
    expect((await epistle(['service', 'uninstall'])).json).toMatchObject({ removed: true });
  });

  it('goes by the name that its unit was given', async () => {
    expect((await epistle(['service', 'install', '--name', 'post', '--now'])).json).toMatchObject({ started: true });
    expect((await epistle(['stop'])).json).toMatchObject({ stopped: true });
    expect((await epistle(['restart'])).json).toMatchObject({ was: null, service: 'post' });
    expect((await epistle(['service', 'uninstall', '--name', 'post'])).json).toMatchObject({ removed: true });
  });

  it('is told of where the service cannot start', async () => {
    const file = join(workspace.root, 'configs/system.json');
    const good = readFileSync(file, 'utf8');
    const alone = await epistle(['restart']);
    writeFileSync(file, '{');
    const { json, code } = await epistle(['service', 'install', '--now']);
    writeFileSync(file, good);
    expect([code, json.started]).toEqual([1, false]);
    expect(json.said.at(-1)).toMatch(/`epistle logs`/);
    expect(alone.json.pid).not.toBe(await runs());
    expect((await epistle(['service', 'uninstall'])).json).toMatchObject({ removed: true });
  });
});
