import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { z } from 'zod';
import { answeredIn, type Installed, startGateway, until } from './installed.ts';

/** What wrote test/upgrade/workspace.tar.gz. */
const OLD_VERSION = '8001eddd';
/** Shortly after it was written: what waits there for an answer has not expired. */
const THEN = { NODE_ENV: 'test', EPISTLE_TEST_NOW: '2026-11-23T15:00:00Z' };
const ANSWERED = ['old-1', 'old-2', 'old-3', 'old-4', 'old-5', 'old-6'];

const restoredSchema = z.looseObject({ ok: z.literal(true), personas: z.literal(2) });
const approvalsSchema = z.looseObject({ approvals: z.array(z.looseObject({ state: z.string() })) });

/** Data of an older version: nothing of it is lost or answered twice, neither here nor back there. */
export async function goThereAndBack(installed: Installed, around: { checkout: string; place: string }): Promise<void> {
  const { checkout, place } = around;
  run('tar', ['--extract', '--gzip', '--file', join(checkout, 'test/upgrade/workspace.tar.gz'), '--directory', place]);
  const [root, back] = [join(place, 'workspace'), join(place, 'back')];
  const versions = versionsIn(root);
  assert.deepEqual(answeredIn(root), ANSWERED);

  const gateway = await installed.start(root, THEN);
  const [, backup = ''] = /copied to (.+) before its databases are changed/.exec(gateway.said()) ?? [];
  assert.notEqual(backup, '', gateway.said());
  assert.notDeepEqual(versionsIn(root), versions);
  await until('what was accepted before is answered', () => answeredIn(root).includes('accepted'));
  for (const mail of [{ raw: mailIn(root, 'old-1') }, { id: 'new-1', text: 'Hello' }]) await gateway.submit(mail);
  await until('new mail is answered', () => answeredIn(root).includes('new-1'));
  const { approvals } = approvalsSchema.parse(
    installed.json(['approvals', 'list', '--workspace', root], { environment: THEN }),
  );
  assert.deepEqual(
    approvals.map(({ state }) => state),
    ['pending'],
  );
  installed.run(['persona', 'resume', 'ben', '--workspace', root], { environment: THEN });
  await until('what waited for ben is answered', () => answeredIn(root).includes('waits'));
  assert.equal(await gateway.stop(), 0);
  assert.deepEqual(answeredIn(root), ['accepted', 'new-1', ...ANSWERED, 'waits']);

  installed.json(['backup', 'verify', backup]);
  restoredSchema.parse(installed.json(['backup', 'restore', backup, '--to', back, '--as-it-was']));
  assert.deepEqual([versionsIn(back), answeredIn(back)], [versions, ANSWERED]);
  await workWithOldVersion(checkout, { place, back, upgraded: root });
}

/** By the program that wrote it, where the history of the checkout still has that. */
async function workWithOldVersion(
  checkout: string,
  at: { place: string; back: string; upgraded: string },
): Promise<void> {
  const old = join(at.place, 'old-version');
  mkdirSync(old);
  const packed = join(at.place, 'old-version.tar');
  if (spawnSync('git', ['-C', checkout, 'archive', '--output', packed, OLD_VERSION]).status !== 0) {
    process.stdout.write('the history has no older version: the way back ends at its data\n');
    return;
  }
  run('tar', ['--extract', '--file', packed, '--directory', old]);
  symlinkSync(join(checkout, 'node_modules'), join(old, 'node_modules'));
  const command = [process.execPath, join(old, 'bin/epistle.js'), 'start', '--json', '--workspace'];
  const env = { PATH: process.env.PATH ?? '', HOME: at.place, ...THEN };
  const refused = spawnSync(process.execPath, [...command.slice(1), at.upgraded], { env, encoding: 'utf8' });
  assert.deepEqual([refused.status === 0, /newer version/.test(refused.stdout)], [false, true], refused.stdout);
  const gateway = await startGateway({ command: [...command, at.back], workspace: at.back, env });
  await until('the older version answers', () => answeredIn(at.back).includes('accepted'));
  for (const mail of [{ raw: mailIn(at.back, 'old-1') }, { id: 'new-2', text: 'Hello' }]) await gateway.submit(mail);
  await until('the older version answers new mail', () => answeredIn(at.back).includes('new-2'));
  assert.equal(await gateway.stop(), 0);
  assert.deepEqual(answeredIn(at.back), ['accepted', 'new-2', ...ANSWERED]);
}

/** As it came. */
function mailIn(root: string, id: string): Buffer {
  const folder = join(root, 'data/personas/ada/mail');
  const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const found = mails.find((raw) => raw.includes(`<${id}@example.com>`));
  if (!found) throw new Error(`there is no mail ${id} in ${folder}`);
  return found;
}

function versionsIn(root: string): number[] {
  return ['gateway.db', 'personas/ada/persona.db', 'personas/ben/persona.db'].map((file) => {
    const database = new SQLite(join(root, 'data', file), { readonly: true });
    try {
      return Number(database.pragma('user_version', { simple: true }));
    } finally {
      database.close();
    }
  });
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
}
