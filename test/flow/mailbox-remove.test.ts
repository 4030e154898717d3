import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../engine/cli/command-line.ts';
import { processSettings } from '../../engine/config/environment.ts';
import { startImapPeer } from '../fakes/imap-peer.ts';
import { type Script, startSmtpPeer } from '../fakes/smtp-peer.ts';
import { run } from './command-line.ts';
import { epistle, type Gateway, type Ready, startGateway, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';
const WAIT = { timeout: 90_000, interval: 100 };

describe('a mailbox that is removed while the gateway runs', () => {
  let workspace: TestWorkspace;
  let gateway: Gateway;
  let imap: Awaited<ReturnType<typeof startImapPeer>>;
  let mainServer: Awaited<ReturnType<typeof startSmtpPeer>>;
  let supportServer: Awaited<ReturnType<typeof startSmtpPeer>>;
  const script: Script = { mail: '451 4.3.0 later' };
  const settings = () => {
    const account = { host: '127.0.0.1', tls: 'none', user: 'ada@agents.localhost' };
    const support = {
      id: 'support',
      imap: { ...account, port: imap.port, secret_env: 'SUPPORT_PASSWORD' },
      smtp: { ...account, port: supportServer.port, auth: 'none', secret_env: 'SHARED_PASSWORD' },
      save_sent: false,
    };
    const smtp = { ...account, port: mainServer.port, auth: 'none', secret_env: 'SHARED_PASSWORD' };
    return { smtp_listener: { port: 0 }, mailboxes: [{ id: 'main', smtp }, support] };
  };
  beforeAll(async () => {
    [imap, mainServer, supportServer] = await Promise.all([
      startImapPeer({ mails: [] }),
      startSmtpPeer(),
      startSmtpPeer(script),
    ]);
    workspace = makeWorkspace({
      'configs/gateway.json': settings(),
      '.env': 'SUPPORT_PASSWORD=right\nSHARED_PASSWORD=right\n',
      'personas/ada/persona.json': { name: 'Ada', address: ADA, mailbox: 'support' },
    });
    gateway = await startGateway(workspace.root);
  });
  afterAll(async () => {
    await gateway.end();
    await Promise.all([imap.stop(), mainServer.stop(), supportServer.stop()]);
    workspace.remove();
  });

  const ask = (...args: string[]) => epistle(workspace.root, args);
  const read = (file: string) => JSON.parse(readFileSync(join(workspace.root, file), 'utf8'));
  const remove = (...more: string[]) => ask('mailbox', 'remove', 'support', ...more);
  const ready = (): Ready => JSON.parse(readFileSync(join(workspace.root, 'data/ready.json'), 'utf8')) as Ready;

  /** At a terminal, where somebody types this. */
  async function typed(line: string) {
    const told = { err: '', out: '' };
    const stdin = Object.assign(Readable.from([`${line}\n`]), { isTTY: true });
    const code = await runCommandLine(['mailbox', 'remove', 'support', '--workspace', workspace.root], {
      settings: processSettings({}),
      stdin,
      watch: () => ({ rejections: () => 0 }),
      out: (text) => {
        told.out += text;
      },
      err: (text) => {
        told.err += text;
      },
    });
    return { code, ...told };
  }

  it('is found by its name alone', async () => {
    expect(await ask('mailbox', 'remove', 'suport', '--yes')).toMatchObject({
      code: 1,
      json: { error: { code: 'not_found', message: expect.stringContaining('did you mean "support"') } },
    });
  });

  it('tells what would stop and asks; without a yes nothing is written', async () => {
    const asked = await remove();
    expect(asked).toMatchObject({
      code: 3,
      json: {
        ok: true,
        removed: false,
        waiting: [],
        drafts: 0,
        unsettled: 0,
        secrets: ['SUPPORT_PASSWORD'],
        login: null,
        written: [],
        dropped: [],
        personas: [
          { id: 'ada', names: true, gets: true, writes: { instead: 'main' }, drafts: false },
          // Of the same domain, which may be a catch-all.
          { id: 'ben', names: false, gets: true, writes: null, drafts: false },
        ],
      },
    });
    const { code, stdout } = await run(['--workspace', workspace.root, 'mailbox', 'remove', 'support']);
    expect([code, stdout]).toEqual([3, expect.stringContaining('ada: mail to ada@agents.localhost comes by no other')]);
    expect(stdout).toContain('ada writes by main then');
    expect(stdout).toContain('with --yes');
    const no = await typed('');
    expect(no).toMatchObject({ code: 1, out: 'Nothing was removed.\n' });
    expect(no.err).toContain('ada writes by main then');
    expect(read('configs/gateway.json')).toEqual(settings());
  });

  it('stays while an answer waits to leave through it, unless that is to be dropped', async () => {
    await submit(workspace.root, ready(), { from: OWNER, to: ADA, subject: 'Tea', text: 'hello' });
    const tried = async () => (await ask('outbox', 'list', '--status', 'queued')).json.outbox;
    await vi.waitFor(async () => expect(await tried()).toMatchObject([{ attempts: 1 }]), WAIT);
    const [{ id }] = await tried();
    const refused = await remove('--yes');
    expect(refused).toMatchObject({ code: 1, json: { ok: false, error: { code: 'wrong_state' } } });
    expect(refused.json.error.message).toContain(id.slice(-12));
    expect(refused.json.error.message).toContain('--drop-waiting');
    expect(read('configs/gateway.json')).toEqual(settings());
    expect(await remove('--drop-waiting')).toMatchObject({ code: 3, json: { removed: false, dropped: [] } });
    expect(await tried()).toHaveLength(1);

    expect(await remove('--yes', '--drop-waiting')).toMatchObject({
      code: 0,
      json: {
        ok: true,
        removed: true,
        dropped: [id],
        secrets: ['SUPPORT_PASSWORD'],
        written: ['personas/ada/persona.json  mailbox', 'configs/gateway.json  mailboxes.support'],
      },
    });
    expect((await ask('outbox', 'show', id)).json.outbox).toMatchObject({ state: 'dropped' });
  });

  it('is gone from the settings, its secret is left, and the gateway reads and sends by the others', async () => {
    expect(read('configs/gateway.json').mailboxes.map((one: { id: string }) => one.id)).toEqual(['main']);
    expect(read('personas/ada/persona.json')).toEqual({ name: 'Ada', address: ADA });
    expect(readFileSync(join(workspace.root, '.env'), 'utf8')).toContain('SUPPORT_PASSWORD=right');
    await vi.waitFor(async () => expect((await ask('status')).json.mailboxes).toMatchObject([{ id: 'main' }]), WAIT);
    await submit(workspace.root, ready(), { from: OWNER, to: ADA, subject: 'Milk', text: 'hello' });
    await vi.waitFor(() => expect(mainServer.mails.map(({ to }) => to)).toEqual([[OWNER]]), WAIT);
    expect(supportServer.mails).toEqual([]);
  });

  it('of which mail was put back waits for it, and leaves once it is there again', async () => {
    const [{ id }] = (await ask('outbox', 'list', '--status', 'dropped')).json.outbox;
    await ask('outbox', 'retry', id);
    const shown = async () => (await ask('outbox', 'show', id)).json.outbox;
    await vi.waitFor(
      async () =>
        expect(await shown()).toMatchObject({
          state: 'queued',
          last_error: 'no mailbox of configs/gateway.json has the id "support" any more',
        }),
      WAIT,
    );
    delete script.mail;
    workspace.write('configs/gateway.json', settings());
    await vi.waitFor(async () => {
      await ask('outbox', 'retry', '--all');
      expect(await shown()).toMatchObject({ state: 'sent' });
    }, WAIT);
    expect(supportServer.mails.map(({ to }) => to)).toEqual([[OWNER]]);
  });

  it('goes at a terminal after a yes', async () => {
    const { code, out } = await typed('y');
    expect([code, out]).toEqual([0, expect.stringContaining('The mailbox support is removed.')]);
    expect(out).toContain('SUPPORT_PASSWORD stays in .env; no mailbox uses it any more.');
    expect(out).not.toContain('SHARED_PASSWORD');
    expect(read('configs/gateway.json').mailboxes).toHaveLength(1);
  });
});
