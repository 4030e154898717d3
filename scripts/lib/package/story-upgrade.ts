import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { z } from 'zod';
import { answeredIn, type Installed, type RunningGateway, startGateway, until } from './installed.ts';

/** What wrote test/upgrade/workspace.tar.gz. */
const OLD_VERSION = '2281cae5';
/** Shortly after it was written: what waits there for an answer has not expired. */
const THEN = { NODE_ENV: 'test', EPISTLE_TEST_NOW: '2026-11-28T12:00:00Z' };
const ANSWERED = ['old-1', 'old-2', 'old-3', 'old-4', 'old-5', 'old-6'];

const restoredSchema = z.looseObject({ ok: z.literal(true), personas: z.literal(2) });
const gatewaySchema = z.looseObject({
  smtp_listener: z.looseObject({ trusted_relays: z.array(z.looseObject({ ip: z.string(), authserv_id: z.string() })) }),
});
const approvalsSchema = z.looseObject({ approvals: z.array(z.looseObject({ state: z.string() })) });

/** Data of an older version: nothing of it is lost or answered twice, neither here nor back there. */
export async function goThereAndBack(installed: Installed, around: { checkout: string; place: string }): Promise<void> {
  const { checkout, place } = around;
  run('tar', ['--extract', '--gzip', '--file', join(checkout, 'test/upgrade/workspace.tar.gz'), '--directory', place]);
  const [root, back] = [join(place, 'workspace'), join(place, 'back')];
  const versions = versionsIn(root);
  assert.deepEqual(answeredIn(root), ANSWERED);

  setUnderNoName(root);
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
    ['pending', 'pending'],
  );
  installed.run(['persona', 'resume', 'ben', '--workspace', root], { environment: THEN });
  await until('what waited for ben is answered', () => answeredIn(root).includes('waits'));
  assert.deepEqual(answeredIn(root), ['accepted', 'new-1', ...ANSWERED, 'waits']);
  await answerWhatWasAsked(gateway, root);
  await believeTheBorder(gateway, root);
  assert.equal(await gateway.stop(), 0);
  const again = await installed.start(root, THEN);
  await again.submit({ id: 'new-3', text: 'Hello' });
  await until('the second start answers', () => answeredIn(root).includes('new-3'));
  assert.equal(await again.stop(), 0);
  const news = mailsIn(root, 'notice').filter((mail) => mail.includes(NEWS));
  assert.equal(news.length, 1);
  assert.match((news[0] ?? '').replace(/=\r?\n/g, ''), /For 127\.0\.0\.66 the name of the mail server is set to/);

  installed.json(['backup', 'verify', backup]);
  restoredSchema.parse(installed.json(['backup', 'restore', backup, '--to', back, '--as-it-was']));
  assert.deepEqual([versionsIn(back), answeredIn(back)], [versions, ANSWERED]);
  await workWithOldVersion(checkout, { place, back, upgraded: root });
}

/** As a trial of that version may have set it at a server that writes no name before its results. */
function setUnderNoName(root: string): void {
  const path = join(root, 'configs/gateway.json');
  const config = gatewaySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  config.smtp_listener.trusted_relays.push({ ip: '127.0.0.66', authserv_id: 'dkim=none' });
  writeFileSync(path, JSON.stringify(config, null, 2));
}

/** The subject of the one mail about what the upgrade changed. */
const NEWS = 'Subject: [Ada] What is different since the upgrade';

/** What the older version asked is answered here: a doubt below a yes is asked back about, a plain yes is done once. */
async function answerWhatWasAsked(gateway: RunningGateway, root: string): Promise<void> {
  const [call, question] = [mailsIn(root, 'approval')[0] ?? '', mailsIn(root, 'clarify')[0] ?? ''];
  const clarified = () => mailsIn(root, 'clarify').length;
  const lunches = () => mailsIn(root, 'reply').filter((mail) => /^To: .*carol@example\.com/m.test(mail)).length;
  await gateway.submit({ raw: answerTo(call, 'doubt', 'Yes\r\n--\r\nNo wait, not before Monday.') });
  await until('a doubt is asked back about', () => clarified() === 2);
  assert.equal(lunches(), 0);
  for (const id of ['yes', 'yes']) await gateway.submit({ raw: answerTo(call, id, 'Yes\r\n\r\n-- \r\nMaria') });
  await gateway.submit({ raw: answerTo(question, 'room', 'The blue one.') });
  await until('both are done', () => ['asks', 'wonders'].every((id) => followUps(root, id) > 0));
  assert.deepEqual([lunches(), clarified()], [1, 2]);
}

