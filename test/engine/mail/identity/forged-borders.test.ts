import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNNAMED } from '../../../../engine/mail/identity/border/results-header.ts';
import { type Behind, DAY_MS, identityOf, NOW, received, type Stamped, signature, VALUE } from './stamped.ts';

const B = VALUE.slice(0, 8);
const BORDER = 'mx.test';
const ar = (value: string) => `Authentication-Results: ${value}`;
const OF_OWNER = received('mx.test (Postfix)');
const OF_BORDER = received('mx.test (Postfix)', 'out.evil.test (out.evil.test [192.0.2.66])');
const SIGNED = [signature()];

/** Nobody out of a mailbox, and nobody by the listener's relay. */
async function expectNobody(mail: Stamped, behind: Partial<Behind> = {}): Promise<string> {
  const { mailFrom = 'bounce@evil.test', ...rest } = { border: BORDER, ...behind };
  const inMailbox = await identityOf(mail, rest);
  expect(inMailbox).toMatchObject({ authenticated: false, method: 'none' });
  expect(await identityOf(mail, { ...rest, mailFrom })).toMatchObject({ authenticated: false });
  return inMailbox.detail;
}

/** As Rspamd wrote it for a domain without a DMARC record. */
const C1 = (sender: string) =>
  ar(
    `mx.test;\r\n\tdkim=none;\r\n\tdmarc=none;\r\n\tspf=fail (mx.test: domain of ${sender} does not designate 192.0.2.66 as permitted sender) smtp.mailfrom=${sender}`,
  );
const HOSTILE = '"a);dmarc=pass header.from=owner.test;x=(b"@evil.test';

