import { describe, expect, it } from 'vitest';
import {
  type ComposeInput,
  composeMail,
  referencesFor,
  replySubject,
} from '../../../../engine/mail/compose/compose.ts';
import { isReplySubject } from '../../../../engine/mail/text/subject.ts';
import { parsed } from '../fixtures.ts';

const input = (more: Partial<ComposeInput> = {}): ComposeInput => ({
  from: { name: 'Ada', address: 'ada@agents.localhost' },
  to: [{ name: 'Sender', address: 'sender@example.com' }],
  cc: [],
  replyTo: null,
  subject: 'Re: A question',
  messageId: '<answer@agents.localhost>',
  inReplyTo: '<question@example.com>',
  references: ['<question@example.com>'],
  date: Date.UTC(2026, 2, 2, 9),
  kind: 'reply',
  runId: 'run-1',
  autoSubmitted: 'auto-replied',
  recursion: null,
  text: 'Done.',
  signature: ['Ada'],
  quote: null,
  attachments: [],
  extraHeaders: {},
  ...more,
});
const compose = async (more: Partial<ComposeInput> = {}) => Buffer.from(await composeMail(input(more)));
const composed = async (more: Partial<ComposeInput> = {}) => parsed(await compose(more));
const headerOf = (mail: Awaited<ReturnType<typeof composed>>, name: string) =>
  mail.headers.filter((line) => line.name === name).map((line) => line.value);
/** The decoded HTML part. */
async function htmlOf(text: string): Promise<string> {
  const raw = (await compose({ text })).toString();
  const encoded = raw.slice(raw.indexOf('Content-Type: text/html'));
  return encoded.replace(/=\r\n/g, '').replace(/=3D/g, '=');
}

