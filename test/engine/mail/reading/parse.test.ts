import { afterEach, describe, expect, it } from 'vitest';
import {
  createMailParser,
  type MailParserOptions,
  type MailParserPool,
} from '../../../../engine/mail/reading/parse.ts';
import { part, rawMail } from '../../../corpus/build.ts';
import { LIMITS } from '../limits.ts';

const open: MailParserPool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((parser) => parser.close()));
});
const parserWith = (options: Partial<MailParserOptions> = {}) => {
  const parser = createMailParser({ limits: LIMITS, ...options });
  open.push(parser);
  return parser;
};
const unreliable = { entry: new URL('../unreliable-worker.ts', import.meta.url) };
/** In a form that no thread is spared. */
const mailNamed = (subject: string) =>
  rawMail('x', {
    headers: [
      ['Subject', subject],
      ['Content-Type', 'text/html'],
    ],
  });

describe('a parser with one thread', () => {
  it('answers every mail of a burst with its own content', async () => {
    const parser = parserWith();
    const subjects = Array.from({ length: 200 }, (_, n) => `mail ${n}`);
    const outcomes = await Promise.all(subjects.map((subject) => parser.parse(mailNamed(subject))));
    expect(outcomes.map((outcome) => outcome.ok && outcome.mail.subject)).toEqual(subjects);
  });

  it('leaves the caller its bytes, also where they are a view into more', async () => {
    const mail = mailNamed('view');
    const pool = Buffer.concat([Buffer.from('noise'), mail, Buffer.from('noise')]);
    const view = pool.subarray(5, 5 + mail.length);
    const outcome = await parserWith().parse(view);
    expect(outcome).toMatchObject({ ok: true, mail: { subject: 'view', rawBytes: mail.length } });
    expect(view.equals(mail)).toBe(true);
  });

  it('gives attachments back whole, small and large', async () => {
    const large = Buffer.alloc(300_000, 'abc');
    const file = (name: string, content: Buffer) =>
      part(
        'application/octet-stream',
        content.toString('base64'),
        'Content-Transfer-Encoding: base64',
        `Content-Disposition: attachment; filename=${name}`,
      );
    const raw = rawMail('files', {
      headers: [['Content-Type', 'multipart/mixed; boundary=b']],
      body: `--b\n${file('s', Buffer.from([1, 2, 3]))}--b\n${file('l', large)}--b--\n`,
    });
    const outcome = await parserWith().parse(raw);
    const contents = outcome.ok ? outcome.mail.attachments.map(({ content }) => Buffer.from(content)) : [];
    expect(contents).toEqual([Buffer.from([1, 2, 3]), large]);
  });

  it('keeps out the content of a file that is too large, and says so', async () => {
    const raw = rawMail('file', {
      headers: [['Content-Type', 'application/pdf; name=big.pdf']],
      body: 'x'.repeat(2000),
    });
    const outcome = await parserWith({ limits: { ...LIMITS, max_attachment_bytes: 1000 } }).parse(raw);
    expect(outcome).toMatchObject({
      ok: true,
      mail: {
        attachments: [
          { name: 'big.pdf', bytes: 2000, content: new Uint8Array(), unreadable: 'larger than 1000 bytes' },
        ],
      },
    });
  });
});

describe('a mail that hangs the thread', () => {
  it('fails alone when it hangs the plain reader too; the others are read by a new thread', async () => {
    const parser = parserWith({ ...unreliable, deadlineMs: 150 });
    const [before, bad, after] = await Promise.all(
      ['before', 'hang always', 'after'].map((name) => parser.parse(mailNamed(name))),
    );
    expect(bad).toMatchObject({ ok: false, code: 'unparsable', message: expect.stringContaining('150 ms') });
    expect([before, after]).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await parser.parse(mailNamed('later'))).toMatchObject({ ok: true, mail: { subject: 'later' } });
  });

  it('is read plainly when only the full reader hangs, and says what is missing', async () => {
    const outcome = await parserWith({ ...unreliable, deadlineMs: 150 }).parse(mailNamed('hang once'));
    expect(outcome).toMatchObject({ ok: true, mail: { newText: 'Hello', subject: 'hang once' } });
    expect(outcome.ok && outcome.mail.limitations.join()).toContain('too complex');
  });
});

describe('a mail that eats the memory of the thread', () => {
  it('takes no other mail and not the process with it', async () => {
    const parser = parserWith({ ...unreliable, heapMb: 32 });
    const [bad, good] = await Promise.all([parser.parse(mailNamed('eat memory')), parser.parse(mailNamed('good'))]);
    expect(good).toMatchObject({ ok: true, mail: { subject: 'good' } });
    expect(bad).toMatchObject({ ok: true, mail: { subject: 'eat memory' } });
  });
});

