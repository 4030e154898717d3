import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { startMailServers } from '../../../test/lab/mail-servers.ts';
import { type Installed, until } from './installed.ts';
import type { Image } from './replay.ts';

const DOMAIN = 'lab.test';
const STAMP = `Authentication-Results: mx.${DOMAIN}; spf=pass smtp.mailfrom=${DOMAIN}; dmarc=pass header.from=${DOMAIN}`;
const setUpSchema = z.looseObject({ gateway: z.object({ pid: z.int() }), answered: z.boolean() });

/** From nothing to an answered mail, on a real Dovecot and Postfix; left out where there are none (test/lab/install). */
export async function setUp(installed: Installed, place: string): Promise<void> {
  if (!existsSync('/usr/sbin/postfix') || !existsSync('/usr/sbin/dovecot')) {
    process.stdout.write('no mail servers here: setup is left out\n');
    return;
  }
  const [agents, you] = [`agents@${DOMAIN}`, `you@${DOMAIN}`];
  const lab = await startMailServers({
    users: { agents: 'secret', you: 'secret' },
    domain: DOMAIN,
    stamp: STAMP,
    stampsSubmissions: true,
  });
  const folder = join(place, 'set-up');
  const args = ['setup', '--non-interactive', '--folder', folder, '--owner', you, '--mailbox', agents];
  const servers = [
    ...['--imap', `localhost:${lab.imap.port}:starttls`, '--smtp', `localhost:${lab.smtp.submissionPort}:starttls`],
    ...['--ca-file', lab.ca, '--provider', 'offline'],
  ];
  let pid: number | undefined;
  try {
    const environment = { MAIN_MAILBOX_PASSWORD: 'secret' };
    const first = setUpSchema.parse(installed.json([...args, ...servers], { environment }));
    pid = first.gateway.pid;
    const raw = `Message-ID: <first@${DOMAIN}>\r\nDate: ${new Date().toUTCString()}\r\nFrom: ${you}\r\nTo: ${agents}\r\nSubject: Hello\r\n\r\nHello\r\n`;
    await lab.submit(raw, { from: you, to: agents });
    const again = setUpSchema.parse(installed.json([...args, ...servers, '--wait', '60'], { environment }));
    assert.deepEqual([again.answered, again.gateway.pid], [true, pid]);
    const answers = (await lab.mailbox('you')).filter(({ inReplyTo }) => inReplyTo === `<first@${DOMAIN}>`);
    assert.equal(answers.length, 1);
  } finally {
    if (pid !== undefined) await end(pid);
    await lab.stop();
  }
}

async function end(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  await until('the gateway of setup is gone', () => !existsSync(`/proc/${pid}`));
}

/** The unit as systemd reads it; without systemd it is only printed. */
export function showService(installed: Installed, { cwd }: Image, place: string): void {
  const { out, code } = installed.run(['service', 'install', '--print', '--workspace', cwd]);
  assert.equal(code, 0);
  const unit = join(place, 'epistle.service');
  writeFileSync(unit, out);
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  const verified = analyze('verify', unit);
  if (verified.error) {
    process.stdout.write('no systemd here: the unit is not verified\n');
    return;
  }
  assert.deepEqual([verified.status, `${verified.stdout}${verified.stderr}`], [0, '']);
  const security = analyze('security', '--offline=true', unit).stdout;
  const [, exposure] = /Overall exposure level for \S+: (\d+\.\d)/.exec(security) ?? [];
  assert.ok(Number(exposure) <= 1.5, `exposure ${exposure} of ${dirname(unit)}`);
  process.stdout.write(`exposure ${exposure}\n`);
}
