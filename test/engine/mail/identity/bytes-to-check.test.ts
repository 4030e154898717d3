import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth';
import { describe, expect, it } from 'vitest';
import { bytesToCheck } from '../../../../engine/mail/identity/sender-check.ts';
import { readHeaders } from '../../../../engine/mail/mime/headers.ts';

const signature = (tags: string) => `DKIM-Signature: v=1; a=rsa-sha256; d=x.test; s=k; bh=x; b=x; ${tags}\r\n`;
const SIMPLE = signature('h=from; c=simple/simple');
const RELAXED = signature('h=from; c=relaxed/relaxed');
const mail = (headers: string, body = 'Hello\r\n') => Buffer.from(`${headers}From: a@x.test\r\n\r\n${body}`, 'latin1');

/** RFC 6376 section 3.4.3 and 3.4.4, written down once more. */
function bodyHash(body: Buffer, relaxed: boolean): string {
  const lines = body
    .toString('latin1')
    .replace(/(?<!\r)\n/g, '\r\n')
    .split('\r\n')
    .map((line) => (relaxed ? line.replace(/[ \t]+/g, ' ').replace(/ $/, '') : line));
  while (lines.at(-1) === '') lines.pop();
  const text = lines.length > 0 ? `${lines.join('\r\n')}\r\n` : relaxed ? '' : '\r\n';
  return createHash('sha256').update(text, 'latin1').digest('base64');
}

async function hashedByVerifier(bytes: Buffer): Promise<string[]> {
  const noKey = async () => {
    throw Object.assign(new Error('no key'), { code: 'ENOTFOUND' });
  };
  const { results } = await dkimVerify(bytes, { resolver: noKey });
  return results.map(({ bodyHash: hash }) => hash ?? 'none');
}

describe('C1: the bytes that the verifier gets', () => {
  const breaks = fc.constantFrom('\r\n', '\n', '\r\n', '\n\n', '\r\r\n', '\r', '\r\n\r\n');
  const lines = fc.constantFrom(
    'Subject: hi',
    'X-A:',
    ' folded',
    '\t',
    ' ',
    '',
    '--b',
    '--b--',
    'no header',
    'Content-Type: multipart/mixed; boundary=b',
    'From: b@y.test',
    'Hello  there ',
    '.',
    'caf\u00e9\u0000',
  );
  const texts = fc.array(
    fc.tuple(lines, breaks).map(([line, end]) => line + end),
    { maxLength: 12 },
  );

  it('are split where our reader splits the mail, whatever it looks like', async () => {
    let checked = 0;
    const property = fc.asyncProperty(texts, texts, async (before, after) => {
      const head = `${SIMPLE}${RELAXED}From: a@x.test\r\n`;
      const raw = Buffer.from(`${head}${before.join('')}${after.join('')}`, 'latin1');
      const given = bytesToCheck(raw);
      if (!given.ok) return;
      checked += 1;
      const body = raw.subarray(readHeaders(raw).bodyStart);
      expect(await hashedByVerifier(given.bytes)).toEqual([bodyHash(body, false), bodyHash(body, true)]);
    });
    await fc.assert(property, { numRuns: 1500 });
    expect(checked).toBeGreaterThan(300);
  });

  it('are split so for a signed mail of which single bytes were changed, too', async () => {
    const original = mail(
      `${SIMPLE}${RELAXED}X: y\r\nSubject: hi\r\n there\r\n`,
      'Hello\r\n\r\n--b\r\nX: y\r\n\r\nbye\r\n\r\n',
    );
    const start = SIMPLE.length + RELAXED.length + 'X: y\r\n'.length;
    const change = fc.tuple(
      fc.integer({ min: start, max: original.length }),
      fc.integer({ min: 0, max: 2 }),
      fc.constantFrom('', '\r', '\n', '\r\n', ' ', '-', ':', '\0', '--'),
    );
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const raw = changes.reduce(
        (bytes, [at, gone, put]) =>
          Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(Math.min(bytes.length, at + gone))]),
        original,
      );
      const given = bytesToCheck(raw);
      if (!given.ok) return;
      const body = raw.subarray(readHeaders(raw).bodyStart);
      expect(await hashedByVerifier(given.bytes)).toEqual([bodyHash(body, false), bodyHash(body, true)]);
    });
    await fc.assert(property, { numRuns: 1500 });
  });

  it('hold an ordinary mail unchanged, and none of its body without a signature', () => {
    const raw = mail(RELAXED);
    expect(bytesToCheck(raw)).toEqual({ ok: true, bytes: raw });
    expect(bytesToCheck(mail(''))).toEqual({ ok: true, bytes: Buffer.from('From: a@x.test\r\n\r\n') });
  });

  it('are none where a line of the header is read by some as a header and by others not', () => {
    const verdict = (line: string) => bytesToCheck(mail(`${RELAXED}${line}`)).ok;
    expect([verdict('From\r\n : b@y.test\r\n'), verdict('what is this\r\n'), verdict('\u00a0X: y\r\n')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(verdict('Subject: hi\r\n \r\n\tthere\r\n')).toBe(true);
  });
});

