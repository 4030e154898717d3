import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { run } from './command-line.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, startGateway, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const ADA = 'ada@agents.localhost';
const OWNER = 'owner@example.com';
const REFUSES = { refusesSender: () => '553 5.7.1 sender is not owned by this user' };

let peer: Awaited<ReturnType<typeof startSmtpPeer>>;
let workspace: TestWorkspace;
let gateway: Gateway;
beforeEach(async () => {
  peer = await startSmtpPeer({ ...REFUSES });
  const smtp = { host: '127.0.0.1', tls: 'none', auth: 'none', secret_env: 'NONE', user: ADA, port: peer.port };
  workspace = makeWorkspace({
    'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'main', smtp }] },
  });
  gateway = await startGateway(workspace.root);
});
afterEach(async () => {
  await gateway.end();
  await peer.stop();
  workspace.remove();
});

const ask = (...args: string[]) => epistle(workspace.root, args);
const outbox = async (): Promise<{ queued: number; failed: number }> => (await ask('status')).json.outbox;

/** Both answers, and what owners are told of them, have come to an end. */
async function twoAnswersFail(): Promise<number> {
  for (const subject of ['Tea', 'Coffee']) {
    await submit(workspace.root, gateway.ready, { from: OWNER, to: ADA, subject, text: 'hello' });
  }
  return (await eventually(outbox, ({ queued, failed }) => queued === 0 && failed >= 2)).failed;
}

describe('mail that a server does not take', () => {
  it('is no well gateway: status says so with the cure, and ends with 1, until all of it is sent again', async () => {
    const count = await twoAnswersFail();
    const status = await ask('status');
    expect(status.json).toMatchObject({ ok: true, healthy: false });
    expect(status.code).toBe(1);
    const said = await run(['status', '--workspace', workspace.root]);
    expect(said.stdout).toContain(`Not healthy: ${count} mails could not be sent`);
    expect(said.stdout).toContain('outbox retry --failed');
    const { mails, outbox: listed } = (await ask('mail', 'list', '--failed')).json;
    expect([mails, listed.length]).toEqual([[], count]);
    expect(listed[0]).toMatchObject({ state: 'failed', persona: 'ada' });
    const shown = await run(['mail', 'list', '--failed', '--workspace', workspace.root]);
    expect(shown.stdout).toContain('553 5.7.1 sender is not owned by this user');
    expect((await ask('mail', 'list', '--waiting')).json.outbox).toEqual([]);
    expect((await ask('mail', 'list', '--out')).json.outbox.length).toBeGreaterThanOrEqual(count);
    expect((await ask('mail', 'list')).json).not.toHaveProperty('outbox');
    expect(await ask('mail', 'list', '--failed', '--refused')).toMatchObject({ code: 2 });

    delete peer.script.refusesSender;
    expect(await ask('outbox', 'retry', '--failed')).toMatchObject({ code: 0, json: { ok: true, queued: count } });
    await expect.poll(() => peer.mails.length, { timeout: 60_000 }).toBe(count);
    const well = await eventually(
      () => ask('status'),
      ({ json }) => json.outbox.queued === 0,
    );
    expect(well).toMatchObject({ code: 0, json: { healthy: true, outbox: { failed: 0 } } });
    expect(await ask('outbox', 'retry', '--failed')).toMatchObject({ code: 0, json: { queued: 0 } });
  });

  it('can be given up as a whole, and is not tried any more', async () => {
    const count = await twoAnswersFail();
    expect(await ask('outbox', 'drop', '--failed')).toMatchObject({ code: 0, json: { ok: true, dropped: count } });
    expect(await ask('status')).toMatchObject({ code: 0, json: { healthy: true } });
    expect(peer.mails).toEqual([]);
    expect(await ask('outbox', 'drop')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    expect(await ask('outbox', 'retry', '--all', '--failed')).toMatchObject({ code: 2 });
  });
});
