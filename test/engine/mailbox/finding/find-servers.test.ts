import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasToBeConfirmed } from '../../../../engine/mailbox/finding/candidates.ts';
import { type FoundServers, findServers } from '../../../../engine/mailbox/finding/find-servers.ts';
import { makeAuthority } from '../../../fakes/certificates.ts';
import { clientConfig, startWorld, type World } from './world.ts';

let authority: ReturnType<typeof makeAuthority>;
const running: (() => Promise<void>)[] = [];
beforeAll(() => {
  authority = makeAuthority();
});
afterAll(() => authority.remove());
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

async function find(address: string, world: World, options: { askDirectory?: boolean; gatherMs?: number } = {}) {
  const started = await startWorld(world);
  running.push(started.stop);
  const { lookups } = started;
  const found = await findServers(address, { lookups, ca: authority.ca, askDirectory: false, ...options });
  return { found, ...started };
}

const places = ({ imap, smtp }: FoundServers) =>
  [imap, smtp].map((one) => one && `${one.server.host}:${one.server.port} ${one.server.tls}`);

const secure = (...hosts: string[]) => ({ tls: 'implicit', certificate: authority.issue(hosts) }) as const;
const starttls = (...hosts: string[]) => ({ tls: 'starttls', certificate: authority.issue(hosts) }) as const;

const OWN = clientConfig([
  { type: 'pop3', host: 'pop.example.test', port: 995, socket: 'SSL' },
  { type: 'imap', host: 'in.example.test', port: 993, socket: 'SSL', user: '%EMAILLOCALPART%' },
  { type: 'smtp', host: 'out.example.test', port: 465, socket: 'SSL' },
]);

describe('an address of a provider in the table', () => {
  it.each([
    ['ada@gmail.com', 'gmail', 'imap.gmail.com:993 implicit', 'smtp.gmail.com:587 starttls'],
    ['ada@hotmail.co.uk', 'outlook', 'outlook.office365.com:993 implicit', 'smtp-mail.outlook.com:587 starttls'],
    ['ada@me.com', 'icloud', 'imap.mail.me.com:993 implicit', 'smtp.mail.me.com:587 starttls'],
    ['ada@fastmail.fm', 'fastmail', 'imap.fastmail.com:993 implicit', 'smtp.fastmail.com:465 implicit'],
    ['ada@yahoo.co.uk', 'yahoo', 'imap.mail.yahoo.com:993 implicit', 'smtp.mail.yahoo.com:465 implicit'],
    ['ada@gmx.de', 'gmx', 'imap.gmx.net:993 implicit', 'mail.gmx.net:465 implicit'],
    ['ada@web.de', 'web-de', 'imap.web.de:993 implicit', 'smtp.web.de:465 implicit'],
    ['ada@mailbox.org', 'mailbox-org', 'imap.mailbox.org:993 implicit', 'smtp.mailbox.org:465 implicit'],
    ['ada@proton.me', 'proton', '127.0.0.1:1143 starttls', '127.0.0.1:1025 starttls'],
    ['ada@zohomail.eu', 'zoho-eu', 'imap.zoho.eu:993 implicit', 'smtp.zoho.eu:465 implicit'],
    ['ada@yandex.kz', 'yandex', 'imap.yandex.com:993 implicit', 'smtp.yandex.com:465 implicit'],
    ['ada@purelymail.com', 'purelymail', 'imap.purelymail.com:993 implicit', 'smtp.purelymail.com:465 implicit'],
  ])('%s is known without asking anybody', async (address, provider, imap, smtp) => {
    const { found, urls, names } = await find(address, {});
    expect(found.provider?.id).toBe(provider);
    expect(places(found)).toEqual([imap, smtp]);
    expect([urls, names]).toEqual([[], []]);
  });

  it('is not taken for one whose name only looks like it', async () => {
    for (const address of ['a@yahoo.evil.test', 'a@notgmail.com', 'a@gmail.com.evil.test']) {
      expect((await find(address, {})).found.provider).toBeNull();
    }
  });
});

describe('a domain whose mail goes to a provider in the table', () => {
  it.each([
    ['aspmx.l.google.com', 'google-workspace'],
    ['alt1.aspmx.l.google.com.', 'google-workspace'],
    ['firm-test.mail.protection.outlook.com', 'microsoft-365'],
    ['eur.olc.protection.outlook.com', 'outlook'],
    ['firm.k-v1.mx.microsoft', 'microsoft-365'],
    ['mx01.mail.icloud.com', 'icloud'],
    ['in1-smtp.messagingengine.com', 'fastmail'],
    ['mta7.am0.yahoodns.net', 'yahoo'],
    ['mx00.gmx.net', 'gmx'],
    ['mxext1.mailbox.org', 'mailbox-org'],
    ['mail.protonmail.ch', 'proton'],
    ['mx.zoho.eu', 'zoho-eu'],
    ['mx.yandex.net', 'yandex'],
    ['mailserver.purelymail.com', 'purelymail'],
  ])('%s: %s', async (exchange, id) => {
    const { found } = await find('ada@firm.test', { mx: { 'firm.test': [exchange] } });
    expect(found.imap?.source).toBe('exchanger');
    expect(found.imap && hasToBeConfirmed(found.imap)).toBe(false);
    expect(found.provider?.id).toBe(id);
  });
});