describe('a parser that cannot work', () => {
  it('says unavailable, so that no mail is blamed for it', async () => {
    const parser = parserWith({ entry: new URL('./no-such-worker.ts', import.meta.url) });
    await expect(parser.parse(mailNamed('x'))).rejects.toMatchObject({ code: 'unavailable', retry: { afterMs: 5000 } });
  });

  it('rejects what it was reading when it is closed, and what comes later', async () => {
    const parser = parserWith();
    const reading = expect(parser.parse(mailNamed('x'))).rejects.toMatchObject({ code: 'cancelled' });
    await parser.close();
    await reading;
    await expect(parser.parse(mailNamed('y'))).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('several threads', () => {
  it('share the work', async () => {
    const parser = parserWith({ ...unreliable, workers: 2, deadlineMs: 400 });
    const hanging = parser.parse(mailNamed('hang always'));
    expect(await parser.parse(mailNamed('quick'))).toMatchObject({ ok: true, mail: { subject: 'quick' } });
    expect(await hanging).toMatchObject({ ok: false });
  });
});

describe('M1: slow mails of one stranger', () => {
  it('do not keep the mail of somebody else waiting', async () => {
    const parser = parserWith({ ...unreliable, deadlineMs: 300 });
    const stranger = { peer: { key: 'stranger', first: false } };
    const ended: string[] = [];
    const read = (name: string, from: Parameters<MailParserPool['parse']>[1]) =>
      parser.parse(mailNamed(name), from).finally(() => ended.push(name));
    const slow = ['hang always 1', 'hang always 2', 'hang always 3', 'hang always 4'].map((name) =>
      read(name, stranger),
    );
    const over = Promise.allSettled(slow);
    await read('of the owner', { peer: { key: 'owner', first: false } });
    expect(ended).toEqual(['of the owner']);
    // Each would take its whole time twice.
    await parser.close();
    await over;
  });

  it('leave their plain reading without styles, which may be what was slow, and call none of it visible', async () => {
    const parser = parserWith({ ...unreliable, deadlineMs: 300 });
    const headers: [string, string][] = [
      ['Subject', 'hang once'],
      ['Content-Type', 'text/html'],
    ];
    const outcome = await parser.parse(rawMail('x', { headers, body: '<p style="display:none">Secret</p><p>Hello' }));
    const text = '[may be hidden: Secret]\n\n[may be hidden: Hello]';
    expect(outcome).toMatchObject({ ok: true, mail: { subject: 'hang once', text } });
    expect(outcome.ok && outcome.mail.limitations.join()).toContain('too complex');
  });
});

describe('H2: a mail made to be large in memory', () => {
  const mb = 1024 * 1024;
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  it.each([
    ['short lines', 'text/plain', '8bit', () => 'a \r\n'.repeat(5 * mb)],
    ['line breaks in base64', 'text/plain', 'base64', () => base64(Buffer.alloc(15 * mb, '\n'))],
    ['escapes in quoted-printable', 'text/plain', 'quoted-printable', () => '=41'.repeat(7 * mb)],
    ['escapes in a file', 'text/plain; name=a.txt', 'quoted-printable', () => '=41'.repeat(7 * mb)],
    ['flowed lines', 'text/plain; format=flowed', '8bit', () => 'a \r\n'.repeat(5 * mb)],
    [
      'many texts',
      'multipart/mixed; boundary=b',
      '8bit',
      () => `--b\r\n\r\n${'lorem ipsum\r\n'.repeat(9000)}\r\n`.repeat(190),
    ],
    ['line breaks of HTML', 'text/html', '8bit', () => '\r\n'.repeat(10 * mb)],
  ])('is read from its beginning: %s', async (_what, type, encoding, make) => {
    const parser = parserWith({ deadlineMs: 20_000 });
    const headers: [string, string][] = [
      ['Content-Type', type],
      ['Content-Transfer-Encoding', encoding],
    ];
    const outcome = await parser.parse(rawMail('x', { headers, body: Buffer.from(make()) }));
    expect(outcome).toMatchObject({ ok: true, mail: { subject: 'A question' } });
    expect(outcome.ok && outcome.mail.limitations.join()).not.toContain('too complex');
  });
});

describe('a mail whose bytes are many and say little', () => {
  const address = 'From: a@b.test\r\nTo: c@d.test\r\n';

  it('is read within the memory of a thread when it is millions of short lines', async () => {
    const raw = Buffer.from(`${address}Subject: x\r\n\r\n${'a\r\n'.repeat(8_000_001)}`, 'latin1');
    const outcome = await parserWith({ deadlineMs: 60_000, heapMb: 96 }).parse(raw);
    expect(outcome.ok && outcome.mail.limitations.join()).not.toMatch(/too complex/);
    expect(outcome).toMatchObject({ ok: true, mail: { provable: { transferEncoding: true } } });
  });

  it('has no sender when one line of its header is that long', async () => {
    const field = `Content-Type: text/plain; ${'a=b; '.repeat(5_000_000)}`;
    const raw = Buffer.from(`${address}${field}\r\nSubject: x\r\n\r\nHello`, 'latin1');
    const outcome = await parserWith({ deadlineMs: 60_000 }).parse(raw);
    expect(outcome).toMatchObject({ ok: true, mail: { from: { kind: 'ambiguous' }, text: 'Hello', subject: '' } });
  });
});