describe('C1: a sender who writes results into the border’s comments', () => {
  it('proves nobody by brackets in MAIL FROM, quoted or not, and the same mail with a plain one neither', async () => {
    for (const sender of [HOSTILE, HOSTILE.replaceAll('"', ''), 'mallory@evil.test']) {
      await expectNobody({ above: [C1(sender), OF_BORDER] });
    }
    // Alone they prove nobody, too: DMARC's own verdict may be away.
    const alone = C1(HOSTILE).replace('dkim=none;\r\n\tdmarc=none;\r\n\t', '');
    expect(await expectNobody({ above: [alone, OF_BORDER] })).toContain('nothing that can be believed');
  });

  it('proves nobody by brackets in HELO, where the Received line shows them', async () => {
    const greeting = 'a);dmarc=pass header.from=owner.test;iprev=pass (b';
    const value = `mx.test; spf=none (mx.test: domain of ${greeting} has no SPF policy when checking 192.0.2.66)`;
    const lines = [
      received('mx.test (Postfix)', `${greeting} (unknown [192.0.2.66])`),
      received('mx.test (Exim 4.96)', `[192.0.2.66] (helo=${greeting})`),
    ];
    for (const line of lines) await expectNobody({ above: [ar(value), line], headers: SIGNED });
    await expectNobody({ above: [ar(`${value} smtp.helo="${greeting}"`), OF_BORDER], headers: SIGNED });
  });

  it('proves nobody by what is said of an envelope sender where there is none', async () => {
    const value = 'mx.test; spf=none smtp.helo=evil.test; spf=pass smtp.mailfrom=owner.test';
    const above = (sender: string) => [`Return-Path: <${sender}>`, ar(value), OF_OWNER];
    expect(await identityOf({ above: above('') }, { border: BORDER })).toMatchObject({ authenticated: false });
    const byRelay = await identityOf({ above: above('').slice(1) }, { border: BORDER, mailFrom: '' });
    expect(byRelay).toMatchObject({ authenticated: false });
    const control = await identityOf({ above: above('x@owner.test') }, { border: BORDER });
    expect(control).toMatchObject({ authenticated: true });
  });

  it('proves nobody where the envelope sender is known and holds such a sign, whatever the border says', async () => {
    const fine = ar('mx.test; spf=pass smtp.mailfrom=owner.test; dmarc=pass header.from=owner.test');
    for (const sender of ['"a b"@owner.test', 'a(b@owner.test', 'a)@owner.test', 'a;b@owner.test', 'a\\b@owner.test']) {
      const above = [`Return-Path: <${sender}>`, fine, OF_OWNER];
      expect(await identityOf({ above }, { border: BORDER })).toMatchObject({ authenticated: false });
      const byRelay = await identityOf({ above: above.slice(1) }, { border: BORDER, mailFrom: sender });
      expect(byRelay.detail).toContain('the envelope sender holds');
    }
    const plain = { above: ['Return-Path: <a+b=c/d@owner.test>', fine, OF_OWNER] };
    expect(await identityOf(plain, { border: BORDER })).toMatchObject({ authenticated: true });
    expect(await identityOf(plain, { border: BORDER, mailFrom: null })).toMatchObject({ authenticated: true });
  });

  it.each([
    ['a quotation that ends early', 'spf=fail (domain of "a) smtp.mailfrom=owner.test (b" is no)'],
    ['a comment that is not ended', 'spf=fail (domain of a'],
    ['a bracket that closes nothing', 'spf=fail (domain of a) b) smtp.mailfrom=evil.test'],
    ['a square bracket', 'spf=fail (domain of [a) x=y (b])'],
    ['a backslash', 'spf=fail (domain of a\\) b) smtp.mailfrom=evil.test'],
    ['a backslash in a value', 'spf=fail smtp.mailfrom=a\\@evil.test'],
    ['a quotation in the middle of a value', 'spf=fail smtp.mailfrom="a b"@evil.test'],
    ['a quotation that does not end', 'spf=fail smtp.mailfrom="a'],
    ['a semicolon in a value', 'spf=fail smtp.mailfrom="a;b"'],
    ['a bracket in a value', 'spf=fail smtp.mailfrom="a(b)c"'],
    ['a semicolon in a comment, and a name behind it', 'spf=fail (domain of a; x=y)'],
    ['a result in a comment', 'spf=fail (domain of dmarc=pass@evil.test is no)'],
    ['a result in a reason', 'dkim=fail reason="dmarc=pass" header.d=evil.test'],
    ['a result after a semicolon in a reason', 'dkim=fail reason="a; x=pass" header.d=evil.test'],
    ['a result as a property', 'spf=fail dmarc=pass smtp.mailfrom=evil.test'],
    ['a sender that ended early', 'spf=fail smtp.mailfrom=; iprev=pass x=@evil.test'],
    ['a comment before the sign', 'x (c)=y'],
    ['a comment behind it', 'x= (c) y'],
    ['a word that is left over', 'spf=fail smtp.mailfrom=a b@evil.test'],
    ['a semicolon that ends a value', 'dkim=pass header.i=@evil.test;.owner.test'],
    ['a property twice', 'spf=fail smtp.mailfrom=evil.test smtp.mailfrom=owner.test'],
    ['a signer by two domains', 'dkim=fail header.d=evil.test header.i=@owner.test'],
    ['an encoded word', 'spf=fail (=?utf-8?q?a=29?=) smtp.mailfrom=evil.test'],
    ['a blank of another alphabet', 'spf=fail (a\u00a0b) smtp.mailfrom=evil.test'],
    ['a quotation mark of another alphabet', 'spf=fail (a\u201cb) smtp.mailfrom=evil.test'],
    ['half of a character', 'spf=fail (a\u00e9\u0300\ufffdb) smtp.mailfrom=evil.test'],
    ['a value that is none', 'dmarc=pass header.from=owner.test,evil.test'],
    ['more signs than are kept of a header', `spf=fail (${'a'.repeat(8000)}) smtp.mailfrom=evil.test`],
  ])('proves nobody behind a header with %s', async (_what, result) => {
    const good = 'dkim=pass header.d=owner.test header.s=k1; dmarc=pass header.from=owner.test';
    const control = { above: [ar(`mx.test; ${good}`), OF_BORDER], headers: SIGNED };
    expect(await identityOf(control, { border: BORDER })).toMatchObject({ authenticated: true });
    await expectNobody({ above: [ar(`mx.test; ${good}`), ar(`mx.test; ${result}`), OF_BORDER], headers: SIGNED });
    await expectNobody({ above: [ar(`mx.test; ${result}; ${good}`), OF_BORDER], headers: SIGNED });
  });

  it('proves nobody by what an own signature is called', async () => {
    const identity =
      'i==40x=3B=20dmarc=3Dpass=20header.from=3Downer.test=3B=20iprev=3Dpass=20smtp.mailfrom=3Da.evil.test';
    const value =
      'mx.test; dkim=pass (2048-bit key) header.d=evil.test header.i=@x; dmarc=pass header.from=owner.test; iprev=pass smtp.mailfrom=a.evil.test header.a=rsa-sha256 header.s=k1';
    const own = signature({ domain: 'evil.test', more: ` ${identity};` });
    await expectNobody({ above: [ar(value), OF_BORDER], headers: [own, signature()] });
  });

  /** What a sender chooses, as borders write it: as it came. */
  const SHAPES: readonly ((chosen: string) => { above: string[]; headers?: string[] })[] = [
    (chosen) => ({ above: [C1(chosen), OF_BORDER] }),
    (chosen) => ({ above: [C1(`"${chosen}"@evil.test`), OF_BORDER], headers: SIGNED }),
    (chosen) => ({
      above: [
        `Return-Path: <"${chosen}"@evil.test>`,
        ar(`mx.test; spf=none (domain of ${chosen}) smtp.helo=${chosen}`),
      ],
      headers: SIGNED,
    }),
    (chosen) => ({
      above: [ar(`mx.test; iprev=fail (${chosen})`), received('mx.test', `${chosen} (unknown [192.0.2.66])`)],
      headers: SIGNED,
    }),
    (chosen) => ({
      above: [
        ar(
          `mx.test; dkim=fail (bad key) header.d=owner.test header.s=k1 header.b=${B}; dmarc=fail (p=${chosen}) header.from=owner.test`,
        ),
        OF_BORDER,
      ],
      headers: SIGNED,
    }),
  ];
  const word = fc.constantFrom(
    ...['a', ')', '(', '"', ';', '\\', ' ', '=', '; ', ') ', ' (', '@evil.test', 'x=y', 'iprev=pass', '[', ']'],
    ...['dmarc=pass header.from=owner.test', 'spf=pass smtp.mailfrom=owner.test', 'dkim=pass header.d=owner.test'],
    ...[`header.s=k1 header.b=${B}`, 'none', 'mx.test;', '\t', '=3B', '\u00a0'],
  );

  it('proves nobody by any words of his', async () => {
    const chosen = fc.array(word, { maxLength: 14 }).map((words) => words.join(''));
    const property = fc.asyncProperty(chosen, fc.constantFrom(...SHAPES), async (text, shape) => {
      const identity = await identityOf(shape(text), { border: BORDER });
      expect(identity.authenticated ? identity.detail : 'nobody').toBe('nobody');
    });
    await fc.assert(property, { numRuns: 400 });
  }, 120_000);
});

