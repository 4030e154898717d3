import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { makeWorkspace } from './workspace.ts';

const home = mkdtempSync(join(tmpdir(), "epistle's home "));
const elsewhere = mkdtempSync(join(tmpdir(), 'epistle-backups-'));
const workspace = makeWorkspace({ 'configs/system.json': { backup: { to: elsewhere } } });
afterAll(() => {
  workspace.remove();
  for (const folder of [home, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

const uninstall = (...args: string[]) =>
  run(['uninstall', ...args], { environment: { HOME: home, XDG_STATE_HOME: join(home, 'state') } });

describe('what there is to remove', () => {
  it('is named with the command that removes it, and nothing is removed', async () => {
    const unit = join(home, '.config/systemd/user/epistle.service');
    const [state, cache] = [join(home, 'state/epistle'), join(home, '.cache/epistle')];
    for (const folder of [join(unit, '..'), state, cache]) mkdirSync(folder, { recursive: true });
    writeFileSync(unit, '');
    const { code, stdout } = await uninstall('--json', '--workspace', workspace.root);
    const { left, removed } = JSON.parse(stdout);
    expect([code, removed]).toEqual([0, []]);
    const paths = left.map(({ path }: { path: string }) => path);
    const expected = [workspace.root, elsewhere, state, cache];
    expect(paths).toEqual(expect.arrayContaining(process.platform === 'linux' ? [unit, ...expected] : expected));
    for (const path of paths) expect(existsSync(path)).toBe(true);
    // It can be pasted, whatever is in a path.
    expect(left.find(({ path }: { path: string }) => path === cache).command).toBe(
      `rm -r '${cache.replace("'", String.raw`'\''`)}'`,
    );
    const told = await uninstall('--workspace', workspace.root);
    expect(told.stdout).toContain('Nothing is removed by this command.');
    expect(told.stdout).toContain(`  rm -r '${workspace.root}'`);
  });

  it('is the program alone where nobody has used it', async () => {
    const nobody = mkdtempSync(join(tmpdir(), 'epistle-nobody-'));
    const { stdout } = await run(['uninstall', '--json'], { cwd: nobody, environment: { HOME: nobody } });
    rmSync(nobody, { recursive: true });
    expect(JSON.parse(stdout).left).toMatchObject([{ what: expect.stringContaining('The program') }]);
  });
});
