import { describe, expect, it } from 'vitest';
import { byBorder } from '../../../engine/mail/identity/border/by-border.ts';
import { bySignature } from '../../../engine/mail/identity/judge-sender.ts';
import { provenPart } from '../../../engine/mail/identity/proven-part.ts';
import type { Identity } from '../../../engine/mail/mime/types.ts';
import { parsed } from './fixtures.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const read = (lines: readonly string[], body = 'Hello') => parsed(Buffer.from([...lines, '', body, ''].join('\r\n')));
const FROM = 'From: owner@example.org';

describe('a header that proves nobody', () => {
  it.each([
    'From',
    'Sender',
    'To',
    'Cc',
    'Subject',
    'Date',
    'Message-ID',
    'Reply-To',
    'In-Reply-To',
    'References',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
  ])('H1: has %s twice', async (name) => {
    const { provable } = await read([FROM, `${name}: a@example.org`, `${name.toUpperCase()}: b@example.org`]);
    expect(provable.fault).toContain(`${name.toLowerCase()} stands in the header twice`);
  });

  it.each([
    ['a delimiter', '--x'],
    ['a line without a colon', 'hello'],
    ['a name with a blank', 'X Pad: a'],
    ['a bare CR', 'X-Pad: a\rFrom: b'],
    ['a NUL', 'X-Pad: a\0'],
    ['a fold that is none', '\u3000b'],
    ['a mailbox line', '>From a@example.org Mon Mar 2 10:00:00 2026'],
  ])('C1: has %s in it', async (_what, line) => {
    expect((await read([FROM, line, 'Subject: x'])).provable.fault).not.toBeNull();
  });

  it('has more fields than are kept', async () => {
    const many = Array.from({ length: 500 }, (_, n) => `X-${n}: a`);
    expect((await read([FROM, ...many])).provable.fault).toContain('more than 500 fields');
    expect((await read([FROM, ...many.slice(1)])).provable.fault).toBeNull();
  });

  it('is not one with long folds, many Received lines and blanks before a colon', async () => {
    const usual = [FROM, 'Received: a', 'Received: b', 'References: <a@b>\r\n <c@d>\r\n\t<e@f>', 'X-A : b', 'Subject:'];
    expect((await read(usual)).provable.fault).toBeNull();
  });
});

