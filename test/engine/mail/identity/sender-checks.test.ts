import { afterEach, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../../engine/mail/identity/authenticate.ts';
import type { ResolveDns } from '../../../../engine/mail/identity/dns.ts';
import { createSenderChecks, type SenderChecksOptions } from '../../../../engine/mail/identity/sender-checks.ts';
import { standstillOf } from '../../../computed.ts';
import { rawMail } from '../../../corpus/build.ts';
import { createSigner } from '../../../fakes/signer.ts';
import { parsed } from '../fixtures.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((checks) => checks.close()));
});

const nothing: ResolveDns = async () => {
  throw Object.assign(new Error('nothing there'), { code: 'ENOTFOUND' });
};

function identifier(resolver: ResolveDns = nothing, options: SenderChecksOptions = {}) {
  const checks = createSenderChecks(options);
  open.push(checks);
  const authenticator = createAuthenticator({
    dnsServers: [],
    trustedReceived: [],
    hostname: 'h.test',
    signatureMaxAgeDays: 7,
    checks,
    resolver,
  });
  return async (raw: Buffer) =>
    authenticator.authenticate(raw, await parsed(rawMail('a', {})), {
      arrival: { door: 'imap', authservId: null },
      arrivedAt: Date.now(),
    });
}

/** Long enough for what is quick on a machine that works for others. */
const DEADLINE_MS = 500;
const hanging = { entry: new URL('../unreliable-check.ts', import.meta.url), deadlineMs: DEADLINE_MS };
const named = (subject: string) => rawMail('a', { headers: [['Subject', subject]] });

describe('H2: a mail whose check hangs', () => {
  it.each(['hang at once', 'hang later'])('proves nobody, and that is not only for now: %s', async (subject) => {
    const identify = identifier(nothing, hanging);
    expect(await identify(named(subject))).toMatchObject({
      address: 'sender@example.com',
      authenticated: false,
      method: 'none',
      detail: `not checked: it took longer than ${DEADLINE_MS} ms`,
      temporary: false,
    });
    expect(await identify(named('quick'))).toMatchObject({ detail: 'asked: false' });
  });

  it('is not one that waits for DNS, which is only for now', async () => {
    const slow: ResolveDns = async () => {
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS + 300));
      throw Object.assign(new Error('no answer'), { code: 'ETIMEOUT' });
    };
    expect(await identifier(slow, hanging)(named('quick'))).toMatchObject({ temporary: true });
  });

  it('is nobody’s fault when no thread starts', async () => {
    const identify = identifier(nothing, { entry: new URL('./no-such-worker.ts', import.meta.url) });
    await expect(identify(named('x'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('H2: a small mail made to be expensive', () => {
  const signature = (tags: string) => `DKIM-Signature: v=1; a=rsa-sha256; d=x.test; s=k; bh=x; b=x; ${tags}\r\n`;
  const from = 'From: sender@example.com\r\n';
  const shapes: readonly (readonly [string, () => string])[] = [
    ['200 kB of folds', () => `${signature('h=from')}${from}X: a\r\n${' \r\n'.repeat(66_000)}\r\nHello\r\n`],
    ['folds behind a line of dashes', () => `${signature('h=from')}${from}--x\r\n${' \r\n'.repeat(66_000)}`],
    [
      '1000 signatures with l=',
      () =>
        Array.from({ length: 1000 }, (_, n) => signature(`h=from; l=${n}`)).join('') +
        from +
        `\r\n${'a\r\n'.repeat(33_000)}`,
    ],
    ['25,000 names', () => `${signature(`h=${'x:'.repeat(25_000)}`)}${'x: y\r\n'.repeat(12_500)}${from}\r\nHello\r\n`],
    ['100 kB of bare LF', () => `${signature('h=from; c=relaxed/relaxed')}${from}\r\n${'\n'.repeat(100_000)}.\r\n`],
    ['2 MB of header', () => `${signature('h=from')}${'X: y\r\n'.repeat(350_000)}${from}\r\nHello\r\n`],
    ['a line of 20 MB', () => `${signature('h=from; c=relaxed/relaxed')}${from}\r\n${'a'.repeat(20_000_000)}`],
    [
      '20 MB of lines to be trimmed',
      () => `${signature('h=from; c=relaxed/relaxed')}${from}\r\n${'a \r\n'.repeat(5_000_000)}`,
    ],
  ];

  it.each(shapes)('is checked, or not, without a standstill: %s', async (_what, make) => {
    const identify = identifier();
    await identify(named('the thread starts'));
    const raw = Buffer.from(make(), 'latin1');
    const { result: identity, ms } = await standstillOf(() => identify(raw));
    expect(identity).toMatchObject({ authenticated: false, temporary: false });
    expect(ms).toBeLessThan(200);
  });
});

describe('H2: an honest mail of the usual limit', () => {
  it('is proven, without a standstill', async () => {
    const signer = createSigner(['example.com']);
    const zone: ResolveDns = async (name) => {
      const text = signer.zone[name];
      return text === undefined ? nothing(name, 'TXT') : [[text]];
    };
    const identify = identifier(zone);
    await identify(named('the thread starts'));
    const raw = await signer.sign(
      rawMail('large', { body: Buffer.alloc(25_000_000, `${'QUJD'.repeat(19)}\r\n`) }),
      'example.com',
    );
    const { result: identity, ms } = await standstillOf(() => identify(raw));
    expect(identity).toMatchObject({ authenticated: true, method: 'dmarc' });
    expect(ms).toBeLessThan(200);
  });
});
