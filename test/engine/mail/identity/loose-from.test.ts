import { afterAll, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../../engine/mail/identity/authenticate.ts';
import { createSenderChecks } from '../../../../engine/mail/identity/sender-checks.ts';
import type { Arrival } from '../../../../engine/mail/mime/types.ts';
import { createSigner } from '../../../fakes/signer.ts';
import { parsed } from '../fixtures.ts';

const BOSS = 'boss@owner.test';
const MIA = 'mia@shop.test';
const BORDER = 'mx.border.test';

const signer = createSigner(['owner.test', 'shop.test', 'evil.test']);
const checks = createSenderChecks();
afterAll(() => checks.close());
const authenticator = createAuthenticator({
  dnsServers: [],
  trustedReceived: [],
  hostname: 'gateway.test',
  signatureMaxAgeDays: 7,
  checks,
  resolver: async (name, type) => {
    const text = type === 'TXT' ? signer.zone[name.toLowerCase()] : undefined;
    if (typeof text !== 'string') throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    return [[text]];
  },
});

const letter = (...from: readonly string[]) =>
  Buffer.from(
    [
      ...from.map((value) => `From: ${value}`),
      'To: ada@agents.test',
      'Subject: Chairs',
      `Date: ${new Date().toUTCString()}`,
      'Message-ID: <1@x.test>',
      'Content-Type: text/plain',
      '',
      'Three chairs.',
      '',
    ].join('\r\n'),
  );

const identify = async (raw: Buffer, arrival: Arrival) =>
  authenticator.authenticate(raw, await parsed(raw), { arrival, arrivedAt: Date.now() });

const STRANGER = { door: 'stranger', ip: '192.0.2.66', helo: 'out.test', mailFrom: 'bounces@evil.test' } as const;
const RELAY = { door: 'relay', authservId: BORDER, mailFrom: 'bounces@evil.test' } as const;

/** As a border that has read this domain in From hands it on. */
const stamped = (raw: Buffer, domain: string, address = domain) =>
  Buffer.concat([
    Buffer.from(
      `Authentication-Results: ${BORDER}; dkim=pass header.d=${domain}; dmarc=pass header.from=${address}\r\n`,
    ),
    raw,
  ]);

describe('a From as people’s programs write it, signed by its domain', () => {
  it.each([
    `Berg, Mia <${MIA}>`,
    `'${MIA}' <${MIA}>`,
    `Mia <<${MIA}>>`,
    `"${MIA}"`,
    `Mia <@hub.shop.test:${MIA}>`,
    `${MIA} (Mia Berg)`,
    `Mia [mailto:${MIA}] <${MIA}>`,
    `mailto:${MIA}`,
    `Mia <${MIA}> Berg`,
    '"mia"@shop.test',
    `"Mia" <${MIA}>;`,
  ])('proves the address that is shown: %s', async (from) => {
    const raw = await signer.sign(letter(from), 'shop.test');
    expect((await parsed(raw)).from).toMatchObject({ kind: 'one', mailbox: { address: MIA } });
    expect(await identify(raw, STRANGER)).toMatchObject({ address: MIA, authenticated: true, method: 'dmarc' });
    expect(await identify(stamped(raw, 'shop.test'), RELAY)).toMatchObject({ address: MIA, authenticated: true });
  });

  it.each([`"Mia <${MIA}>"`, `Mia <"${MIA}">`])(
    'proves nobody where the check reads nobody in it, or another: %s',
    async (from) => {
      const raw = await signer.sign(letter(from), 'shop.test');
      expect(await identify(raw, STRANGER)).toMatchObject({ address: MIA, authenticated: false });
    },
  );
});

describe('a From with which somebody wants to be the owner, signed by his own domain', () => {
  it.each([
    `"${BOSS}" <eve@evil.test>`,
    `=?utf-8?Q?boss=40owner.test?= <eve@evil.test>`,
    `${BOSS} <eve@evil.test>`,
    `'${BOSS}' <eve@evil.test>`,
    `<${BOSS}> <eve@evil.test>`,
    `<eve@evil.test> <${BOSS}>`,
    `<eve@evil.test>, <${BOSS}>`,
    `eve@evil.test, Boss <${BOSS}>`,
    `Boss <<${BOSS}> eve@evil.test>`,
    `Boss <<eve@evil.test>${BOSS}>`,
    `${BOSS} (<eve@evil.test>)`,
    `Boss (<eve@evil.test>) <${BOSS}>`,
    `"eve@evil.test" <${BOSS}>`,
    `"${BOSS}"`,
    `"Boss <${BOSS}>"`,
    `"Boss <${BOSS}>" <eve@evil.test>`,
    `<@evil.test:${BOSS}>`,
    `<eve@evil.test:${BOSS}>`,
    `evil.test: ${BOSS};`,
    `Eve: eve@evil.test;, ${BOSS}`,
    `mailto:${BOSS} <eve@evil.test>`,
    `Boss [mailto:eve@evil.test] <${BOSS}>`,
    `boss@owner.test@evil.test`,
    `"boss@owner.test"@evil.test`,
    `"boss"@owner.test (eve@evil.test)`,
    `boss@оwner.test <eve@evil.test>`,
    `Boss <${BOSS}\0eve@evil.test>`,
    `${BOSS}\0 <eve@evil.test>`,
    `Boss <${BOSS}> (`,
    `=?utf-8?Q?boss=40owner.test_=3Ceve=40evil.test=3E?=`,
  ])('proves no owner at any door: %s', async (from) => {
    const raw = await signer.sign(letter(from), 'evil.test');
    const seen = await Promise.all([
      identify(raw, STRANGER),
      identify(raw, { door: 'imap', authservId: null }),
      identify(stamped(raw, 'evil.test'), RELAY),
      identify(stamped(raw, 'evil.test', 'eve@evil.test'), RELAY),
    ]);
    for (const { address, authenticated } of seen) {
      expect(authenticated && address !== 'eve@evil.test' && address !== '"boss@owner.test"@evil.test').toBe(false);
    }
  });

  it.each([
    [[`Eve <eve@evil.test>`, `Boss <${BOSS}>`]],
    [[`Boss <${BOSS}>`, `Eve <eve@evil.test>`]],
    [[`Boss <${BOSS}>`, `Boss <${BOSS}>`]],
  ])('proves nobody with two headers: %j', async (from) => {
    for (const domain of ['evil.test', 'owner.test']) {
      const raw = await signer.sign(letter(...from), domain);
      for (const arrival of [STRANGER, RELAY, { door: 'submission' } as const]) {
        expect(await identify(arrival === RELAY ? stamped(raw, domain) : raw, arrival)).toMatchObject({
          address: null,
          authenticated: false,
        });
      }
    }
  });
});

describe('a colleague who writes as the owner, of whom their server reads another address', () => {
  it.each([
    `eve@owner.test <${BOSS}>`,
    `'eve@owner.test' <${BOSS}>`,
    `eve @ owner.test <${BOSS}>`,
    `"eve"@owner.test <${BOSS}>`,
    `eve. ${BOSS}`,
    `"eve" ${BOSS}`,
    `${BOSS} (Eve <eve@owner.test>)`,
    `=?utf-8?Q?eve=40owner.test?=, <${BOSS}>`,
    `"eve@owner.test", <${BOSS}>`,
    `eve@owner.test, <${BOSS}>`,
    `Eve <eve@owner.test>, <${BOSS}>`,
    `"${BOSS}" (<eve@owner.test>)`,
    `"${BOSS}", <eve@owner.test>`,
    `<eve@owner.test <${BOSS}>>`,
  ])('proves nobody, although the domain has signed it: %s', async (from) => {
    const raw = await signer.sign(letter(from), 'owner.test');
    expect(await identify(raw, STRANGER)).toMatchObject({ address: null, authenticated: false });
    expect(await identify(stamped(raw, 'owner.test'), RELAY)).toMatchObject({ address: null, authenticated: false });
  });

  it('proves nobody where the border names another address of the domain', async () => {
    const raw = await signer.sign(letter(`Boss <${BOSS}>`), 'owner.test');
    const seen = await identify(stamped(raw, 'owner.test', 'eve@owner.test'), RELAY);
    expect(seen).toMatchObject({ address: BOSS, authenticated: false });
  });
});

describe('an envelope sender that a border may have written into its own words', () => {
  it.each(['a smtp.mailfrom=boss@owner.test x@evil.test', '<boss@owner.test>x@evil.test', '"a);dmarc=pass"@evil.test'])(
    'proves nobody: %s',
    async (mailFrom) => {
      const raw = stamped(await signer.sign(letter(BOSS), 'owner.test'), 'owner.test');
      expect(await identify(raw, RELAY)).toMatchObject({ authenticated: true });
      expect(await identify(raw, { ...RELAY, mailFrom })).toMatchObject({ authenticated: false });
    },
  );
});
