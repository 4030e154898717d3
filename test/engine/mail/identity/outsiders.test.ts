import { describe, expect, it } from 'vitest';
import { type Behind, identityOf, NOW, received, type Stamped, signature } from './stamped.ts';

// What somebody with nothing but a domain of his own tried against real borders, and was the owner by
// (test/attacks/owner-behind-a-border/second.md). Each beside an honest mail of the same border.

const BORDER = 'mx.test';
const OF_BORDER = received('mx.test (Postfix)', 'out.evil.test (out.evil.test [192.0.2.66])');
const OF_OWNER = received('mx.test (Postfix)');
const ar = (value: string) => `Authentication-Results: mx.test; ${value}`;
const path = (sender: string) => `Return-Path: <${sender}>`;

const isProven = async (mail: Stamped, behind: Partial<Behind> = {}): Promise<boolean> =>
  (await identityOf(mail, { border: BORDER, ...behind })).authenticated;

/** In a mailbox and by the listener's relay. */
async function bothWays(
  above: readonly string[],
  sender: string,
  mail: Omit<Stamped, 'above'> = {},
  line: string = OF_BORDER,
) {
  const lines = [...above, line];
  return [
    await isProven({ ...mail, above: [path(sender), ...lines] }),
    await isProven({ ...mail, above: lines }, { mailFrom: sender }),
  ];
}

describe('SPF of another sender than the mail has', () => {
  it.each([
    ['behind the first of two @', 'spf=pass smtp.mailfrom=owner.test smtp.helo=y:b@evil.test', 'b@evil.test'],
    ['in a bracket', 'spf=pass smtp.mailfrom=owner.test(x)smtp.helo=y:b@evil.test', 'b@evil.test'],
    ['in the greeting', 'spf=pass smtp.helo=x smtp.mailfrom=owner.test policy.x=a.evil.test', 'owner.test@mx.test'],
    ['as a piece of Received-SPF', 'spf=pass smtp.mailfrom=owner.test;helo=y@evil.test', 'b@evil.test'],
  ])('proves nobody: %s', async (_where, said, sender) => {
    expect(await bothWays([ar(`dmarc=none header.from=owner.test; ${said}`)], sender)).toEqual([false, false]);
    // Where the sender is not known, what stands behind it tells.
    const above = [ar(said), OF_BORDER];
    if (!said.includes(';')) expect(await isProven({ above })).toBe(false);
  });

  it('proves the owner where it is the mail’s own', async () => {
    const said = ar('dmarc=none header.from=owner.test; spf=pass smtp.mailfrom=owner.test');
    expect(await bothWays([said], 'owner@owner.test', {}, OF_OWNER)).toEqual([true, true]);
    expect(await isProven({ above: [said, OF_OWNER] })).toBe(true);
    // Nor is it believed by the border's word alone, which may be of another sender than it asked about.
    expect(await bothWays([said], 'owner@owner.test')).toEqual([false, false]);
  });
});

describe('a mail of a year ago', () => {
  const old = signature({ at: NOW - 365 * 86_400_000 });
  const said = ar(
    'dkim=pass header.d=owner.test header.s=k1; dmarc=pass header.from=owner.test; spf=pass smtp.mailfrom=evil.test',
  );

  it('is no new one for being handed in by a server that both domains use', async () => {
    expect(await bothWays([said], 'x@evil.test', { headers: [old] }, OF_OWNER)).toEqual([false, false]);
    expect(await bothWays([said], 'x@evil.test', { headers: [signature()] }, OF_OWNER)).toEqual([true, true]);
  });

  it('is no new one for a line that it brings along below that of the border', async () => {
    const inside = received('mx.test (Postfix)', 'out (out [172.17.0.1])');
    expect(await isProven({ above: [path('x@owner.test'), said, inside, OF_OWNER], headers: [old] })).toBe(false);
    const spf = ar('spf=pass smtp.mailfrom=owner.test; dmarc=pass header.from=owner.test');
    expect(await isProven({ above: [path('x@owner.test'), spf, inside, OF_OWNER] })).toBe(false);
  });
});

