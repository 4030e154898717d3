import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { root as checkout } from '../house/sources.ts';
import { AGENT, PASSWORD } from '../stories/ten-days/people.ts';

const run = promisify(execFile);
const PROGRAM = join(checkout, 'bin/epistle.js');
const place = mkdtempSync(join(tmpdir(), 'epistle-ten-days-'));
// The servers read their clock in it, as users of their own.
chmodSync(place, 0o755);
const folder = join(place, 'stage');
const workspace = join(place, 'epistle');
const PATIENCE = { timeout: 60_000, interval: 500 };

const stage = spawn(process.execPath, [
  ...[join(checkout, 'test/stories/ten-days/stage.ts'), '--folder', folder, 'start', '--server', 'names'],
]);
/** As in a shell that has taken in what the stage says. */
const inStory = async (line: string): Promise<string> =>
  (await run('bash', ['-c', `. ${folder}/today && ${line}`], { env: { ...shell, HOME: place } })).stdout;
const shell = { PATH: process.env.PATH, OPENAI_API_KEY: 'shop-key-2026', MAIN_MAILBOX_PASSWORD: PASSWORD };
const epistle = (line: string) => inStory(`${process.execPath} ${PROGRAM} ${line}`);

beforeAll(async () => {
  await vi.waitFor(() => expect(existsSync(join(folder, 'today'))).toBe(true), PATIENCE);
  const { servers, model } = JSON.parse(readFileSync(join(folder, 'stage.json'), 'utf8'));
  await epistle(
    [
      ...['setup', '--non-interactive', '--folder', workspace, '--owner', 'olga@test.local', '--mailbox', AGENT],
      ...['--imap', `localhost:${servers.imap}:starttls`, '--smtp', `localhost:${servers.submission}:starttls`],
      ...['--ca-file', servers.ca, '--provider', 'openai', '--model', 'shop-1', '--model-url', model],
    ].join(' '),
  );
});
afterAll(async () => {
  if (existsSync(workspace)) execFileSync(process.execPath, [PROGRAM, 'stop', '--workspace', workspace]);
  stage.kill('SIGTERM');
  if (stage.exitCode === null) await once(stage, 'exit');
  rmSync(place, { recursive: true, force: true });
});

const inbox = (who: string): Promise<string> => inStory(`inbox ${who} --all`);

it('has a mail answered, a task done on its day, and a button pressed', { timeout: 240_000 }, async () => {
  await inStory(`echo 'Danke!' | mail olga ${AGENT} Hallo`);
  await expect.poll(() => inbox('olga'), PATIENCE).toContain('Gern geschehen!');
  // She is to press a button: of what her own mail asks for she would not be asked.
  await epistle(`config set security approvals.own_words ask --workspace ${workspace}`);
  await inStory(`echo 'Erinnere mich bitte jeden Dienstag um 9 Uhr: Kasse!' | mail olga ${AGENT} Kasse`);
  await expect.poll(() => inbox('olga'), PATIENCE).toContain('[Genehmigen]');
  // Her question, and the answer that does not wait for it, in either order.
  await expect.poll(() => inbox('olga'), PATIENCE).toContain('Das mache ich, sobald es genehmigt ist.');
  const mails = (await inbox('olga')).split('──── mail ');
  await inStory(`press olga ${mails.findIndex((one) => one.includes('[Genehmigen]'))} Genehmigen`);
  await expect.poll(() => inbox('olga'), PATIENCE).toContain('Erledigt: ');
  expect(await inStory('next-day 09:30')).toContain('runs in the new day');
  await expect.poll(() => inbox('olga'), PATIENCE).toContain('Subject: Kasse\n\nErinnere mich');
});
