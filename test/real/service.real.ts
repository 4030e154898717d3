import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { systemdUnit } from '../../engine/service/systemd.ts';

const folder = mkdtempSync(join(tmpdir(), 'epistle-unit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const analyze = (...args: string[]) => {
  const ended = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { code: ended.status, said: `${ended.stdout}${ended.stderr}` };
};

function unitFile(name: string, user: string | null, workspace: string): string {
  const program = fileURLToPath(new URL('../../bin/epistle.js', import.meta.url));
  const file = join(folder, `${name}.service`);
  const places = {
    node: process.execPath,
    nodeRoot: '/usr',
    program,
    programRoot: '/opt/epistle',
    typed: './scripts/epistle',
  };
  writeFileSync(file, systemdUnit({ ...places, workspace, dataDir: `${workspace}/data`, user, allowShell: false }));
  return file;
}

describe('the unit, as systemd reads it', () => {
  it.each([
    ['system', 'daemon', '/srv/mail'],
    ['account', null, '/home/ann/my "mail" 100% $HOME'],
  ])('of the %s has no mistake and leaves little open', (name, user, workspace) => {
    const file = unitFile(name, user, workspace);
    expect(analyze('verify', file)).toEqual({ code: 0, said: '' });
    const [, exposure] =
      /Overall exposure level for \S+: (\d+\.\d)/.exec(analyze('security', '--offline=true', file).said) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(1.5);
  });
});
