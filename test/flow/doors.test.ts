import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startDnsServer } from '../fakes/dns-server.ts';
import { startImapPeer } from '../fakes/imap-peer.ts';
import { createSigner } from '../fakes/signer.ts';
import { connectWire } from '../fakes/smtp-wire.ts';
import { eventually } from './eventually.ts';
import { startGateway, submit } from './gateway.ts';
import { makeWorkspace } from './workspace.ts';

const ADA = 'ada@agents.localhost';
const OWNER = 'boss@owner.test';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function started(files: Readonly<Record<string, string | object>>, environment: Record<string, string> = {}) {
  const workspace = makeWorkspace(files);
  closers.push(workspace.remove);
  const gateway = await startGateway(workspace.root, environment);
  closers.push(gateway.end);
  return { ...workspace, gateway };
}

/** One answer has left. */
const answered = (root: string) => {
  const outgoing = join(root, 'data/outgoing');
  return eventually(
    () => (existsSync(outgoing) ? readdirSync(outgoing).filter((name) => name.endsWith('.eml')).length : 0),
    (count) => count === 1,
  );
};

describe('M8: twenty mails of one address that do not end', () => {
  it('keep neither the submission nor another stranger out', async () => {
    const dns = await startDnsServer({});
    closers.push(dns.stop);
    const security = { owners: [OWNER], gateway_auth: { dns_servers: [dns.address] } };
    const { root, gateway } = await started({ 'configs/security.json': security });
    const { port } = gateway.ready.smtp;
    const head = `From: a@stranger.test\r\nTo: ${ADA}\r\nSubject: x\r\n\r\n`;
    const line = `${'x'.repeat(998)}\r\n`;
    const begin = async (from: string, bytes: number) => {
      const wire = await connectWire(port, { from });
      closers.push(wire.close);
      await wire.hello();
      await wire.envelope('a@stranger.test', [ADA]);
      await wire.say('DATA');
      await new Promise<void>((resolve) => wire.socket.write(head + line.repeat(bytes / line.length), () => resolve()));
      return wire;
    };
    for (let count = 0; count < 20; count += 1) await begin('127.0.0.4', count < 10 ? 17_000_000 : 1_000_000);
    // 452 where the room is full; 550 is what becomes of a stranger's mail by itself.
    const other = await begin('127.0.0.5', 100_000);
    other.write('.\r\n');
    expect((await other.reply()).code).toBe(550);
    await submit(root, gateway.ready, { from: OWNER, to: ADA, subject: 'Beside them', text: 'hello' });
    await answered(root);
  });
});

describe("H4: an owner's mail in a mailbox", () => {
  it('is answered beside mails whose name servers are silent', async () => {
    const signer = createSigner(['owner.test']);
    const dns = await startDnsServer(signer.zone);
    closers.push(dns.stop);
    const letter = (from: string, id: string, headers: readonly string[] = []) =>
      Buffer.from(
        [
          ...headers,
          `From: ${from}`,
          `To: ${ADA}`,
          'Subject: A question',
          'Date: Mon, 23 Nov 2026 09:00:00 +0000',
          `Message-ID: <${id}@example.test>`,
          '',
          'Hello',
          '',
        ].join('\r\n'),
      );
    const silent = Array.from({ length: 24 }, (_unused, at) => {
      dns.fallSilent(`silent${at}.test`);
      const signature = `DKIM-Signature: v=1; a=rsa-sha256; c=simple/simple; d=silent${at}.test; s=k; h=from; bh=AAAA; b=AAAA`;
      return letter(`somebody@silent${at}.test`, `silent${at}`, [signature]);
    });
    const owner = await signer.sign(letter(OWNER, 'owner'), 'owner.test');
    const mails = [...silent, owner].map((raw, at) => ({ uid: at + 1, raw: raw.toString('latin1') }));
    const peer = await startImapPeer({ mails });
    closers.push(peer.stop);
    const imap = { host: '127.0.0.1', port: peer.port, tls: 'none', user: 'agents@x.test', secret_env: 'BOX_PASSWORD' };
    const { root } = await started(
      {
        'configs/gateway.json': {
          smtp_listener: { port: 0 },
          mailboxes: [{ id: 'main', imap: { ...imap, first_connect: 'all', processed: 'none' }, save_sent: false }],
        },
        'configs/security.json': { owners: [OWNER], gateway_auth: { dns_servers: [dns.address] } },
      },
      { BOX_PASSWORD: 'secret' },
    );
    const readyAt = Date.now();
    await answered(root);
    // One silent server alone is waited for longer than a second; all of them in turn for minutes.
    expect(Date.now() - readyAt).toBeLessThan(60_000);
  });
});
