import { generateKeyPairSync } from 'node:crypto';
import { dkimSign } from 'mailauth';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../../engine/mail/identity/authenticate.ts';
import type { ResolveDns } from '../../../../engine/mail/identity/dns.ts';
import { createSenderChecks } from '../../../../engine/mail/identity/sender-checks.ts';
import type { Arrival } from '../../../../engine/mail/mime/types.ts';
import { computedMs } from '../../../computed.ts';
import { type MailInput, rawMail } from '../../../corpus/build.ts';
import { forgedCases } from '../../../corpus/forged.ts';
import { parsed } from '../fixtures.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const KEY = `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`;
const ZONE: Record<string, string> = {
  'k._domainkey.example.org': KEY,
  'k._domainkey.attacker.test': KEY,
  'k._domainkey.plain.test': KEY,
  '_dmarc.example.org': 'v=DMARC1; p=reject',
  '_dmarc.attacker.test': 'v=DMARC1; p=none',
  'example.org': 'v=spf1 ip4:192.0.2.1 -all',
  'plain.test': 'v=spf1 ip4:192.0.2.1 -all',
  'evil.plain.test': 'v=spf1 ip4:192.0.2.1 -all',
  'k._domainkey.evil.plain.test': KEY,
  'k._domainkey.mail.example.org': KEY,
  'attacker.test': 'v=spf1 ip4:192.0.2.66 ip4:127.0.0.1 -all',
};

/** Answers TXT from a table, like a server that knows nothing else. */
const zone =
  (records: Record<string, string>): ResolveDns =>
  async (name, type) => {
    const text = type === 'TXT' ? records[name.toLowerCase()] : undefined;
    if (text === undefined) throw Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' });
    return [[text]];
  };

const checks = createSenderChecks();
afterAll(() => checks.close());
const authenticatorWith = (resolver: ResolveDns, trustedReceived: string[] = []) =>
  createAuthenticator({
    dnsServers: [],
    trustedReceived,
    hostname: 'gateway.example.com',
    signatureMaxAgeDays: 7,
    checks,
    resolver,
  });
const authenticator = authenticatorWith(zone(ZONE));
const identify = async (raw: Buffer, arrival: Arrival, by = authenticator) =>
  by.authenticate(raw, await parsed(raw), { arrival, arrivedAt: Date.now() });

const STRANGER = {
  door: 'stranger',
  ip: '192.0.2.66',
  helo: 'out.attacker.test',
  mailFrom: 'bounces@attacker.test',
} as const;
const MAILBOX = { door: 'imap', authservId: null } as const;
const from = (address: string): MailInput => ({ headers: [['From', address]], body: 'Hello\r\nthis is signed\r\n' });

async function signed(domain: string, raw: Buffer, more: { canonicalization?: string; maxBodyLength?: number } = {}) {
  const signature = { signingDomain: domain, selector: 'k', privateKey, ...more };
  const { signatures } = await dkimSign(raw, { ...signature, signatureData: [signature] });
  return Buffer.concat([Buffer.from(signatures), raw]);
}

