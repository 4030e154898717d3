import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { epistle, launchGateway } from './gateway.ts';
import { makeWorkspace } from './workspace.ts';

const home = mkdtempSync(join(tmpdir(), 'epistle-home-'));
const units = join(home, '.config/systemd/user');
const [one, other] = [makeWorkspace(), makeWorkspace()];
afterAll(() => {
  for (const workspace of [one, other]) workspace.remove();
  rmSync(home, { recursive: true, force: true });
});

const service = async (root: string, ...words: string[]) => {
  const ran = await run(['--workspace', root, '--json', 'service', ...words], { environment: { HOME: home } });
  return { code: ran.code, json: JSON.parse(ran.stdout) };
};
const unit = (name: string) => readFileSync(join(units, `${name}.service`), 'utf8');

describe.runIf(process.platform === 'linux')('the unit of a service', () => {
  it('is written anew for its own workspace, and never over that of another one', async () => {
    expect((await service(one.root, 'install')).json).toMatchObject({ written: true });
    expect((await service(one.root, 'install', '--with-shell')).json).toMatchObject({ written: true });
    const refused = await service(other.root, 'install');
    expect(refused).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    expect(refused.json.error.message).toContain('another workspace; choose another --name');
    expect(unit('epistle')).toContain(`WorkingDirectory=${one.root}`);
    expect((await service(other.root, 'install', '--name', 'epistle-2')).json).toMatchObject({ written: true });
    expect((await service(one.root, 'uninstall')).json).toMatchObject({ removed: true });
    expect([existsSync(join(units, 'epistle.service')), unit('epistle-2').includes(other.root)]).toEqual([false, true]);
  });

  it('has its gateway call the program as whoever installed it did', async () => {
    const environment = { HOME: home, EPISTLE_PROGRAM: './scripts/epistle' };
    const args = ['--workspace', one.root, 'service', 'install', '--print'];
    expect((await run(args, { environment })).stdout).toContain('Environment="EPISTLE_PROGRAM=./scripts/epistle"\n');
    expect((await run(args, { environment: { HOME: home } })).stdout).not.toContain('EPISTLE_PROGRAM');
  });

  it('of another program is neither replaced nor removed', async () => {
    mkdirSync(units, { recursive: true });
    writeFileSync(join(units, 'sshd.service'), '[Unit]\nDescription=Not ours\n');
    for (const word of ['install', 'uninstall']) {
      const { code, json } = await service(one.root, word, '--name', 'sshd');
      expect([code, json.error.message]).toEqual([2, expect.stringContaining('another program')]);
    }
    expect(unit('sshd')).toBe('[Unit]\nDescription=Not ours\n');
  });

  it('takes the place of a gateway that runs by itself, and says so where it cannot', async () => {
    const launched = launchGateway(one.root);
    const { ready } = await launched.ready;
    const written = await service(one.root, 'install');
    expect(written.json.commands[0]).toBe('epistle stop');
    expect((await epistle(one.root, ['status'])).json).toMatchObject({ pid: ready.pid });
    // No manager of services answers for this home.
    const { json } = await service(one.root, 'install', '--now');
    expect(await launched.exited).toBe(0);
    expect(json.started).toBe(false);
    expect(json.said.at(-1)).toBe('The gateway that ran has ended; `epistle restart` starts it again.');
    expect((await service(one.root, 'uninstall')).json).toMatchObject({ removed: true });
  });

  it('takes no second line from an account or a folder', async () => {
    const user = await service(one.root, 'install', '--system', '--print', '--user', 'a\nExecStartPre=/bin/x');
    expect(user).toMatchObject({ code: 2, json: { error: { message: expect.stringContaining('no account') } } });
    const folder = join(home, 'a\nExecStartPre=x');
    cpSync(one.root, folder, { recursive: true });
    expect(await service(folder, 'install', '--print')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
  });
});