describe('verdicts that do not agree', () => {
  const dkim = `dkim=pass header.d=owner.test header.s=k1 header.b=${B}`;
  it.each([
    ['two of DMARC', 'dmarc=none header.from=owner.test; dmarc=pass header.from=owner.test'],
    ['two of DMARC about two domains', 'dmarc=pass header.from=evil.test; dmarc=pass header.from=owner.test'],
    ['two of SPF', 'spf=fail smtp.mailfrom=evil.test; spf=pass smtp.mailfrom=owner.test'],
    ['two of SPF about two senders', 'spf=pass smtp.mailfrom=evil.test; spf=pass smtp.mailfrom=owner.test'],
    ['two for one signature', `${dkim}; dkim=fail header.d=owner.test header.s=k1 header.b=${B}`],
    [
      'two for one signature, one of them shortened',
      `${dkim}; dkim=fail header.d=owner.test header.b=${B}IjKl`.replace('IjKl', VALUE.slice(8, 12)),
    ],
    ['two for one signature that nobody names', 'dkim=pass header.d=owner.test; dkim=fail header.d=owner.test'],
    ['none beside another of DKIM', `${dkim}; dkim=none`],
    ['unknown beside another of DKIM', `${dkim}; dkim=unknown`],
    ['one of DMARC that fails', `${dkim}; dmarc=fail header.from=owner.test`],
    ['one of DMARC that is not known', `${dkim}; dmarc=temperror header.from=owner.test`],
    ['one of DMARC about another domain', `${dkim}; dmarc=none header.from=evil.test`],
    ['one of DMARC that names no domain', 'dmarc=pass; spf=pass smtp.mailfrom=evil.test'],
  ])('prove nobody: %s', async (_what, results) => {
    await expectNobody({ above: [ar(`mx.test; ${results}`), OF_BORDER], headers: SIGNED });
    const apart = results.split('; ').map((one) => ar(`mx.test; ${one}`));
    await expectNobody({ above: [...apart, OF_BORDER], headers: SIGNED });
  });

  it('are fine where they are the same', async () => {
    const same = `mx.test; ${dkim}; dmarc=pass header.from=owner.test`;
    const identity = await identityOf({ above: [ar(same), ar(same), OF_BORDER], headers: SIGNED }, { border: BORDER });
    expect(identity).toMatchObject({ authenticated: true });
  });

  it('prove nobody where there are more headers than anybody writes', async () => {
    const many = Array.from({ length: 61 }, () => ar(`mx.test; ${dkim}`));
    await expectNobody({ above: [...many, OF_BORDER], headers: SIGNED });
  });
});