const followUps = (root: string, id: string): number =>
  ['reply', 'follow_up'].flatMap((kind) => mailsIn(root, kind)).filter((mail) => mail.includes(`<${id}@example.com>`))
    .length;

/** The relay that it trusted is trusted still; what is written into its words by a stranger is not. */
async function believeTheBorder(gateway: RunningGateway, root: string): Promise<void> {
  const results = (comment: string) =>
    `mx.example.com; dmarc=pass header.from=agents.localhost; spf=pass (mx.example.com: domain of ${comment} designates 192.0.2.1) smtp.mailfrom=you@agents.localhost`;
  await gateway.relay(relayed('relayed', results('you@agents.localhost')));
  await until('mail of the relay is answered', () => answeredIn(root).includes('relayed'));
  const forged = results('"a); dmarc=pass header.from=agents.localhost; x=(b"@evil.example').replace(
    'dmarc=pass',
    'dmarc=none',
  );
  await assert.rejects(gateway.relay(relayed('forged', forged)), /550/);
}

const relayed = (id: string, results: string): Buffer =>
  Buffer.from(
    [
      `Authentication-Results: ${results}`,
      // Taken with a login in the relay's own house.
      'Received: from desk (desk [192.168.1.7]) by mx.example.com with ESMTPSA id 1; Sat, 28 Nov 2026 11:59:00 +0000',
      ...[
        'From: you@agents.localhost',
        'To: ada@agents.localhost',
        `Subject: ${id}`,
        `Message-ID: <${id}@example.com>`,
      ],
      ...['Date: Sat, 28 Nov 2026 11:59:00 +0000', '', 'Hello', ''],
    ].join('\r\n'),
  );

/** Mail of one kind that has left, oldest first. */
function mailsIn(root: string, kind: string): string[] {
  const folder = join(root, 'data/outgoing');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .filter((text) => new RegExp(`^X-Epistle-Kind: ${kind}\\b`, 'im').test(text));
}

const headerOf = (mail: string, name: string): string =>
  new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, 'im')
    .exec(mail)?.[1]
    ?.replace(/\r?\n[ \t]/g, ' ')
    .trim() ?? '';

const answerTo = (asked: string, id: string, text: string): Buffer =>
  Buffer.from(
    [
      `From: you@agents.localhost`,
      `To: ${headerOf(asked, 'Reply-To') || 'ada@agents.localhost'}`,
      `Subject: Re: ${headerOf(asked, 'Subject')}`,
      `Message-ID: <${id}@example.com>`,
      `In-Reply-To: ${headerOf(asked, 'Message-ID')}`,
      ...['Date: Sat, 28 Nov 2026 11:59:00 +0000', '', text, ''],
    ].join('\r\n'),
  );

/** The folder of the program that wrote it; null where the history of the checkout has that no more. */
export function unpackOldVersion(checkout: string, place: string): string | null {
  const old = join(place, 'old-version');
  mkdirSync(old);
  const packed = join(place, 'old-version.tar');
  if (spawnSync('git', ['-C', checkout, 'archive', '--output', packed, OLD_VERSION]).status !== 0) return null;
  run('tar', ['--extract', '--file', packed, '--directory', old]);
  symlinkSync(join(checkout, 'node_modules'), join(old, 'node_modules'));
  return old;
}

/** By the program that wrote it, where the history of the checkout still has that. */
async function workWithOldVersion(
  checkout: string,
  at: { place: string; back: string; upgraded: string },
): Promise<void> {
  const old = unpackOldVersion(checkout, at.place);
  if (old === null) {
    process.stdout.write('the history has no older version: the way back ends at its data\n');
    return;
  }
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
