import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startImapPeer } from '../fakes/imap-peer.ts';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { run } from './command-line.ts';
import { epistle, type Gateway, type Ready, startGateway, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';
const WAIT = { timeout: 90_000, interval: 100 };

/** A port that nobody listens on, for as long as nobody else takes it. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

describe('a gateway whose doors are configured anew while it runs', () => {
  let workspace: TestWorkspace;
  let gateway: Gateway;
  let imap: Awaited<ReturnType<typeof startImapPeer>>;
  let smtp: Awaited<ReturnType<typeof startSmtpPeer>>;
  beforeAll(async () => {
    [imap, smtp] = await Promise.all([startImapPeer({ mails: [] }), startSmtpPeer()]);
    workspace = makeWorkspace();
    gateway = await startGateway(workspace.root);
  });
  afterAll(async () => {
    await gateway.end();
    await Promise.all([imap.stop(), smtp.stop()]);
    workspace.remove();
  });

  const ready = (): Ready => JSON.parse(readFileSync(join(workspace.root, 'data/ready.json'), 'utf8')) as Ready;
  const mailboxes = async () => (await epistle(workspace.root, ['status'])).json.mailboxes;
  const account = { host: '127.0.0.1', tls: 'none', user: 'agents@example.com', secret_env: 'BOX_PASSWORD' };
  const main = () => ({
    id: 'main',
    imap: { ...account, port: imap.port },
    smtp: { ...account, port: smtp.port, auth: 'none' },
    save_sent: false,
  });

  it('watches a mailbox that is added, and takes its secret from .env once it stands there', async () => {
    workspace.write('configs/gateway.json', { smtp_listener: { port: 0 }, mailboxes: [main()] });
    await vi.waitFor(async () => expect(await mailboxes()).toMatchObject([{ id: 'main', state: 'auth_failed' }]), WAIT);
    expect(await mailboxes()).toMatchObject([{ looked_at: null }]);
    workspace.write('.env', 'BOX_PASSWORD=right\n');
    await vi.waitFor(async () => expect(await mailboxes()).toMatchObject([{ id: 'main', state: 'connected' }]), WAIT);
    // The server has answered a look, which is more than a connection that stands.
    const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    await vi.waitFor(async () => expect(await mailboxes()).toMatchObject([{ looked_at: isTime }]), WAIT);
    const { stdout } = await run(['--workspace', workspace.root, 'status']);
    expect(stdout).toMatch(/mailbox main: connected, looked for mail at \d{4}-\d\d-\d\d \d\d:\d\d/);
    expect(imap.commands.find((command) => command.startsWith('LOGIN'))).toContain('right');
  });

  it('sends its answers through that mailbox from then on', async () => {
    await submit(workspace.root, ready(), { from: OWNER, to: ADA, subject: 'Out', text: 'hello' });
    await vi.waitFor(() => expect(smtp.mails.map(({ to }) => to)).toEqual([[OWNER]]), WAIT);
  });

  it('moves its listener to another port, where mail is taken, and lets go of the old one', async () => {
    const before = ready().smtp.port;
    const port = await freePort();
    workspace.write('configs/gateway.json', { smtp_listener: { port }, mailboxes: [main()] });
    await vi.waitFor(() => expect(ready().smtp.port).toBe(port), WAIT);
    await submit(workspace.root, ready(), { from: OWNER, to: ADA, subject: 'Here', text: 'hello' });
    const old = { ...ready(), smtp: { host: '127.0.0.1', port: before } };
    await expect(submit(workspace.root, old, { from: OWNER, to: ADA, text: 'hello' })).rejects.toThrow(/ECONNREFUSED/);
  });

  it('stays where it is when the new port is taken', async () => {
    const before = ready().smtp.port;
    const taken = createServer().listen(0, '127.0.0.1');
    const address = await new Promise<ReturnType<typeof taken.address>>((resolve) =>
      taken.once('listening', () => resolve(taken.address())),
    );
    const port = typeof address === 'object' && address ? address.port : 0;
    workspace.write('configs/gateway.json', { smtp_listener: { port }, mailboxes: [main()] });
    await vi.waitFor(() => expect(gateway.log()).toContain('the old one stays'), WAIT);
    await submit(workspace.root, ready(), { from: OWNER, to: ADA, subject: 'Still', text: 'hello' });
    expect(ready().smtp.port).toBe(before);
    taken.close();
  });

  it('takes a new limit of size and lets a mailbox go that was removed', async () => {
    workspace.write('configs/gateway.json', { smtp_listener: { port: 0 }, limits: { max_message_bytes: 2000 } });
    await vi.waitFor(async () => expect(await mailboxes()).toEqual([]), WAIT);
    await vi.waitFor(
      () =>
        expect(submit(workspace.root, ready(), { from: OWNER, to: ADA, text: 'x'.repeat(4000) })).rejects.toMatchObject(
          { responseCode: 552 },
        ),
      WAIT,
    );
    await submit(workspace.root, ready(), { from: OWNER, to: ADA, subject: 'Small', text: 'hello' });
  });
});