const PASS = 'dmarc=pass header.from=owner.test';
const named = (value: string) => ar(`mx.test; dkim=pass header.d=owner.test header.s=k1 header.b=${value}; ${PASS}`);
const OLD = { at: NOW - 365 * DAY_MS };

describe('C2: a signature that is spelled otherwise', () => {
  it.each([
    ['with a blank', 'A bCdEfGh', `"A bCdEfGh"`],
    ['with a tab', 'AbCd\tEfGh', `"AbCd EfGh"`],
    ['folded', 'AbCdEf\r\n Gh', `"AbCdEf G"`],
    ['as it is', 'AbCdEfGh', 'AbCdEfGh'],
    ['by a border that prints another part of it', 'AbCdEfGh', 'XxXxXxXx'],
    ['by a border that prints none', 'AbCdEfGh', '""'],
  ])('is asked for its age: %s', async (_what, start, printed) => {
    const spelled = (at: number) => signature({ value: start + VALUE.slice(8), at });
    const above = [named(printed), OF_BORDER];
    const fresh = await identityOf({ above, headers: [spelled(NOW - 1000)] }, { border: BORDER });
    expect(fresh).toMatchObject({ authenticated: true, covers: expect.arrayContaining(['from', 'to', 'date']) });
    expect(fresh.signatures).toHaveLength(1);
    expect(await expectNobody({ above, headers: [spelled(OLD.at)] })).toContain('the signature is of 2025-11-28');
  });

  it.each([
    ['signs that are no base64', 'A.bCdEfGh'],
    ['a sign of another base64', 'A-bCdEfGh'],
    ['padding in the middle', 'AbCd=EfGh'],
  ])('is no signature with %s: its hash would be another each time', async (_what, start) => {
    for (const printed of [`"${start}"`, B, '""']) {
      await expectNobody({
        above: [named(printed), OF_BORDER],
        headers: [signature({ value: start + VALUE.slice(8) })],
      });
    }
  });

  it('does not have the body read as something else', async () => {
    const headers = [signature({ covers: 'from:to:subject:date:message-id', value: `A ${VALUE.slice(1)}` })];
    const mail = { above: [named('"A bCdEfG"'), OF_BORDER], headers };
    expect(await identityOf(mail, { border: BORDER })).toMatchObject({ authenticated: true });
    await expectNobody({ ...mail, type: 'multipart/mixed; boundary=EVIL', body: 'Hi\r\n--EVIL\r\n\r\nx\r\n--EVIL--' });
  });

  it('is asked for what another one does not cover, where the named one is not found', async () => {
    const poor = signature({ covers: 'from:date', selector: 'k2', value: 'QqQqQqQqQqQq' });
    const identity = await identityOf(
      { above: [named('XxXxXxXx'), OF_BORDER], headers: [signature(), poor] },
      { border: BORDER },
    );
    // Our own check tells which of them holds.
    expect(identity.covers).toEqual(expect.arrayContaining(['date', 'from', 'to']));
    expect(identity.signatures).toHaveLength(2);
  });

  it('is not in the place of one that failed, or that claims more than the one that passed', async () => {
    const claims = signature({ value: `${B}ClaimsMuchMore0000` });
    // The eight signs that a border prints are no secret.
    await expectNobody({ above: [named(B), OF_BORDER], headers: [signature(OLD), claims] });
    const told = `mx.test; dkim=fail header.d=owner.test header.s=k9 header.b=ZzZzZzZz; dkim=pass header.d=owner.test header.s=k1 header.b=XxXxXxXx; ${PASS}`;
    await expectNobody({
      above: [ar(told), OF_BORDER],
      headers: [signature({ selector: 'k9', value: 'ZzZzZzZz0000' })],
    });
  });

  it('is not proven by one that only some verifiers read', async () => {
    for (const more of [' d=owner.test;', ' D=evil.test;', ' nonsense;', ' x=\u201c;']) {
      await expectNobody({ above: [named(B), OF_BORDER], headers: [signature({ more })] });
    }
    const hidden = signature({ ...OLD, more: ' h=from;', domain: 'owner.test' });
    await expectNobody({ above: [named(B), OF_BORDER], headers: [hidden, signature({ value: `${B}Fresh000` })] });
  });
});