describe('a domain that says where its servers are', () => {
  it('is believed by autoconfig over HTTPS, which alone learns the address', async () => {
    const { found, urls, heard } = await find('ada@example.test', {
      pages: { 'https://autoconfig.example.test/mail/config-v1.1.xml?emailaddress=ada%40example.test': { body: OWN } },
      servers: { 'in.example.test:993': secure('in.example.test'), 'out.example.test:465': secure('out.example.test') },
    });
    expect(places(found)).toEqual(['in.example.test:993 implicit', 'out.example.test:465 implicit']);
    expect(found.imap).toMatchObject({ source: 'autoconfig', trust: 'own', answered: true, user: 'ada' });
    expect(urls.filter((url) => url.includes('ada'))).toEqual([
      'https://autoconfig.example.test/mail/config-v1.1.xml?emailaddress=ada%40example.test',
    ]);
    expect(heard().join('\n')).not.toMatch(/ada|LOGIN|AUTH/i);
  });

  it('is believed by .well-known, also over a redirect', async () => {
    const { found } = await find('ada@example.test', {
      pages: {
        'https://example.test/.well-known/autoconfig/mail/config-v1.1.xml': {
          status: 302,
          location: 'https://www.example.test/mail.xml',
        },
        'https://www.example.test/mail.xml': { body: OWN },
      },
      servers: { 'in.example.test:993': secure('in.example.test') },
    });
    expect(found.imap).toMatchObject({ source: 'well_known', trust: 'own', answered: true });
    expect(found.smtp).toMatchObject({ server: { host: 'out.example.test' }, answered: false });
  });

  it('is believed by SRV, in the order of the records', async () => {
    const record = (name: string, port: number, priority = 0) => ({ name, port, priority, weight: 1 });
    const { found } = await find('ada@example.test', {
      srv: {
        '_imaps._tcp.example.test': [record('b.example.test', 993, 20), record('a.example.test', 993, 10)],
        '_submissions._tcp.example.test': [record('.', 0)],
        '_submission._tcp.example.test': [record('a.example.test', 587)],
      },
      servers: { 'a.example.test:993': secure('a.example.test'), 'a.example.test:587': starttls('a.example.test') },
    });
    expect(places(found)).toEqual(['a.example.test:993 implicit', 'a.example.test:587 starttls']);
    expect(found.smtp).toMatchObject({ source: 'srv', trust: 'own', answered: true });
  });

  it('is found by the usual names where nobody says anything', async () => {
    const { found, heard } = await find('ada@example.test', {
      servers: {
        'mail.example.test:143': starttls('mail.example.test'),
        'mail.example.test:587': starttls('*.example.test'),
      },
    });
    expect(places(found)).toEqual(['mail.example.test:143 starttls', 'mail.example.test:587 starttls']);
    expect(found.imap).toMatchObject({ source: 'guess', trust: 'own', answered: true });
    expect(heard().join('\n')).not.toMatch(/ada|LOGIN |AUTH /);
  });

  it('is asked for by the domain of its mail exchanger, whose word has to be confirmed', async () => {
    const body = clientConfig([{ type: 'imap', host: 'imap.hoster.test', port: 993, socket: 'SSL' }]);
    const { found, urls } = await find('ada@example.test', {
      mx: { 'example.test': ['mx3.eu.hoster.test'] },
      pages: { 'https://autoconfig.hoster.test/mail/config-v1.1.xml': { body } },
      servers: { 'imap.hoster.test:993': secure('imap.hoster.test') },
    });
    expect(found.imap).toMatchObject({ source: 'exchanger_autoconfig', trust: 'foreign', answered: true });
    expect(found.imap && hasToBeConfirmed(found.imap)).toBe(true);
    expect(urls.some((url) => url.includes('hoster') && url.includes('ada'))).toBe(false);
  });

  it('is looked up in the directory only when that is allowed, without the address', async () => {
    const body = clientConfig([{ type: 'imap', host: 'imap.gmx.net', port: 993, socket: 'SSL' }]);
    const pages = { 'https://autoconfig.thunderbird.net/v1.1/example.test': { body } };
    expect((await find('ada@example.test', { pages })).urls.join()).not.toContain('thunderbird');
    const { found } = await find('ada@example.test', { pages }, { askDirectory: true });
    expect(found.imap).toMatchObject({ source: 'directory', trust: 'known', server: { host: 'imap.gmx.net' } });
    expect(found.provider?.id).toBe('gmx');
  });

  it('is waited for no longer than agreed', async () => {
    const delayed = { body: OWN, delayMs: 60_000 };
    const pages = { 'https://example.test/.well-known/autoconfig/mail/config-v1.1.xml': delayed };
    const { found } = await find('ada@example.test', { pages }, { gatherMs: 50 });
    expect([found.imap, found.smtp, found.others]).toEqual([null, null, []]);
  });

  it('without servers anywhere is a finding of nothing', async () => {
    const { found } = await find('ada@example.test', {});
    expect(found).toEqual({ address: 'ada@example.test', provider: null, imap: null, smtp: null, others: [] });
  });
});

