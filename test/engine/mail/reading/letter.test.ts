import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLetter } from '../../../../engine/mail/reading/parse.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { computedMs } from '../../../computed.ts';
import { cases } from '../../../corpus/cases.ts';
import { LIMITS } from '../limits.ts';

const mailOf = (body: string, headers: readonly string[] = ['Content-Type: text/plain; charset=utf-8']): Buffer =>
  Buffer.from(
    ['From: Mia <mia@member.example>', 'To: ada@agents.localhost', 'Subject: Figures', ...headers, '', body].join(
      '\r\n',
    ),
  );
const read = (raw: Buffer) => readLetter(raw, LIMITS);

describe('a letter that is read at once', () => {
  const letters = cases.filter(({ raw }) => read(Buffer.from(raw)) !== null);

  it('is many a mail of the corpus', () => {
    expect(letters.length).toBeGreaterThan(120);
  });

  it.each(letters)('is what the full reader makes of it: $name', async ({ raw }) => {
    expect(await readMail(Buffer.from(raw), LIMITS)).toEqual({ ok: true, mail: read(Buffer.from(raw)) });
  });

  it('is that however it was damaged, or it is left to the full reader', async () => {
    const small = letters.filter(({ raw }) => raw.length < 3000);
    const change = fc.tuple(fc.nat({ max: 1500 }), fc.constantFrom(0, 9, 10, 13, 32, 45, 58, 61, 62, 0x80, 0xc3, 0xff));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: small.length - 1 }),
        fc.array(change, { maxLength: 6 }),
        async (which, changes) => {
          const raw = Buffer.from(small[which]?.raw ?? '');
          for (const [at, byte] of changes) if (at < raw.length) raw[at] = byte;
          const mail = read(raw);
          if (mail !== null) expect(await readMail(raw, LIMITS)).toEqual({ ok: true, mail });
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['in lines that flow', 'Grüße aus Köln \r\nan alle\r\n> gefragt \r\n> davor\r\n', '8bit'],
    ['in quoted-printable', 'Gr=C3=BC=C3=9Fe aus=\r\n K=C3=B6ln=20\r\nan alle\r\n', 'quoted-printable'],
  ])('may be written %s', async (_how, body, encoding) => {
    const type = 'Content-Type: text/plain; charset="utf-8";\r\n format=flowed; delsp=no';
    const raw = mailOf(body, [type, `Content-Transfer-Encoding: ${encoding}`]);
    expect(read(raw)?.newText).toContain('Grüße aus Köln an alle');
    expect(await readMail(raw, LIMITS)).toEqual({ ok: true, mail: read(raw) });
  });
});

describe('a mail that is left to a thread of its own', () => {
  const words = 'Which regions fell behind?\r\n';
  it.each([
    ['with markup', mailOf('<p>Hello</p>', ['Content-Type: text/html'])],
    ['with parts', mailOf('--x\r\n\r\nHello\r\n--x--\r\n', ['Content-Type: multipart/mixed; boundary=x'])],
    ['in another charset', mailOf(words, ['Content-Type: text/plain; charset=utf-7'])],
    ['with letters and no charset', mailOf('Grüße', [])],
    ['in base64', mailOf('SGVsbG8=', ['Content-Transfer-Encoding: base64'])],
    ['called a file', mailOf(words, ['Content-Disposition: attachment; filename=x.txt'])],
    ['with two types', mailOf(words, ['Content-Type: text/plain', 'Content-Type: text/html'])],
    ['that is long', mailOf('x'.repeat(16 * 1024))],
    ['of many lines', mailOf('x\r\n'.repeat(400))],
    ['with a control character', mailOf('one\u0007two')],
    ['with a byte order mark', mailOf('\ufeffHello', [])],
    ['that is no mail', Buffer.from('no header at all')],
  ])('is one %s', (_what, raw) => {
    expect(read(raw)).toBeNull();
  });
});

describe('the worst that fits into a letter', () => {
  const fill = (piece: string, lines = 390) =>
    `${piece}\r\n`.repeat(Math.min(lines, Math.floor(15_000 / (piece.length + 2))));
  const header = (line: string) =>
    [...Array(Math.floor(15_000 / (line.length + 2)))].slice(0, 380).map((_, n) => `X-${n}: ${line}`);
  it.each([
    ['copied headers', mailOf(fill('from: a'))],
    ['copied headers in turn', mailOf(fill('from: a\r\nsent: b\r\nx', 130))],
    ['attributions', mailOf(fill('On 1.1.2020 at 10:00 a@b.c wrote:'))],
    ['attributions over one long line', mailOf(`${'On 10:00 a@b '.repeat(30)}\r\n`.repeat(38))],
    ['quotes that end', mailOf(fill('> a\r\n\r\nb', 130))],
    ['one long line', mailOf(`${'> '.repeat(7500)}:`)],
    ['tokens', mailOf(fill(`+ok-${'a'.repeat(33)}`))],
    ['escapes', mailOf('=3D'.repeat(5000), ['Content-Transfer-Encoding: quoted-printable'])],
    ['marks nobody sees', mailOf('a\u200d\u200c\ufe00'.repeat(1500))],
    ['headers', mailOf('x', header('a'.repeat(20)))],
    ['a line of addresses', mailOf('x', [`Cc: ${'"a" <b@c.d>, ('.repeat(1000)}`])],
    ['open brackets', mailOf('x', [`Cc: ${'('.repeat(15_000)}`])],
    ['words of a subject', mailOf('x', [`Comments: ${'=?utf-8?q?=41?= '.repeat(900)}`])],
    ['parameters', mailOf('x', [`Content-Type: text/plain${'; charset=utf-8'.repeat(900)}`])],
    ['references', mailOf('x', [`References: ${'<a@b> '.repeat(2400)}`])],
  ])('takes a moment: %s', (_what, raw) => {
    expect(raw.length).toBeLessThan(16 * 1024);
    const times = [1, 2, 3, 4, 5].map(() => {
      const began = computedMs();
      read(raw);
      return computedMs() - began;
    });
    expect(Math.min(...times)).toBeLessThan(15);
  });
});