describe('M3: SPF of a host below or above the domain', () => {
  const bySpf = (mailFrom: string, rest: string) => ar(`mx.test; spf=pass smtp.mailfrom=${mailFrom}; ${rest}`);

  it('does not stand for the mail beside a signature of long ago, or of another recipient', async () => {
    for (const mailFrom of ['x@customer7.owner.test', 'customer7.owner.test']) {
      const rest = `dkim=pass header.d=owner.test header.s=k1 header.b=${B}; ${PASS}`;
      await expectNobody({ above: [bySpf(mailFrom, rest), OF_BORDER], headers: [signature(OLD)] });
      const fresh = await identityOf(
        { above: [bySpf(mailFrom, rest), OF_BORDER], headers: SIGNED },
        { border: BORDER },
      );
      // Intake asks what is covered: who it is written to.
      expect(fresh).toMatchObject({ authenticated: true, covers: expect.arrayContaining(['to']) });
    }
  });

  it.each([
    ['with DMARC, which aligns it', PASS],
    ['with DMARC, which aligns it, and no signature', `dkim=none; ${PASS}`],
    ['without a DMARC record', 'dmarc=none header.from=owner.test'],
    ['where nobody asked for one', 'dkim=none'],
  ])('proves nobody alone: %s', async (_what, rest) => {
    const detail = await expectNobody({ above: [bySpf('x@customer7.owner.test', rest), OF_BORDER] });
    expect(detail).toContain('owner.test itself');
    await expectNobody({ above: [bySpf('x@test', rest), OF_BORDER] });
    // A signature that nobody saw pass covers nothing.
    await expectNobody({ above: [bySpf('x@customer7.owner.test', rest), OF_BORDER], headers: SIGNED });
    const exact = await identityOf({ above: [bySpf('x@OWNER.test', rest), OF_OWNER] }, { border: BORDER });
    expect(exact).toMatchObject({ authenticated: true, covers: null });
  });

  it('a signature below the domain proves it with DMARC, which aligns it, and not without', async () => {
    const below = 'dkim=pass header.d=mail.owner.test header.s=k1';
    const headers = [signature({ domain: 'mail.owner.test' })];
    const mail = (rest: string) => ({ above: [ar(`mx.test; ${below}; ${rest}`), OF_BORDER], headers });
    expect(await identityOf(mail(PASS), { border: BORDER })).toMatchObject({ authenticated: true });
    await expectNobody(mail('dmarc=none header.from=owner.test'));
    await expectNobody(mail('spf=none smtp.mailfrom=evil.test'));
    const byIdentity = ar('mx.test; dkim=pass header.i=@mail.owner.test');
    await expectNobody({ above: [byIdentity, OF_BORDER], headers });
  });
});