describe('a body and the Content-Type above it', () => {
  const type = async (header: string | null, body: string, encoding?: string) => {
    const lines = [FROM, ...(header ? [`Content-Type: ${header}`] : [])];
    const { provable } = await read(encoding ? [...lines, `Content-Transfer-Encoding: ${encoding}`] : lines, body);
    return provable;
  };
  const PARTS = '--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b--';

  it.each([
    ['plain text', null, 'Hello --\r\n-- \r\nMe\r\n----\r\nRow'],
    ['plain text that is said to be', 'text/plain; charset=utf-8', 'Hello <b>'],
    ['an address in angles', 'text/plain', '<https://example.org> is it'],
    ['parts', 'multipart/mixed; boundary=b', PARTS],
    ['parts after a blank line', 'multipart/alternative; boundary="b"', `\r\n${PARTS}`],
    ['markup', 'text/html; charset=utf-8', '<div>Hello</div>'],
    ['joined lines that keep one of two blanks', 'text/plain; format=flowed; delsp=yes', 'goes on  \r\nand ends'],
    ['joined lines', 'text/plain; format=flowed', 'Hello \r\nyou\r\n\r\n> a \r\n> b\r\n\r\nYes'],
  ])('H1.1: could mean nothing else: %s', async (_what, header, body) => {
    expect(await type(header, body)).toMatchObject({ contentType: true });
  });

  it.each([
    ['parts whose boundary comes later', 'multipart/mixed; boundary=b', `Hello\r\n${PARTS}`],
    ['parts with another boundary', 'multipart/mixed; boundary=c', PARTS],
    ['parts with a longer boundary', 'multipart/mixed; boundary=b', PARTS.replaceAll('--b', '--bc')],
    ['parts that are called text', 'text/plain', PARTS],
    ['parts that nobody names', null, `Hello\r\n${PARTS}`],
    ['parts that begin far below', 'text/plain', `${'Hello\r\n'.repeat(9)}${PARTS}`],
    ['parts of a report', 'multipart/report; boundary=b', PARTS],
    ['text that is called markup', 'text/html', 'Hello <style>'],
    ['markup that is called text', 'text/plain', ' <div>Hello'],
    ['markup that nobody names', null, '<!doctype html>'],
    ['a charset of shifts', 'text/plain; charset=utf-7', 'Hello'],
    ['another one', 'text/plain; charset=ISO-2022-JP', 'Hello'],
    ['a message', 'message/rfc822', 'Subject: a'],
  ])('H1.1: could mean something else: %s', async (_what, header, body) => {
    expect(await type(header, body)).toMatchObject({ contentType: false });
  });

  it.each([
    [null, 'Hello', true],
    ['7bit', 'Hello', true],
    ['quoted-printable', 'Hello', true],
    ['quoted-printable', `a =3D ${'long '.repeat(12)}=\r\nline, caf=C3=A9=20\r\n=46rom here\r\n=2E`, true],
    ['quoted-printable', '> a =3D b =E2=80=93 c\r\nGr=FC=DFe', true],
    ['quoted-printable', 'a =3D b=\r\nc', false],
    ['quoted-printable', 'Please set budget=3900 and limit=2500 in plan.txt.', false],
    ['quoted-printable', 'limit=3d and x=c3=bc', false],
    ['quoted-printable', 'id=40 and id=20 more', false],
    ['quoted-printable', 'key=E4711', false],
    ['quoted-printable', '> Shall I also send the contract to mallory@evil.test? =\r\nNo.', false],
    ['quoted-printable', `> ${'long '.repeat(14)}=\r\nNo.`, false],
    ['quoted-printable', 'The sum is =', false],
    ['quoted-printable', '> a=0A/list_files', false],
    ['quoted-printable', '> a=0d=0a/list_files', false],
    ['base64', `${'SGVs'.repeat(19)}\r\nSGVsbG8=\r\n`, true],
    ['base64', 'TWFsbG9yeQ==', false],
    ['base64', 'x'.repeat(63), false],
    ['base64', 'Yes please\r\n> SGVsbG8=', false],
    ['x-uuencode', 'begin 644 a', false],
  ])('H1.1: and the transfer encoding %s of "%s": %s', async (encoding, body, expected) => {
    expect(await type('text/plain', body, encoding ?? undefined)).toMatchObject({ transferEncoding: expected });
  });
});

