import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { epistle, launchGateway, type Program, readOutgoing } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
let folder: string;
const running = new Set<Program>();
beforeEach(() => {
  workspace = makeWorkspace();
  folder = mkdtempSync(join(tmpdir(), 'epistle-backups-'));
});
afterEach(async () => {
  for (const gateway of running) await gateway.kill();
  running.clear();
  workspace.remove();
  rmSync(folder, { recursive: true, force: true });
});

const lifeAt = (time: string) => ({ NODE_ENV: 'test', TZ: 'UTC', EPISTLE_TEST_NOW: time });
async function startAt(time: string): Promise<Program> {
  const gateway = await launchGateway(workspace.root, lifeAt(time)).ready;
  running.add(gateway);
  return gateway;
}
async function stop(gateway: Program): Promise<void> {
  running.delete(gateway);
  expect(await gateway.stop()).toBe(0);
}
/** Before anything is due: from when a schedule is set its times count. */
const EARLY = lifeAt('2026-11-23T02:00:00Z');
const schedule = (...options: string[]) => epistle(workspace.root, ['backup', 'schedule', ...options], '', EARLY);
const listed = async () => (await epistle(workspace.root, ['backup', 'list'])).json.backups;
const plan = async () => (await epistle(workspace.root, ['status'], '', EARLY)).json.backup;
/** A backup is made with what others leave of the machine: a command that asks at once again leaves it little. */
const soon = <Answer>(ask: () => Promise<Answer>, isThere: (answer: Answer) => boolean): Promise<Answer> =>
  eventually(ask, isThere, 90_000, 1000);
const told = () => {
  const outgoing = join(workspace.root, 'data/outgoing');
  return Promise.all(
    (existsSync(outgoing) ? readdirSync(outgoing) : []).map(async (name) => {
      const { mail } = await readOutgoing(join(outgoing, name));
      return { subject: mail.subject, text: mail.text ?? '' };
    }),
  );
};

describe('a schedule of backups', () => {
  it('has the gateway make and verify one when it is due, and one of those that it missed', async () => {
    expect((await schedule()).json).toMatchObject({ schedule: null, next_at: null, last: null });
    expect((await schedule('--daily', '03:00', '--keep', '1', '--to', folder)).json).toMatchObject({
      schedule: '0 3 * * *',
      to: folder,
      keep: 1,
      changed: true,
    });
    const first = await startAt('2026-11-23T02:59:58Z');
    const [made] = await soon(listed, ({ length }) => length === 1);
    expect((await epistle(workspace.root, ['backup', 'verify', made.path])).json).toMatchObject({ problems: [] });
    expect(await soon(plan, ({ last }) => last !== null)).toMatchObject({
      last: { path: made.path, error: null },
    });
    await stop(first);

    // Two were missed; one of them is made up for, and only the newest is kept.
    const second = await startAt('2026-11-25T12:00:00Z');
    const [newest] = await soon(listed, ([one]) => one !== undefined && one.path !== made.path);
    await soon(listed, ({ length }) => length === 1);
    await soon(plan, ({ last }) => last.path === newest.path);
    await stop(second);
    const third = await startAt('2026-11-25T13:00:00Z');
    expect((await schedule('--off')).json).toMatchObject({ schedule: null, next_at: null });
    await stop(third);
    expect((await listed()).map((one: { path: string }) => one.path)).toEqual([newest.path]);
    expect(await told()).toEqual([]);
  });

  it('that fails is told to the owner once, makes status unhealthy, and is told again after one that succeeded', async () => {
    const nowhere = join(folder, 'file');
    writeFileSync(nowhere, 'no folder');
    await schedule('--daily', '03:00', '--to', nowhere);
    for (const day of ['23', '24']) {
      const gateway = await startAt(`2026-11-${day}T02:59:59Z`);
      await soon(plan, ({ last }) => last?.at.startsWith(`2026-11-${day}`) === true);
      const { json } = await epistle(workspace.root, ['status'], '', EARLY);
      expect(json.healthy).toBe(false);
      expect(json.unhealthy.join()).toContain('the last backup failed');
      await eventually(told, ({ length }) => length > 0);
      await stop(gateway);
    }
    expect(await told()).toMatchObject([
      {
        subject: '[Ada] The workspace could not be backed up',
        text: expect.stringContaining('Mon, 23 Nov 2026, 03:00 (UTC)'),
      },
    ]);

    rmSync(nowhere);
    for (const day of ['25', '26']) {
      if (day === '26') {
        rmSync(nowhere, { recursive: true });
        writeFileSync(nowhere, 'no folder again');
      }
      const gateway = await startAt(`2026-11-${day}T02:59:59Z`);
      const { last } = await soon(plan, (one) => one.last?.at.startsWith(`2026-11-${day}`) === true);
      expect(last.error === null).toBe(day === '25');
      if (day === '26') await eventually(told, ({ length }) => length === 2);
      await stop(gateway);
    }
  });

  it('goes on after a clock that was years ahead, and keeps what it has just made', async () => {
    await schedule('--daily', '03:00', '--keep', '1', '--to', folder);
    const ahead = await startAt('2031-05-01T12:00:00Z');
    const [wrong] = await soon(listed, ({ length }) => length === 1);
    await soon(plan, ({ last }) => last?.path === wrong.path);
    await stop(ahead);
    const mended = await startAt('2026-11-25T02:59:50Z');
    const right = await soon(plan, ({ last }) => last.path !== wrong.path);
    expect((await listed()).map((one: { path: string }) => one.path)).toEqual([right.last.path]);
    await stop(mended);
  });

  it('leaves the backups of another workspace in the same folder alone', async () => {
    const other = makeWorkspace();
    const create = (root: string, day: string) =>
      epistle(root, ['backup', 'create', '--to', folder, '--keep', '1'], '', lifeAt(`2026-11-${day}T02:00:00Z`));
    const theirs = (await create(other.root, '20')).json.path;
    other.remove();
    const first = (await create(workspace.root, '21')).json.path;
    const second = (await create(workspace.root, '22')).json;
    expect(second.removed).toEqual([first]);
    const there = (await epistle(workspace.root, ['backup', 'list', '--from', folder])).json.backups;
    expect(there.map((one: { path: string }) => one.path)).toEqual([theirs, second.path]);
  });

  it('is said wrong, and nothing is written', async () => {
    const before = readFileSync(join(workspace.root, 'configs/system.json'), 'utf8');
    for (const options of [
      ['--daily', '25:00'],
      ['--daily', 'sun 03:00'],
      ['--weekly', '03:00'],
      ['--weekly', 'someday 03:00'],
      ['--daily', '03:00', '--off'],
      ['--keep', '0'],
    ])
      expect([options, (await schedule(...options)).json]).toMatchObject([
        options,
        { ok: false, error: { code: 'usage' } },
      ]);
    expect(readFileSync(join(workspace.root, 'configs/system.json'), 'utf8')).toBe(before);
    expect((await schedule('--weekly', 'sun 3:30')).json).toMatchObject({ schedule: '30 3 * * 0' });
    workspace.write('configs/system.json', { backup: { schedule: '0 3 * *' } });
    const { json } = await schedule();
    expect(json.error.problems).toMatchObject([{ file: 'configs/system.json', key: 'backup.schedule' }]);
  });
});

describe('a backup that is verified when it is made', () => {
  it('says so when it is whole', async () => {
    const { code, json } = await epistle(workspace.root, ['backup', 'create', '--verify', '--to', folder]);
    expect([code, json]).toMatchObject([0, { ok: true, path: expect.stringContaining(folder) }]);
  });
});