describe('an answer of somebody hostile', () => {
  const evil = clientConfig([
    { type: 'imap', host: 'imap.evil.test', port: 993, socket: 'SSL' },
    { type: 'smtp', host: 'smtp.evil.test', port: 465, socket: 'SSL' },
  ]);
  const evilServers = () => ({
    'imap.evil.test:993': secure('imap.evil.test'),
    'smtp.evil.test:465': secure('smtp.evil.test'),
  });

  it('over plain HTTP is a hint that has to be confirmed, and loses against any other', async () => {
    const pages = { 'http://autoconfig.example.test/mail/config-v1.1.xml': { body: evil } };
    const alone = await find('ada@example.test', { pages, servers: evilServers() });
    expect(alone.found.imap).toMatchObject({ trust: 'unproven', server: { host: 'imap.evil.test' } });
    expect(alone.found.imap && hasToBeConfirmed(alone.found.imap)).toBe(true);
    const servers = { ...evilServers(), 'imap.example.test:993': secure('imap.example.test') };
    const { found } = await find('ada@example.test', { pages, servers });
    expect(found.imap).toMatchObject({ trust: 'own', server: { host: 'imap.example.test' } });
  });

  it('over HTTPS that leads away into plain HTTP is a hint', async () => {
    const { found } = await find('ada@example.test', {
      pages: {
        'https://example.test/.well-known/autoconfig/mail/config-v1.1.xml': {
          status: 301,
          location: 'http://example.test/m.xml',
        },
        'http://example.test/m.xml': { body: OWN },
      },
      servers: { 'in.example.test:993': secure('in.example.test') },
    });
    expect(found.imap?.trust).toBe('unproven');
  });

  it('that names a foreign host over SRV or HTTPS has to be confirmed', async () => {
    const { found, heard } = await find('ada@example.test', {
      srv: { '_imaps._tcp.example.test': [{ name: 'imap.evil.test', port: 993, priority: 0, weight: 0 }] },
      pages: { 'https://example.test/.well-known/autoconfig/mail/config-v1.1.xml': { body: evil } },
      servers: evilServers(),
    });
    expect([found.imap, found.smtp].map((one) => one?.trust)).toEqual(['foreign', 'foreign']);
    expect(heard().join('\n')).not.toMatch(/ada|LOGIN|AUTH /i);
  });

  it('cannot name a machine of the inside, a server without TLS, or one whose certificate is of another name', async () => {
    const body = clientConfig([
      { type: 'imap', host: '127.0.0.1', port: 993, socket: 'SSL' },
      { type: 'imap', host: '169.254.169.254', port: 80, socket: 'STARTTLS' },
      { type: 'imap', host: 'localhost', port: 993, socket: 'SSL' },
      { type: 'imap', host: 'in.example.test', port: 143, socket: 'plain' },
      { type: 'imap', host: 'in.example.test\r\nX: y', port: 993, socket: 'SSL' },
      { type: 'imap', host: 'in.example.test', port: 99_999, socket: 'SSL' },
      { type: 'smtp', host: 'out.example.test', port: 465, socket: 'SSL' },
    ]);
    const { found, names } = await find('ada@example.test', {
      pages: { 'https://example.test/.well-known/autoconfig/mail/config-v1.1.xml': { body } },
      servers: { 'out.example.test:465': secure('other.example.test') },
    });
    expect(found.imap).toBeNull();
    expect(found.smtp).toMatchObject({ server: { host: 'out.example.test' }, answered: false });
    expect(names).not.toContain('127.0.0.1');
  });

  it('that is no XML, or far too much of it, names nothing', async () => {
    for (const body of [
      '<html>404</html>',
      '<a>'.repeat(200_000),
      `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(9999)}">]>&a;`,
      '\0\xff',
    ]) {
      const pages = { 'https://example.test/.well-known/autoconfig/mail/config-v1.1.xml': { body } };
      expect((await find('ada@example.test', { pages })).found.imap).toBeNull();
    }
  });

  it('is no address', async () => {
    for (const address of [
      'ada',
      '@example.test',
      'ada@localhost',
      'ada@127.0.0.1',
      'a\r\nb@example.test',
      'ada@exa mple.test',
    ]) {
      await expect(find(address, {})).rejects.toMatchObject({ code: 'usage' });
    }
  });
});