describe('mail from a stranger', () => {
  it('is proven by a signature of the From domain', async () => {
    const raw = await signed('example.org', rawMail('a', from('Owner <owner@EXAMPLE.org>')));
    expect(await identify(raw, STRANGER)).toMatchObject({
      address: 'owner@example.org',
      authenticated: true,
      method: 'dmarc',
      temporary: false,
    });
  });

  it('is proven by SPF when the envelope is of the From domain and the peer may send for it', async () => {
    const raw = rawMail('a', from('owner@example.org'));
    const arrival = { ...STRANGER, ip: '192.0.2.1', mailFrom: 'owner@example.org' };
    expect(await identify(raw, arrival)).toMatchObject({ authenticated: true, method: 'dmarc' });
  });

  it('is not proven by the signature of another domain, however valid', async () => {
    const raw = await signed('attacker.test', rawMail('a', from('owner@example.org')));
    const identity = await identify(raw, STRANGER);
    expect(identity).toMatchObject({
      address: 'owner@example.org',
      authenticated: false,
      method: 'none',
      temporary: false,
    });
    expect(identity.detail).toContain('dmarc=fail');
  });

  it('is not proven once a byte of the body was changed', async () => {
    const raw = await signed('example.org', rawMail('a', from('owner@example.org')));
    raw[raw.length - 4] = 'X'.charCodeAt(0);
    expect(await identify(raw, STRANGER)).toMatchObject({ authenticated: false });
  });

  it('is not proven by a signature over only the beginning of the body', async () => {
    const raw = await signed('example.org', rawMail('a', from('owner@example.org')), { maxBodyLength: 5 });
    const longer = Buffer.concat([raw, Buffer.from('and delete everything\r\n')]);
    expect(await identify(longer, STRANGER)).toMatchObject({ authenticated: false });
  });

  it('gets no bonus for coming from this machine', async () => {
    const raw = rawMail('a', from('owner@example.org'));
    expect(await identify(raw, { ...STRANGER, ip: '127.0.0.1' })).toMatchObject({ authenticated: false });
  });

  it('L2: is not proven without a DMARC record by a signature or SPF below the domain', async () => {
    const raw = rawMail('a', from('someone@plain.test'));
    const below = await identify(await signed('evil.plain.test', raw), STRANGER);
    expect(below).toMatchObject({ authenticated: false, temporary: false });
    const arrival = { ...STRANGER, ip: '192.0.2.1', mailFrom: 'bounces@evil.plain.test' };
    expect(await identify(raw, arrival)).toMatchObject({ authenticated: false });
    // With a record its domain lets those below speak for it.
    const withRecord = rawMail('a', from('someone@example.org'));
    expect(await identify(await signed('mail.example.org', withRecord), STRANGER)).toMatchObject({
      authenticated: true,
    });
  });

  it('is proven without a DMARC record when a signature or SPF is its own, and says on what ground', async () => {
    const raw = rawMail('a', from('someone@plain.test'));
    const byKey = await identify(await signed('plain.test', raw), STRANGER);
    expect(byKey).toMatchObject({
      authenticated: true,
      method: 'dmarc',
      detail: expect.stringContaining('no DMARC record'),
    });
    const bySpf = await identify(raw, { ...STRANGER, ip: '192.0.2.1', mailFrom: 'bounces@plain.test' });
    expect(bySpf).toMatchObject({ authenticated: true, detail: expect.stringContaining('aligned SPF') });
    expect(await identify(raw, STRANGER)).toMatchObject({ authenticated: false });
  });

  it.each([
    ['two mailboxes', [['From', 'owner@example.org, eve@attacker.test']]],
    [
      'two headers',
      [
        ['From', 'owner@example.org'],
        ['From', 'eve@attacker.test'],
      ],
    ],
    ['no From', [['From', '']]],
  ] as const)('is nobody with %s', async (_what, headers) => {
    const raw = await signed('example.org', rawMail('a', { headers }));
    expect(await identify(raw, STRANGER)).toMatchObject({ address: null, authenticated: false });
  });
});

describe('DNS that does not answer', () => {
  it.each(['ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED'])('is temporary and proves nothing: %s', async (code) => {
    const broken = authenticatorWith(async () => {
      throw Object.assign(new Error('no answer'), { code });
    });
    const raw = await signed('example.org', rawMail('a', from('owner@example.org')));
    expect(await identify(raw, STRANGER, broken)).toMatchObject({ authenticated: false, temporary: true });
  });

  it('is not asked about names that never exist', async () => {
    const asked: string[] = [];
    const watching = authenticatorWith(async (name) => {
      asked.push(name);
      throw Object.assign(new Error('no'), { code: 'ETIMEOUT' });
    });
    const arrival = { ...STRANGER, mailFrom: 'you@agents.localhost', helo: 'localhost' };
    expect(await identify(rawMail('a', from('you@agents.localhost')), arrival, watching)).toMatchObject({
      authenticated: false,
      temporary: false,
    });
    expect(asked).toEqual([]);
  });

  it('is asked a bounded number of times for one mail', async () => {
    const asked: string[] = [];
    const counting = authenticatorWith(async (name, type) => {
      asked.push(name);
      return zone(ZONE)(name, type);
    });
    const signature = (n: number) =>
      ['DKIM-Signature', `v=1; a=rsa-sha256; d=d${n}.attacker.test; s=k; h=from; bh=x; b=x`] as const;
    const raw = rawMail('a', {
      headers: [...Array.from({ length: 300 }, (_, n) => signature(n)), ['From', 'owner@example.org']],
    });
    expect(await identify(raw, STRANGER, counting)).toMatchObject({ authenticated: false });
    expect(asked.length).toBeLessThanOrEqual(80);
  });
});

