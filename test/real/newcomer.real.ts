import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDnsServer } from '../fakes/dns-server.ts';
import { epistleAlone, launchGateway, type Program } from '../flow/gateway.ts';
import { makeWorkspace, type TestWorkspace } from '../flow/workspace.ts';
import { DOVECOT_HOST } from '../lab/dovecot.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { answersIn, BORDER, DOMAIN, idOf, type Json, letter, STAMP, send, untilAnswered } from '../lab/site.ts';

const AGENTS = `agents@${DOMAIN}`;
const OWNER = `you@${DOMAIN}`;
const PLACEHOLDER = 'you@agents.localhost';
const IDS = ['hello-1', 'hello-2', 'hello-3', 'hello-4', 'hello-5'];
const PATIENCE = { timeout: 40_000, interval: 300 };

describe('somebody who sets a real mailbox up by hand, and mends one mistake after another', () => {
  let lab: MailServers;
  let dns: Awaited<ReturnType<typeof startDnsServer>>;
  let workspace: TestWorkspace;
  let gateway: Program | undefined;

  beforeAll(async () => {
    // A family's server: what its own users hand in with a login gets no verdict.
    [lab, dns] = await Promise.all([
      startMailServers({ users: { agents: 'secret', you: 'secret' }, domain: DOMAIN, stamp: STAMP }),
      startDnsServer({ [DOMAIN]: 'v=spf1 ip4:127.0.0.1 -all' }),
    ]);
    workspace = makeWorkspace({ 'configs/gateway.json': gatewayFile({}), 'configs/security.json': security({}) });
    copyFileSync(lab.ca, join(workspace.root, 'configs/ca.pem'));
  });
  afterAll(async () => {
    await gateway?.kill();
    workspace.remove();
    dns.stop();
    await lab.stop();
  });

  const gatewayFile = (imap: Json): Json => {
    const side = { host: 'localhost', tls: 'starttls', user: AGENTS, secret_env: 'BOX', tls_ca_file: 'configs/ca.pem' };
    return {
      smtp_listener: { port: 0 },
      mailboxes: [
        {
          id: 'main',
          imap: { ...side, port: lab.imap.port, ...imap },
          smtp: { ...side, port: lab.smtp.submissionPort },
        },
      ],
    };
  };
  const security = (auth: Json, owner = PLACEHOLDER): Json => ({
    owners: [owner],
    gateway_auth: { dns_servers: [dns.address], ...auth },
  });
  const environment = { BOX: 'secret' };
  const cli = (...args: string[]) => epistleAlone(workspace.root, args, { environment });
  const doctor = async (): Promise<Record<string, { ok: boolean; message: string; cure: string | null }>> => {
    const { json } = await cli('doctor');
    return Object.fromEntries(json.checks.map((one: { name: string }) => [one.name, one]));
  };
  const refusedAs = async (id: string): Promise<{ id: string; code: string; cure: string } | undefined> => {
    const { json } = await cli('mail', 'list', '--refused');
    return json.mails.find((one: { message_id: string }) => one.message_id === idOf(id));
  };
  const untilRefused = async (id: string, code: string) => {
    await expect.poll(() => refusedAs(id).then((one) => one?.code), PATIENCE).toBe(code);
    return refusedAs(id);
  };
  /** As a mail program hands it in: with the login of its user. */
  const submitAsOwner = async (id: string) => {
    const transport = createTransport({
      host: 'localhost',
      port: lab.smtp.submissionPort,
      requireTLS: true,
      auth: { user: OWNER, pass: 'secret' },
      tls: { ca: readFileSync(lab.ca) },
    });
    await transport.sendMail({
      envelope: { from: OWNER, to: [AGENTS] },
      raw: letter({ id, from: OWNER, to: AGENTS }),
    });
    transport.close();
  };

  it('is told each of them before the first mail, sees each mail refused, and has all five answered', async () => {
    const before = await doctor();
    expect(before).toMatchObject({
      'mailbox:main:first_connect': { cure: expect.stringContaining('start the gateway before you write to it') },
      addresses: { ok: false, cure: expect.stringContaining(`personas/ada/persona.json to ${AGENTS}`) },
      'mailbox:main:proof': {
        message: expect.stringMatching(/without imap\.authserv_id.*; mail within lab\.test is hardly ever signed/),
        cure: expect.stringContaining('mailbox test main --send'),
      },
      owner_placeholder: { ok: false, cure: expect.stringContaining('configs/security.json') },
    });

    // 1: in the moment before the first connect.
    await send(lab, { id: 'hello-1', from: OWNER, to: AGENTS });
    await expect.poll(() => lab.mailbox('agents'), PATIENCE).toHaveLength(1);
    gateway = await launchGateway(workspace.root, environment).ready;
    const first = await untilRefused('hello-1', 'before_first_connect');
    expect(first?.cure).toContain('mail retry');

    // 2: no persona has the address of the mailbox.
    await send(lab, { id: 'hello-2', from: OWNER, to: AGENTS });
    expect((await untilRefused('hello-2', 'unknown_recipient'))?.cure).toContain('give it to one as address');
    workspace.write('personas/ada/persona.json', { name: 'Ada', address: AGENTS });

    // 3: nothing says whose verdict is believed.
    await expect.poll(() => doctor().then((checks) => checks.addresses?.ok), PATIENCE).toBe(true);
    await expect.poll(() => untilTaken(), PATIENCE).toBe(AGENTS);
    await send(lab, { id: 'hello-3', from: OWNER, to: AGENTS });
    expect((await untilRefused('hello-3', 'auth_failed'))?.cure).toContain('authserv_id of mailbox main');
    workspace.write('configs/gateway.json', gatewayFile({ authserv_id: BORDER }));
    workspace.write('configs/security.json', security({ trusted_received: [DOVECOT_HOST] }));

    // 4: handed in on the same server, which writes no verdict into such mail.
    expect((await doctor())['mailbox:main:own_domain']?.cure).toContain('mailbox test main --send');
    await submitAsOwner('hello-4');
    expect((await untilRefused('hello-4', 'auth_failed'))?.cure).toContain(`"esmtpsa:${BORDER}"`);
    workspace.write('configs/security.json', security({ trusted_received: [DOVECOT_HOST, `esmtpsa:${BORDER}`] }));

    // 5: the owner is still the placeholder.
    await untilRefused('hello-4', 'sender_not_allowed');
    await submitAsOwner('hello-5');
    await untilRefused('hello-5', 'sender_not_allowed');
    workspace.write(
      'configs/security.json',
      security({ trusted_received: [DOVECOT_HOST, `esmtpsa:${BORDER}`] }, OWNER),
    );

    await untilAnswered(lab, IDS.slice(1).map(idOf), { timeout: 40_000 });
    expect(await cli('mail', 'retry', first?.id ?? '')).toMatchObject({ code: 0 });
    await untilAnswered(lab, IDS.map(idOf));
    const answers = await answersIn(lab, 'you');
    expect(IDS.map((id) => answers.get(idOf(id))?.length)).toEqual([1, 1, 1, 1, 1]);
    expect(Object.values(await doctor()).filter(({ ok }) => !ok)).toEqual([]);
  });

  /** The address under which the gateway itself knows the persona by now. */
  const untilTaken = async (): Promise<string> => {
    const { json } = await cli('status');
    return json.personas.find((one: { id: string }) => one.id === 'ada')?.address;
  };
});
