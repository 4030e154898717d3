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
    const create = ['backup', 'create', '--json', '--workspace', workspace.root];
    const own = JSON.parse((await run(create)).stdout).path;
    mkdirSync(join(elsewhere, 'photos'));
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
    // Somebody's other things may lie beside the backups.
    expect(left.find(({ path }: { path: string }) => path === elsewhere).command).toBe(`rm -r '${own}'`);
    const told = await uninstall('--workspace', workspace.root);
    expect(told.stdout).toContain('Nothing is removed by this command.');
    expect(told.stdout).toContain(`  rm -r '${workspace.root}'`);
  });

  it('is no folder of somebody else\u2019s that has configs/, and no home in which somebody set up a workspace', async () => {
    const other = mkdtempSync(join(tmpdir(), 'epistle-other-'));
    mkdirSync(join(other, 'configs'));
    writeFileSync(join(other, 'configs/webpack.js'), '');
    const ask = async () => (await run(['uninstall'], { cwd: other, environment: { HOME: other } })).stdout;
    const [foreign, _] = [await ask(), writeFileSync(join(other, 'configs/security.json'), '{}')];
    const atHome = await ask();
    rmSync(other, { recursive: true });
    expect(foreign).not.toContain(`'${other}`);
    expect(atHome).toContain(`rm -r '${other}/configs'`);
    expect(atHome).not.toContain(`'${other}'`);
  });

  it('is the program alone where nobody has used it', async () => {
    const nobody = mkdtempSync(join(tmpdir(), 'epistle-nobody-'));
    const { stdout } = await run(['uninstall', '--json'], { cwd: nobody, environment: { HOME: nobody } });
    rmSync(nobody, { recursive: true });
    expect(JSON.parse(stdout).left).toMatchObject([{ what: expect.stringContaining('The program') }]);
  });
});
