import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOwn } from '../../engine/backup/backups.ts';
import { run } from './command-line.ts';
import { epistle } from './gateway.ts';
import { makeWorkspace } from './workspace.ts';

let place: string;
let to: string;
const at = (name: string) => join(place, name);
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'epistle-moved-')));
  to = at('backups');
  workspaceIn('first');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function workspaceIn(name: string): void {
  renameSync(makeWorkspace().root, at(name));
}
async function backUp(name: string, ...more: string[]): Promise<{ path: string; removed: string[] }> {
  const { code, json } = await epistle(at(name), ['backup', 'create', '--to', to, ...more]);
  expect(code).toBe(0);
  return json;
}

describe('backups of a workspace that was moved', () => {
  it('count as its own, and older ones go', async () => {
    const before = [await backUp('first'), await backUp('first')].map(({ path }) => path);
    renameSync(at('first'), at('second'));
    expect((await backUp('second', '--keep', '2')).removed).toEqual([before[0]]);
    expect((await backUp('second', '--keep', '1')).removed).toHaveLength(2);
  });

  it('stay where it was copied, and where another one stands in its folder now', async () => {
    await backUp('first');
    cpSync(at('first'), at('copy'), { recursive: true });
    expect((await backUp('copy', '--keep', '1')).removed).toEqual([]);
    renameSync(at('first'), at('moved'));
    workspaceIn('first');
    // Of the same folder, and of another workspace.
    expect((await backUp('first', '--keep', '1')).removed).toEqual([]);
    expect((await backUp('moved', '--keep', '1')).removed).toEqual([]);
  });

  it('are told apart by id, folder and machine', () => {
    const whose = { root: '/b', id: 'one', host: 'here' };
    const gone = () => false;
    const made = { workspace: '/a', workspace_id: 'one', host: 'here' };
    expect(isOwn(made, whose, gone)).toBe(true);
    expect(isOwn(made, whose, () => true)).toBe(false);
    expect(isOwn({ ...made, host: 'there' }, whose, gone)).toBe(false);
    expect(isOwn({ ...made, workspace_id: 'two' }, whose, gone)).toBe(false);
    expect(isOwn(made, { ...whose, id: null }, gone)).toBe(false);
    // Restored in its own folder on another machine.
    expect(isOwn({ ...made, workspace: '/b', host: 'there' }, whose, gone)).toBe(true);
    expect(isOwn({ ...made, workspace: '/b', workspace_id: 'two' }, whose, gone)).toBe(false);
    // Of versions that wrote less.
    expect([isOwn({}, whose, gone), isOwn({ workspace: '/b' }, whose, gone)]).toEqual([true, true]);
    expect(isOwn({ workspace: '/a' }, whose, gone)).toBe(false);
  });
});

it('names the newest backup where the folder of them is given for one', async () => {
  await backUp('first');
  const { path } = await backUp('first');
  const { code, json } = await epistle(at('first'), ['backup', 'verify', to]);
  expect([code, json.error.message]).toEqual([1, expect.stringContaining(`the newest backup in it is ${path}`)]);
});

describe('the folder of backups by schedule', () => {
  const schedule = async (cwd: string, folder: string) => {
    const words = ['backup', 'schedule', '--daily', '03:00', '--to', folder, '--workspace', at('first')];
    const { code, stdout } = await run(words, { cwd });
    expect(code).toBe(0);
    const { backup } = JSON.parse(readFileSync(join(at('first'), 'configs/system.json'), 'utf8'));
    return { stdout, kept: backup.to as string };
  };

  it('is taken from the current folder, and said', async () => {
    mkdirSync(at('here'));
    const outside = await schedule(at('here'), 'mine');
    expect(outside.kept).toBe(at('here/mine'));
    expect(outside.stdout).toContain(`A backup is made every day at 03:00 (`);
    expect(outside.stdout).toContain(`into ${at('here/mine')},`);
    const inside = await schedule(at('first'), 'nightly');
    expect(inside.kept).toBe('nightly');
    expect(inside.stdout).toContain(`into ${at('first/nightly')},`);
  });
});
