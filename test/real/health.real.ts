import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startImapPeer } from '../fakes/imap-peer.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { launchGateway, type Program, submit } from '../flow/gateway.ts';
import { makeWorkspace, STEADY, type TestWorkspace } from '../flow/workspace.ts';

const PATIENCE = { timeout: 30_000, interval: 200 };
const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';

describe('a gateway whose surroundings fail, as machines see it', () => {
  let disk: string;
  let workspace: TestWorkspace;
  let gateway: Program;
  let imap: Awaited<ReturnType<typeof startImapPeer>>;
  let model: FakeModel;

  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), 'epistle-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=0700', 'none', disk]);
    mkdirSync(join(disk, 'data'), { mode: 0o700 });
    [imap, model] = await Promise.all([
      startImapPeer({ mails: [] }),
      startFakeModel('openai', () => ({ status: 503, message: 'out of order' })),
    ]);
    workspace = makeWorkspace({
      ...STEADY,
      'configs/gateway.json': {
        smtp_listener: { port: 0 },
        mailboxes: [
          {
            id: 'main',
            imap: { host: '127.0.0.1', port: imap.port, tls: 'none', user: 'agents@example.com', secret_env: 'BOX' },
          },
        ],
      },
      'configs/system.json': {
        data_dir: join(disk, 'data'),
        console: { enabled: true, port: 0 },
        log: { level: 'info', format: 'json' },
      },
      'configs/inference.json': { provider: 'steady', model: 'm', retry: { first_retry_s: 1, max_retry_s: 1 } },
      'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    });
    gateway = await launchGateway(workspace.root, { BOX: 'secret' }).ready;
  });
  afterAll(async () => {
    await gateway?.kill();
    await model.stop();
    await imap.stop().catch(() => {});
    workspace.remove();
    // Also where a test has failed and left a file open.
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true });
  });

  const ask = async (path: string) => {
    const response = await fetch(`${gateway.ready.console?.url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const ready = async () => {
    const { status, text } = await ask('/readyz');
    const { checks } = JSON.parse(text);
    return { status, database: checks.database.ok, mailboxes: checks.mailboxes.ok, disk: checks.disk.ok };
  };
  const FINE = { status: 200, database: true, mailboxes: true, disk: true };
  const root = () => ({ data: join(disk, 'data') });

  it('is not ready while its database is locked, its disk is full or its mailbox is down, and healthy all the time', async () => {
    await expect.poll(ready, PATIENCE).toEqual(FINE);

    const other = new SQLite(join(root().data, 'gateway.db'));
    other.exec('begin immediate');
    // What is said holds for a second.
    await expect.poll(ready, PATIENCE).toEqual({ ...FINE, status: 503, database: false });
    expect((await ask('/healthz')).status).toBe(200);
    other.exec('rollback');
    other.close();
    await expect.poll(ready, PATIENCE).toEqual(FINE);

    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(100 * 1024 * 1024));
    await expect.poll(ready, PATIENCE).toEqual({ ...FINE, status: 503, disk: false });
    expect((await ask('/healthz')).status).toBe(200);
    rmSync(ballast);
    await expect.poll(ready, PATIENCE).toEqual(FINE);

    await imap.stop();
    await expect.poll(ready, PATIENCE).toEqual({ ...FINE, status: 503, mailboxes: false });
  });

  it('counts what waits for the model and who is away, and has a line for the mail that came', async () => {
    await submit(disk, gateway.ready, { from: OWNER, to: ADA, subject: '会议', text: 'Hello' });
    const metrics = async () => (await ask('/metrics')).text;
    await expect
      .poll(metrics, { timeout: 45_000, interval: 1000 })
      .toMatch(/epistle_runs\{state="deferred"\} 1\n[\s\S]*epistle_mailboxes\{state="retrying"\} 1\n/);
    expect((await ask('/healthz')).status).toBe(200);
    const lines = gateway
      .log()
      .split('\n')
      .filter((line) => line.includes('"mail accepted"'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ from: OWNER, to: 'ada', subject: '会议' }]);
  });
});
