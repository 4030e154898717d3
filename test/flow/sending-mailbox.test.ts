import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { epistle, type Gateway, startGateway, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const ADA = 'agent@agents.localhost';
const OWNER = 'owner@example.com';

let own: Awaited<ReturnType<typeof startSmtpPeer>>;
let other: Awaited<ReturnType<typeof startSmtpPeer>>;
let workspace: TestWorkspace;
let gateway: Gateway | undefined;
beforeEach(async () => {
  [own, other] = await Promise.all([startSmtpPeer(), startSmtpPeer()]);
});
afterEach(async () => {
  await gateway?.end();
  gateway = undefined;
  await Promise.all([own.stop(), other.stop()]);
  workspace.remove();
});

const box = (id: string, user: string, port: number) => ({
  id,
  smtp: { host: '127.0.0.1', tls: 'none', auth: 'none', secret_env: 'NONE', user, port },
});
const settings = (...mailboxes: readonly object[]) => ({ smtp_listener: { port: 0 }, mailboxes });
const persona = () => JSON.parse(readFileSync(join(workspace.root, 'personas/ada/persona.json'), 'utf8'));

const answered = async () => {
  if (!gateway) throw new Error('no gateway');
  await submit(workspace.root, gateway.ready, { from: OWNER, to: ADA, subject: 'Tea', text: 'hello' });
  await expect.poll(() => own.mails.length + other.mails.length, { timeout: 60_000 }).toBe(1);
  return own.mails.length === 1 ? 'own' : 'other';
};

describe('a persona that names no mailbox, where there are two', () => {
  it('sends by the one that has its address, wherever that stands in the list', async () => {
    workspace = makeWorkspace({
      'configs/gateway.json': settings(box('other', 'x@other.test', other.port), box('own', ADA, own.port)),
      'personas/ada/persona.json': { name: 'Ada', address: ADA },
    });
    gateway = await startGateway(workspace.root);
    expect(await answered()).toBe('own');
    expect(persona()).toEqual({ name: 'Ada', address: ADA });
  });

  it('goes on sending as before where somebody puts another one above it, and it is written down', async () => {
    workspace = makeWorkspace({
      'configs/gateway.json': settings(box('own', 'relay-key', own.port)),
      'personas/ada/persona.json': { name: 'Ada', address: ADA },
    });
    gateway = await startGateway(workspace.root);
    workspace.write('configs/gateway.json', settings(box('a', 'k', other.port), box('own', 'relay-key', own.port)));
    await expect.poll(() => persona().mailbox, { timeout: 60_000 }).toBe('own');
    expect(await answered()).toBe('own');
  });

  it('is given the one that somebody names', async () => {
    workspace = makeWorkspace({
      'configs/gateway.json': settings(box('other', 'x@other.test', other.port), box('own', ADA, own.port)),
      'personas/ada/persona.json': { name: 'Ada', address: ADA },
    });
    const edit = (...more: string[]) => epistle(workspace.root, ['persona', 'edit', 'ada', ...more]);
    expect(await edit('--mailbox', 'nowhere')).toMatchObject({ code: 2, json: { error: { code: 'config_invalid' } } });
    expect(await edit('--mailbox', 'other')).toMatchObject({ code: 0 });
    expect(persona()).toEqual({ name: 'Ada', address: ADA, mailbox: 'other' });
  });
});