describe('H2: caps before the verifier sees a mail', () => {
  const refusal = (raw: Buffer) => {
    const given = bytesToCheck(raw);
    return given.ok ? 'checked' : given.detail;
  };
  const arc = (n: number) => `ARC-Seal: i=${n}; a=rsa-sha256; cv=none; d=x.test; s=k; b=x\r\n`;
  const repeated = (count: number, write: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => write(n)).join('');

  it.each([
    ['256 KiB of header', `X: ${'a'.repeat(256 * 1024)}\r\n`, 'its header is larger than 256 KiB'],
    ['2 MB of header', `X: a\r\n`.repeat(350_000), 'its header is larger than 256 KiB'],
    ['one field of 65 KiB', `Received: ${'(a'.repeat(33 * 1024)}\r\n`, 'its received is larger than 64 KiB'],
    ['folds after a line of two dashes', `X: a\r\n${' \r\n'.repeat(5000)}`, 'its header has more than 1000 lines'],
    ['more than 10 signatures', RELAXED.repeat(11), 'it has more than 10 DKIM signatures'],
    ['more than 10 ARC sets', repeated(11, arc), 'it has more than 10 ARC sets'],
    ['25,000 names', signature(`h=${'x:'.repeat(25_000)}`), 'a signature of it names more than 100 headers'],
    [
      'many names in the first of two lists',
      signature(`h=${'x:'.repeat(200)}; h=from`),
      'a signature of it names more than 100 headers',
    ],
    [
      'many names in an ARC signature',
      `ARC-Message-Signature: i=1; a=rsa-sha256; d=x.test; s=k; h=${'x:'.repeat(200)}; bh=x; b=x\r\n`,
      'a signature of it names more than 100 headers',
    ],
  ])('refuse %s, and say so', (_what, headers, detail) => {
    expect(refusal(mail(headers))).toBe(`not checked: ${detail}`);
  });

  it('let an honest mail at the limits through', () => {
    const names = Array.from({ length: 99 }, (_, n) => `x-${n}`).join(':');
    const honest = `${repeated(10, arc)}${signature(`h=from:${names}`).repeat(10)}${'X: a\r\n'.repeat(900)}`;
    expect(refusal(mail(honest))).toBe('checked');
  });

  it('drop signatures over a part of the body, however that is written, and keep the others', async () => {
    const partial = ['l=1', 'L=1', 'l =1', 'l=', 'l=x', '\r\n\tl\r\n =1', '\u00c2\u00a0l=1'].map((tag) =>
      signature(`h=from; ${tag}`),
    );
    const given = bytesToCheck(mail(`${partial.join('')}${RELAXED}`));
    expect(given.ok && given.bytes.toString('latin1')).toBe(mail(RELAXED).toString('latin1'));
    const thousand = bytesToCheck(mail(repeated(999, (n) => signature(`h=from; l=${n}`))));
    expect(thousand.ok && thousand.bytes.toString('latin1')).toBe('From: a@x.test\r\n\r\n');
  });
});