describe('mail from a mailbox without an authserv_id', () => {
  it('is proven by an aligned signature alone', async () => {
    const raw = await signed('example.org', rawMail('a', from('owner@example.org')));
    expect(await identify(raw, MAILBOX)).toMatchObject({ authenticated: true, method: 'dmarc' });
    expect(await identify(rawMail('a', from('owner@example.org')), MAILBOX)).toMatchObject({ authenticated: false });
  });

  it('is not proven by what its own headers say', async () => {
    const raw = rawMail('a', {
      headers: [
        ['Authentication-Results', 'mx.example.com; dmarc=pass header.from=example.org'],
        ['From', 'owner@example.org'],
      ],
    });
    expect(await identify(raw, MAILBOX)).toMatchObject({ authenticated: false });
  });
});

describe('mail with the submission secret', () => {
  it('is believed about its From, if it has one', async () => {
    expect(await identify(rawMail('a', from('Owner@example.org')), { door: 'submission' })).toMatchObject({
      address: 'owner@example.org',
      authenticated: true,
      method: 'submission',
    });
    expect(await identify(rawMail('a', { headers: [['From', '']] }), { door: 'submission' })).toMatchObject({
      address: null,
      authenticated: false,
    });
  });
});

describe('mail through our border server', () => {
  const BORDER = { door: 'relay', authservId: 'mx.example.com', mailFrom: 'owner@example.org' } as const;
  const RECEIVED = [
    'Received',
    'from out.example.org (out.example.org [192.0.2.1]) by mx.example.com (Postfix) with ESMTPS id 1; Mon, 2 Mar 2026 10:00:00 +0100',
  ] as const;
  const stamped = (...values: string[]) => values.map((value) => ['Authentication-Results', value] as const);
  const owner = ['From', 'owner@example.org'] as const;
  /** As a border says it of a mail that came straight from the sender's own server. */
  const PASS = 'mx.example.com; spf=pass smtp.mailfrom=example.org; dmarc=pass header.from=example.org';
  /** A border writes one, below its results where a test puts it nowhere else. */
  const withLine = (headers: NonNullable<MailInput['headers']>) =>
    headers.some(([name]) => name === 'Received') ? headers : [...headers, RECEIVED];
  const OWN = zone({ 'example.org': 'v=spf1 ip4:192.0.2.1 -all' });
  const NEW = ['Date', new Date().toUTCString().replace('GMT', '+0000')] as const;
  const verdict = async (headers: MailInput['headers'] = [], trusted: string[] = []) =>
    identify(rawMail('a', { headers: [...withLine(headers), owner, NEW] }), BORDER, authenticatorWith(OWN, trusted));

  it.each([
    ['dmarc', 'mx.example.com; dmarc=pass (p=reject dis=none) header.from=example.org'],
    ['a version after the id', 'mx.example.com 1; dmarc=pass header.from=example.org'],
    ['another case', 'MX.Example.COM; DMARC=Pass header.From=Example.Org'],
    ['blanks around the sign', 'mx.example.com; dmarc = pass header.from = example.org'],
    ['SPF without DMARC', 'mx.example.com; spf=pass smtp.mailfrom=bounces@example.org'],
  ])('is proven by what it stamped: %s', async (_what, value) => {
    expect(await verdict(stamped(value))).toMatchObject({ authenticated: true, method: 'authentication-results' });
  });

  it('is proven by headers of several filters together', async () => {
    const identity = await verdict(
      stamped(
        'mx.example.com; spf=pass smtp.mailfrom=example.org',
        'mx.example.com; dkim=fail header.d=example.org',
        'mx.example.com; dmarc=pass header.from=example.org',
      ),
    );
    expect(identity).toMatchObject({ authenticated: true });
  });

  it('M7: is not proven by a header below its own Received line, unless it is known to write there', async () => {
    const headers = [RECEIVED, ...stamped(PASS)];
    expect(await verdict(headers)).toMatchObject({ authenticated: false });
    expect(await verdict(headers, ['MX.example.com'])).toMatchObject({ authenticated: true });
    expect(await verdict(headers, ['*.example.com'])).toMatchObject({ authenticated: false });
    // The second line of that name came with the mail.
    expect(await verdict([RECEIVED, ...headers], ['mx.example.com'])).toMatchObject({ authenticated: false });
  });

  it.each([
    ['no DMARC record', ['mx.example.com; dmarc=none header.from=example.org']],
    ['SPF alone', ['mx.example.com; spf=fail smtp.mailfrom=attacker.test']],
    ['nothing at all', []],
  ])('M7: is not proven by what stands below a border that said %s', async (_what, above) => {
    const forged = stamped(PASS);
    expect(await verdict([...stamped(...above), RECEIVED, ...forged])).toMatchObject({ authenticated: false });
  });

  it.each([
    ['a semicolon', 'header.i=@example.org;.evil.test'],
    ['a blank', 'header.i=@example.org .evil.test'],
    ['a quoted semicolon', 'header.d="example.org;.evil.test"'],
  ])('M7: is not proven by a signer whose name holds %s', async (_what, signer) => {
    const value = `mx.example.com; dkim=pass ${signer}; dmarc=none header.from=example.org`;
    expect(await verdict(stamped(value))).toMatchObject({ authenticated: false });
  });

  it('is proven through inner servers only when they are configured', async () => {
    const inner = [
      'Received',
      'from mx.example.com by imap.example.com with LMTP; Mon, 2 Mar 2026 10:00:01 +0100',
    ] as const;
    const headers = [inner, ...stamped(PASS), RECEIVED];
    expect(await verdict(headers)).toMatchObject({ authenticated: false });
    expect(await verdict(headers, ['imap.example.com'])).toMatchObject({ authenticated: true });
    expect(await verdict(headers, ['imap.*.com'])).toMatchObject({ authenticated: true });
    expect(await verdict(headers, ['*.example.net'])).toMatchObject({ authenticated: false });
  });

  it('is unproven when nothing was stamped', async () => {
    expect(await verdict()).toMatchObject({
      authenticated: false,
      detail: 'no Authentication-Results of mx.example.com',
    });
  });

  it('names the border where that spoke and does not vouch for From', async () => {
    expect(await verdict(stamped('mx.example.com; dmarc=fail header.from=example.org'))).toMatchObject({
      authenticated: false,
      detail: 'mx.example.com says dmarc=fail (example.org)',
    });
  });

  it.each(forgedCases)('is unproven when the claim is forged: $name', async ({ raw }) => {
    expect(await identify(raw, BORDER)).toMatchObject({
      address: 'owner@example.org',
      authenticated: false,
      method: 'none',
    });
    expect(await identify(raw, { door: 'imap', authservId: 'mx.example.com' })).toMatchObject({ authenticated: false });
  });

  it('survives a header made to be slow', async () => {
    const before = computedMs();
    await verdict(
      stamped(
        'mx.example.com; '.concat('('.repeat(8000)),
        `mx.example.com; ${'"'.repeat(7999)}`,
        `mx.example.com${' ;'.repeat(3000)}`,
      ),
    );
    expect(computedMs() - before).toBeLessThan(1000);
  });
});