describe('a border without a name', () => {
  const says =
    'spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=owner.test; dkim=none (message not signed) header.d=none;dmarc=pass action=none header.from=owner.test;compauth=pass reason=100';
  const nobody =
    'spf=fail (sender IP is 192.0.2.66) smtp.mailfrom=evil.test; dkim=none (message not signed) header.d=none;dmarc=fail action=oreject header.from=owner.test;compauth=fail reason=000';
  const EDGE = received('FT012.mail.protection.outlook.com (10.152.1.1)');
  const HOP = received(
    'DB7PR08MB3865.eurprd08.prod.outlook.com (2603:10a6::25)',
    'FT012.eop.prod.protection.outlook.com (2603::d8)',
  );
  const behind = { border: UNNAMED, trusted: ['*.prod.outlook.com'] };

  it('is believed by its topmost header alone, above the line of the server that took the mail', async () => {
    expect(await identityOf({ above: [HOP, ar(says), EDGE] }, behind)).toMatchObject({ authenticated: true });
    await expectNobody({ above: [HOP, ar(nobody), EDGE], headers: [ar(says)] }, behind);
    await expectNobody({ above: [HOP, ar(nobody), ar(says), EDGE] }, behind);
    await expectNobody({ above: [HOP, EDGE], headers: [ar(says)] }, behind);
    await expectNobody({ above: [HOP, EDGE, HOP, ar(says)] }, behind);
    await expectNobody({ above: [HOP, ar(says), EDGE] }, { border: UNNAMED });
  });

  it('has no name: one that is named does not stand in its place', async () => {
    expect(await expectNobody({ above: [HOP, ar(`mx.test; ${says}`), EDGE] }, behind)).toContain(UNNAMED);
    const above = [HOP, ar('antispam.test; dmarc=fail header.from=owner.test'), ar(says), EDGE];
    expect(await identityOf({ above }, behind)).toMatchObject({ authenticated: true });
  });

  it.each(['dkim=none', '', 'a b', 'a;b', '(x)'])('a name that cannot be one proves nobody: "%s"', async (border) => {
    const detail = await expectNobody({ above: [ar(`${border} (x) header.d=none; ${says}`)] }, { border });
    expect(detail).toContain('is no name of a border');
  });
});

describe('M7: a border that writes below its own line', () => {
  it('does not have the next line read as one of a server behind it', async () => {
    const forged = ar(`mx.test; spf=pass smtp.mailfrom=owner.test; ${PASS}`);
    const hop = received('imap.mx.test', 'mx.test (mx.test [192.0.2.5])');
    const behind = { border: BORDER, trusted: ['mx.test', 'imap.mx.test'] };
    const above = [hop, OF_OWNER];
    expect(await identityOf({ above: [...above, forged] }, behind)).toMatchObject({ authenticated: true });
    await expectNobody({ above: [...above, hop, forged] }, behind);
    await expectNobody({ above: [hop, OF_BORDER, forged] }, behind);
  });
});