describe('a composed answer', () => {
  it('says what it is, who sent it and what it answers', async () => {
    const mail = await composed();
    expect(mail).toMatchObject({
      messageId: '<answer@agents.localhost>',
      inReplyTo: ['<question@example.com>'],
      // Itself last: a relay that gives it another id leaves this one.
      references: ['<question@example.com>', '<answer@agents.localhost>'],
      subject: 'Re: A question',
      date: Date.UTC(2026, 2, 2, 9),
      from: { kind: 'one', mailbox: { name: 'Ada', address: 'ada@agents.localhost' } },
      newText: 'Done.',
      signature: '--\nAda',
      limitations: [],
    });
    expect(headerOf(mail, 'auto-submitted')).toEqual(['auto-replied']);
    expect(headerOf(mail, 'x-auto-response-suppress')).toEqual(['All']);
    expect(headerOf(mail, 'x-epistle-kind')).toEqual(['reply']);
    expect(headerOf(mail, 'x-epistle-run')).toEqual(['run-1']);
    expect(headerOf(mail, 'bcc')).toEqual([]);
  });

  it('is the same bytes for the same input, attachments included', async () => {
    const attachments = [{ name: 'a.txt', type: 'text/plain', content: Buffer.from('hello') }];
    expect((await compose({ attachments })).equals(await compose({ attachments }))).toBe(true);
    expect(await composed({ attachments })).toMatchObject({
      attachments: [{ name: 'a.txt', content: new Uint8Array(Buffer.from('hello')) }],
    });
  });

  it('has CRLF line ends and no line over 998 bytes', async () => {
    const raw = await compose({
      text: 'ü'.repeat(5000),
      references: Array.from({ length: 80 }, (_, n) => `<${'r'.repeat(60)}${n}@example.com>`),
    });
    const lines = raw.toString('latin1').split('\r\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(998);
    expect(raw.toString('latin1').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('keeps the text exactly: code, blanks, signs', async () => {
    const text = 'Run:\n\n    a = b  # c\n> not a quote\nFrom here on\n.\nümläut 日本';
    expect((await composed({ text })).text.startsWith(text)).toBe(true);
  });

  it('quotes a little of what it answers, and that comes back as a quote', async () => {
    const quote = { attribution: 'On 2 March 2026 Sender wrote:', text: `${'line\n'.repeat(40)}` };
    const mail = await composed({ quote });
    expect(mail.newText).toBe('Done.');
    expect(mail.quotedText.match(/line/g)).toHaveLength(12);
    expect(mail.quotedText).toContain('[…]');
  });

  it('carries approval and recursion headers, and no others', async () => {
    const mail = await composed({
      kind: 'approval',
      recursion: { depth: 2, secret: 'secret' },
      replyTo: 'ada+ok-1@agents.localhost',
      extraHeaders: { 'X-Epistle-Approval': 'one, two' },
    });
    expect(headerOf(mail, 'x-epistle-approval')).toEqual(['one, two']);
    expect(headerOf(mail, 'x-epistle-recursion')).toEqual([expect.stringMatching(/^2; s=[0-9a-f]{32}$/)]);
    expect(mail.replyTo).toEqual([{ name: '', address: 'ada+ok-1@agents.localhost' }]);
    await expect(compose({ extraHeaders: { Bcc: 'victim@example.org' } })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
  });
});

describe('text that a model was talked into', () => {
  it('loads nothing from outside and runs nothing', async () => {
    const html = await htmlOf(
      '![x](https://evil.test/?secret) [a](javascript:alert(1)) <img src=x onerror=y> <script>z</script>',
    );
    expect(html).not.toMatch(/<img|<script|href="javascript/i);
    expect(html).toContain('<a href="https://evil.test/?secret">x</a>');
  });

  it.each([
    ['subject', { subject: 'Hi\r\nBcc: victim@example.org' }],
    ['name', { to: [{ name: 'A\r\nBcc: victim@example.org', address: 'a@example.com' }] }],
    ['persona name', { from: { name: 'A"\r\nBcc: victim@example.org', address: 'ada@agents.localhost' } }],
    ['header of ours', { extraHeaders: { 'X-Epistle-Approval': 'one\r\nBcc: victim@example.org' } }],
    [
      'attachment name',
      {
        attachments: [
          { name: 'a\r\nBcc: victim@example.org', type: 'text/plain\r\nBcc: x@y.z', content: Buffer.from('x') },
        ],
      },
    ],
    ['run', { runId: 'a\r\nBcc: victim@example.org' }],
  ] satisfies [string, Partial<ComposeInput>][])('adds no header through its %s', async (_where, more) => {
    expect((await compose(more)).toString()).not.toMatch(/^bcc:/im);
  });

  it.each(['a@b.c\r\nBcc: v@example.org', 'team: a@b.c;', 'a@b.c, d@e.f', '"x"@example.com', ''])(
    'sends nothing to %j',
    async (address) => {
      await expect(compose({ to: [{ name: '', address }] })).rejects.toMatchObject({ code: 'invalid_arguments' });
    },
  );

  it('sends nothing without a recipient or with a broken Message-ID', async () => {
    await expect(compose({ to: [] })).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(compose({ messageId: 'no brackets' })).rejects.toMatchObject({ code: 'invalid_arguments' });
  });
});

describe('the subject of an answer', () => {
  it.each([
    ['A question', 'Re: A question'],
    ['Re: A question', 'Re: A question'],
    ['RE: AW: Antw: SV: A question', 'Re: A question'],
    ['Re[2]: A question', 'Re: A question'],
    ['回复：问题', 'Re: 问题'],
    ['Fwd: News', 'Re: Fwd: News'],
    ['Remember the milk', 'Re: Remember the milk'],
    ['', 'Re:'],
    ['Vá: Odp: Chairs', 'Re: Chairs'],
    ['RES: Cadeiras', 'Re: Cadeiras'],
    ['ΑΠ: ΣΧΕΤ: Καρέκλες', 'Re: Καρέκλες'],
    ['BLS: Ynt: Ats: Kursi', 'Re: Kursi'],
    ['Отв: Стулья', 'Re: Стулья'],
    ['השב: כיסאות', 'Re: כיסאות'],
    ['RE : Re(2): Re^3: Chaises', 'Re: Chaises'],
    ['Trả lời: TL: Ghế', 'Re: Ghế'],
    ['R: Re: Preventivo', 'Re: Preventivo'],
    ['R: R: Preventivo', 'Re: R: Preventivo'],
    ['Ref: [EXT] SV: 4711', 'Re: [EXT] 4711'],
    // A letter or a word of the sender's own.
    ['R: drive is full', 'Re: R: drive is full'],
    ['Re: R: drive is full', 'Re: R: drive is full'],
    ['Ref: 4711', 'Re: Ref: 4711'],
    ['R & D: plans', 'Re: R & D: plans'],
    ['Resources: who has them', 'Re: Resources: who has them'],
    ['Todo: Re: chairs', 'Re: Todo: Re: chairs'],
    ['RE: Fwd: FW: Chairs', 'Re: Fwd: FW: Chairs'],
    // A tag that a gateway puts in each time.
    ['[EXT] Re: [EXT] Chairs', 'Re: [EXT] Chairs'],
    ['Re: [EXT] Re: [EXT] AW: [EXT] Chairs', 'Re: [EXT] Chairs'],
    ['[office] Re: Chairs', 'Re: [office] Chairs'],
    ['[office] Chairs', 'Re: [office] Chairs'],
    ['Hi\r\nBcc: x', 'Re: Hi Bcc: x'],
  ])('%j becomes %j', (subject, expected) => {
    expect(replySubject(subject)).toBe(expected);
  });
});

describe('whether a subject may be that of an answer', () => {
  it.each(['Re: x', 'R: x', 'Vá: x', 'Ref: x', '[list] Odp: x', 'RES : x'])('is yes where it could: %s', (subject) => {
    expect(isReplySubject(subject)).toBe(true);
  });

  it.each(['x', 'Chairs: three', 'Reminder: x', 'R', 'STOP'])('is no where it could not: %s', (subject) => {
    expect(isReplySubject(subject)).toBe(false);
  });
});

describe('the references of an answer', () => {
  const id = (n: number) => `<${n}@example.com>`;

  it('are those of the mail it answers, and that mail', () => {
    expect(referencesFor({ messageId: id(3), references: [id(1), id(2)], inReplyTo: [id(2)] })).toEqual([
      id(1),
      id(2),
      id(3),
    ]);
    expect(referencesFor({ messageId: id(3), references: [], inReplyTo: [id(2)] })).toEqual([id(2), id(3)]);
    expect(referencesFor({ messageId: id(3), references: [], inReplyTo: [] })).toEqual([id(3)]);
  });

  it('keep the first and the newest ten when there are many', () => {
    const references = Array.from({ length: 50 }, (_, n) => id(n));
    const kept = referencesFor({ messageId: id(99), references, inReplyTo: [] });
    expect([kept.length, kept[0], kept[1], kept.at(-1)]).toEqual([11, id(0), id(41), id(99)]);
  });
});

describe('a text that signs itself', () => {
  it.each([
    'Dear Carl,\n\nyes.\n\nBest regards\nAda',
    'Dear Carl,\n\nyes.\n\n**Ada**',
    'yes\n\n-- \nAda',
    'yes\n--\nAda.',
  ])('has no second signature below: %j', async (text) => {
    const mail = await composed({ text });
    expect(mail.text.split('Ada')).toHaveLength(2);
    expect(await htmlOf(text)).not.toMatch(/Ada[\s\S]*moz-signature[\s\S]*Ada/);
  });

  it.each(['I asked Ada', 'Dear Ada', 'Ada says hello.', 'Bob'])(
    'only where its last line is the name: %j',
    async (text) => {
      expect((await compose({ text })).toString()).toContain('\r\n--=20\r\nAda');
    },
  );
});