describe('a policy that rests on nothing that can be known', () => {
  it.each([
    ['a greeting of two names', 'dmarc=pass header.from=owner.test; spf=pass smtp.helo=owner.test,x.evil.test'],
    [
      'results of his own that the border has read',
      'dmarc=pass header.from=owner.test; spf=none smtp.helo=out.evil.test',
    ],
    ['the greeting of a host below the domain', 'dmarc=pass header.from=owner.test; spf=pass smtp.helo=c7.owner.test'],
  ])('proves nobody: %s', async (_what, said) => {
    expect(await bothWays([ar(said)], 'bounce@mx.test')).toEqual([false, false]);
    // Nor beside a signature that the border could not read and tells nothing of.
    const headers = [signature({ more: ' x=1;' })];
    expect(await bothWays([ar(said)], 'bounce@mx.test', { headers })).toEqual([false, false]);
  });

  it('proves nobody by a host below the domain, where the border tells of its policy alone', async () => {
    const said = ar('dmarc=pass header.from=owner.test');
    expect(await bothWays([said], 'x@c7.owner.test')).toEqual([false, false]);
    expect(await bothWays([said], 'x@c7.owner.test', { headers: [signature({ value: 'ZzZz' })] })).toEqual([
      false,
      false,
    ]);
    expect(await bothWays([said], 'x@owner.test')).toEqual([false, false]);
    expect(await bothWays([said], 'x@owner.test', {}, OF_OWNER)).toEqual([true, true]);
    expect(await bothWays([said], 'bounce@service.test', { headers: [signature()] })).toEqual([true, true]);
  });
});

describe('a signature that hides what a border writes of it', () => {
  const FORGED = 'i=x@evil.test=3Bdkim=3Dpass=20header.d=3Downer.test=20smtp.helo=3Dy@evil.test';
  const made = signature({ selector: 'k9' });
  const named = 'dkim=fail header.d=owner.test header.s=k9';
  const injected =
    'dkim=pass header.d=evil.test header.i=x@evil.test; dkim=pass header.d=owner.test smtp.helo=y@evil.test header.s=k9';
  const evil = (more: string) => signature({ domain: 'evil.test', selector: 'k9' }) + more;

  it.each([
    ['behind sixty semicolons', evil(`${';'.repeat(60)} ${FORGED}`)],
    ['in a tag that stands there twice', evil(`; i=x@evil.test; ${FORGED}`)],
    ['behind eight thousand letters', evil(`; z=${'a'.repeat(8500)}; ${FORGED}`)],
    ['in the open', evil(`; ${FORGED}`)],
  ])('proves nobody: %s', async (_where, hostile) => {
    const headers = [made, made, hostile];
    expect(await bothWays([ar(`${named}; ${named}; ${injected}`)], 'b@evil.test', { headers })).toEqual([false, false]);
    const spf =
      'dkim=permerror header.d=evil.test header.i=x@evil.test; spf=pass smtp.mailfrom=owner.test smtp.helo=y@evil.test';
    expect(await bothWays([ar(spf)], 'b@evil.test', { headers: [hostile] })).toEqual([false, false]);
  });

  it('proves nobody where the border tells of more signatures than there are', async () => {
    const pass = 'dkim=pass header.d=owner.test header.s=k9';
    expect(await bothWays([ar(`${named}; ${named}; ${pass}`)], 'b@evil.test', { headers: [made, made] })).toEqual([
      false,
      false,
    ]);
    expect(await bothWays([ar(`${named}; ${pass}`)], 'b@evil.test', { headers: [made, made] })).toEqual([true, true]);
  });
});

describe('an address that the border has read otherwise', () => {
  it.each(['\u00a0', '\u2028', '\u0085', '\u009f'])('proves nobody: %j behind it', async (sign) => {
    const from = `Owner <owner@owner.test${sign}>`;
    for (const said of [`header.from=owner.test${sign}`, 'header.from=owner.test']) {
      const above = [ar(`spf=pass smtp.mailfrom=owner.test; dmarc=none ${said}`)];
      expect(await bothWays(above, 'owner@owner.test', { from })).toEqual([false, false]);
    }
  });

  it('is the owner’s without such a sign', async () => {
    const above = [ar('spf=pass smtp.mailfrom=owner.test; dmarc=none header.from=owner.test')];
    expect(await bothWays(above, 'owner@owner.test', { from: 'Owner <owner@owner.test>' }, OF_OWNER)).toEqual([
      true,
      true,
    ]);
  });
});

describe('a line of a login below that of the border', () => {
  const LOGIN =
    'Received: from phone (phone [192.0.2.7])\r\n\t(Authenticated sender: owner@owner.test)\r\n\tby submit.test (Postfix) with ESMTPSA id 4F1; Sat, 28 Nov 2026 10:00:00 +0000';
  const said = 'Authentication-Results: mx.test; dmarc=fail header.from=owner.test; spf=none; dkim=none';
  const trusted = ['mx.test', 'esmtpsa:submit.test'];

  it('came with the mail, and proves nobody', async () => {
    expect(await isProven({ above: [OF_BORDER, said, LOGIN] }, { trusted })).toBe(false);
    expect(await isProven({ above: [OF_BORDER, said, LOGIN] }, { trusted, mailFrom: 'b@evil.test' })).toBe(false);
  });

  it('proves who logged in where no border stands above it', async () => {
    expect(await isProven({ above: [LOGIN] }, { trusted })).toBe(true);
  });
});