describe('what the border says of a mail with signatures', () => {
  const signature = (domain: string, covers: string, more = '') =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=${domain}; s=k; t=${NOW / 1000}; h=${covers}; ${more} bh=x; b=QUJD`;
  const letter = { address: 'owner@example.org', date: NOW, arrivedAt: NOW, maxAgeMs: 7 * 24 * 3_600_000 };
  /** It writes a mail anew behind its check, so that nobody can check it where it lies. */
  const BORDER = 'mail.protonmail.ch';
  const judge = async (
    lines: readonly string[],
    said = 'dkim=pass header.d=example.org; dmarc=pass header.from=example.org',
  ) => {
    const stamp = `Authentication-Results: ${BORDER}; ${said}`;
    const { headers, provable } = await read([stamp, FROM, 'To: ada@agents.test', ...lines]);
    const border = { authservId: BORDER, trustedReceived: [] };
    return byBorder({ headers, mailFrom: null }, border, { ...letter, provable }).identity;
  };

  it('is worth what the signature covers, and no more', async () => {
    const identity = await judge([signature('example.org', 'from:to:subject'), 'Cc: eve@evil.test']);
    expect(identity).toMatchObject({ authenticated: true, covers: ['from', 'to'] });
  });

  it.each([
    ['in wide letters', '\uff45xample.org'],
    ['with a mark that is not seen', 'example\ufe0f.org'],
    ['with a joiner', 'e\u034fxample.org'],
  ])('is worth nothing where a name of it stands %s', async (_how, name) => {
    for (const said of [
      `spf=pass smtp.mailfrom=x@${name}; dmarc=pass header.from=${name}`,
      `spf=pass smtp.mailfrom=x@${name}`,
      `dkim=pass header.d=${name}`,
    ])
      expect(await judge([], said)).toMatchObject({ authenticated: false });
  });

  it.each(['From: The Owner <owner@example.org\x01>', 'From: The Owner\x7f <owner@example.org>', 'To: a@b.test\x02'])(
    'is worth nothing where a name in the header holds a control character: %j',
    async (line) => {
      const { provable } = await read([...(line.startsWith('From') ? [] : [FROM]), line]);
      expect(provable.fault).toBe('a header line holds a control character');
    },
  );

  it('is worth the whole mail where its own server handed it over', async () => {
    const bySpf = 'spf=pass smtp.mailfrom=x@example.org; dmarc=pass header.from=example.org';
    expect(await judge([signature('example.org', 'from')], bySpf)).toMatchObject({ covers: null });
  });

  it('is worth nothing where no signature is left: it may be in a place that the border alone looks at', async () => {
    expect(await judge(['Date: Mon, 02 Mar 2026 10:00:00 +0000', 'Subject: Hello'])).toMatchObject({
      authenticated: false,
    });
  });

  it('is worth the least of those that may be meant', async () => {
    const rich = signature('example.org', 'from:to:cc:reply-to');
    expect(await judge([rich, signature('example.org', 'from:to')])).toMatchObject({ covers: ['from', 'to'] });
    const alone = await judge([rich], 'dmarc=pass header.from=example.org');
    expect(alone).toMatchObject({ authenticated: false });
  });

  it.each([
    ['leaves out the end', signature('example.org', 'from:to', 'l=5;')],
    ['leaves out From', signature('example.org', 'to')],
    ['is old', signature('example.org', 'from:to').replace(/t=\d+/, `t=${NOW / 1000 - 8 * 86_400}`)],
    ['is of a time to come', signature('example.org', 'from:to').replace(/t=\d+/, `t=${NOW / 1000 + 16 * 60}`)],
    ['says no time', signature('example.org', 'from:to').replace(/t=\d+;/, '')],
  ])('is worth nothing where the signature %s', async (_what, line) => {
    expect(await judge([line])).toMatchObject({ authenticated: false });
  });

  it('is worth as much where the clock of its server is minutes ahead, or that of its writer hours', async () => {
    const ahead = signature('example.org', 'from:to').replace(/t=\d+/, `t=${NOW / 1000 + 14 * 60}`);
    expect(await judge([ahead])).toMatchObject({ authenticated: true });
    const { provable } = await read([FROM]);
    const proof = { method: 'dmarc', signatures: [], detail: '' } as const;
    const dated = (hours: number) =>
      bySignature(
        { covers: ['from', 'date', 'content-type'], signedAt: null },
        { ...letter, provable, date: NOW + hours * 3_600_000 },
        proof,
      ).authenticated;
    expect([dated(-100), dated(20), dated(30)]).toEqual([true, true, false]);
  });
});

describe('a proven mail', () => {
  const identity = (covers: readonly string[] | null, authenticated = true): Identity => ({
    address: 'owner@example.org',
    authenticated,
    method: 'dmarc',
    covers,
    signatures: [],
    detail: '',
    temporary: false,
  });
  const lines = [FROM, 'To: a@b.test', 'Cc: c@d.test', 'Reply-To: e@f.test', 'Subject: STOP', 'References: <g@h>'];

  it('H1: keeps what its proof covers, and says what was left out', async () => {
    const mail = await read(lines);
    const left = provenPart(mail, identity(['from', 'to']));
    expect(left).toMatchObject({ cc: [], replyTo: [], subject: '', references: [], inReplyTo: [] });
    expect(left.to).toHaveLength(1);
    expect(left.limitations.at(-1)).toContain('does not cover Cc, Reply-To, References, Subject;');
    expect(provenPart(mail, identity(null))).toBe(mail);
    expect(provenPart(mail, identity(['from'], false))).toBe(mail);
  });
});
