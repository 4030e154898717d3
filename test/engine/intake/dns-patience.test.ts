import { afterEach, expect, it } from 'vitest';
import { receiveBeside } from '../../../engine/app/taking-in.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { openWorkspace } from '../../../engine/workspace.ts';
import { startDnsServer } from '../../fakes/dns-server.ts';
import { makeWorkspace } from '../../flow/workspace.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const HOUR = 3_600_000;

it('a mail in a mailbox whose sender cannot be checked is left for a day and then refused, like any that is not proven', async () => {
  const dns = await startDnsServer({});
  dns.breakDown(true);
  const folder = makeWorkspace({
    'configs/security.json': { owners: ['boss@owner.test'], gateway_auth: { dns_servers: [dns.address] } },
  });
  const opened = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  closers.push(dns.stop, folder.remove, opened.close);
  const time = { now: Date.parse('2026-11-23T09:00:00Z') };
  const begun = time.now;
  const workspace = { ...opened, clock: { ...opened.clock, now: () => time.now } };
  const lines = ['From: boss@owner.test', 'To: ada@agents.localhost', 'Subject: Hi', 'Message-ID: <one@owner.test>'];
  const raw = Buffer.from([...lines, 'Date: Mon, 23 Nov 2026 08:00:00 +0000', '', 'Hello?', ''].join('\r\n'));
  const place = { mailbox: 'main', uidvalidity: '1', uid: 7 };
  const look = async (after: number) => {
    time.now = begun + after;
    const arrival = { door: 'imap', authservId: null } as const;
    const { results } = await receiveBeside(workspace, {
      raw,
      arrival,
      envelope: { returnPath: null, recipients: null },
      place,
    });
    return results.map(({ decision, code }) => `${decision} ${code}`);
  };
  expect(await look(0)).toEqual(['deferred auth_failed']);
  expect(await look(12 * HOUR)).toEqual(['deferred auth_failed']);
  expect(await look(24 * HOUR - 1)).toEqual(['deferred auth_failed']);
  expect(await workspace.gateway.isPlaceSettled(place)).toBe(false);
  expect(await look(24 * HOUR)).toEqual(['refused auth_failed']);
  expect(await workspace.gateway.isPlaceSettled(place)).toBe(true);
});
