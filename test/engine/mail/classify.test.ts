import { describe, expect, it } from 'vitest';
import { type ClassifyContext, classify } from '../../../engine/mail/classify.ts';
import { composeMail } from '../../../engine/mail/compose/compose.ts';
import { verifyRecursion } from '../../../engine/mail/mime/recursion.ts';
import { parsed, parsedFrom } from './fixtures.ts';

const context = (more: Partial<ClassifyContext> = {}): ClassifyContext => ({
  returnPath: undefined,
  isOwnAddress: () => false,
  lists: [],
  authenticatedMember: false,
  ...more,
});

describe('mail with an empty return path', () => {
  it('is silent by what SMTP said, whatever its header says', async () => {
    const mail = await parsedFrom({ headers: [['Return-Path', '<sender@example.com>']] });
    expect(classify(mail, context({ returnPath: null }))).toBe('null_return_path');
    expect(classify(mail, context({ returnPath: '' }))).toBe('null_return_path');
    expect(classify(mail, context({ returnPath: 'sender@example.com' }))).toBeNull();
    expect(classify(mail, context())).toBeNull();
  });
});

describe('mail of a list', () => {
  it('is answered only where the persona names the list', async () => {
    const mail = await parsedFrom({
      headers: [
        ['List-Id', 'Developers <dev.lists.example.com>'],
        ['List-Unsubscribe', '<mailto:x@example.com>'],
        ['Precedence', 'list'],
      ],
    });
    expect(classify(mail, context())).toBe('mailing_list');
    expect(classify(mail, context({ lists: ['other.lists.example.com'] }))).toBe('mailing_list');
    expect(classify(mail, context({ lists: ['<DEV.lists.example.com>'] }))).toBeNull();
  });

  it('is silent all the same when a machine wrote it', async () => {
    const mail = await parsedFrom({
      headers: [
        ['List-Id', '<dev.example.com>'],
        ['Auto-Submitted', 'auto-generated'],
      ],
    });
    expect(classify(mail, context({ lists: ['dev.example.com'] }))).toBe('auto_submitted');
  });
});

describe('mail that asks for no automatic answers', () => {
  const headers = [['X-Auto-Response-Suppress', 'All']] as const;

  it('of a proven member with something to say is answered', async () => {
    expect(classify(await parsedFrom({ headers }), context({ authenticatedMember: true }))).toBeNull();
  });

  it('of anybody else, or with nothing new in it, is not', async () => {
    expect(classify(await parsedFrom({ headers }), context())).toBe('auto_submitted');
    expect(classify(await parsedFrom({ headers, body: '' }), context({ authenticatedMember: true }))).toBe(
      'auto_submitted',
    );
  });
});

describe('the recursion header', () => {
  const secret = 'a secret of this workspace';
  const now = Date.UTC(2026, 2, 2, 9);
  const composed = async (to: string[], cc: string[] = []) => {
    const mail = { messageId: '<one@agents.localhost>', from: 'ada@agents.localhost', recipients: [...to, ...cc] };
    const raw = await composeMail({
      from: { name: 'Ada', address: mail.from },
      to: to.map((address) => ({ name: '', address })),
      cc: cc.map((address) => ({ name: 'Somebody', address })),
      replyTo: null,
      subject: 'Re: x',
      messageId: mail.messageId,
      inReplyTo: null,
      references: [],
      date: now,
      kind: 'reply',
      runId: null,
      autoSubmitted: 'auto-replied',
      recursion: { depth: 2, secret },
      text: 'Hello',
      signature: ['Ada'],
      quote: null,
      attachments: [],
      extraHeaders: {},
    });
    return Buffer.from(raw).toString();
  };
  const verified = async (text: string, by = secret) => verifyRecursion(await parsed(Buffer.from(text)), by);

  it('is believed with our signature', async () => {
    expect(await verified(await composed(['ben@agents.localhost']))).toBe(2);
    expect(await verified(await composed(['Ben@Agents.Localhost'], ['mia@b\u00fccher.example', 'x@y.test']))).toBe(2);
  });

  it.each([
    ['raised', (mail: string) => mail.replace('Recursion: 2', 'Recursion: 9')],
    ['carried to another mail', (mail: string) => mail.replace('<one@', '<two@')],
    ['put under another name', (mail: string) => mail.replace(/From: .*/, 'From: carl@agents.localhost')],
    ['sent to another persona', (mail: string) => mail.replace(/To: .*/, 'To: carl@agents.localhost')],
    ['sent to one more', (mail: string) => mail.replace(/To: (.*)/, 'To: $1, carl@agents.localhost')],
    ['copied to one more', (mail: string) => `Cc: carl@agents.localhost\r\n${mail}`],
    ['given another date', (mail: string) => mail.replace(/Date: .*/, 'Date: Mon, 02 Mar 2026 10:00:00 +0000')],
    ['given the same date in other words', (mail: string) => mail.replace('09:00:00 +0000', '10:00:00 +0100')],
    ['doubled', (mail: string) => mail.replace(/(X-Epistle-Recursion: .*\r\n)/, '$1$1')],
    ['without its signature', (mail: string) => mail.replace(/; s=.*/, '')],
    ['given other words', (mail: string) => mail.replace(/Hello/g, 'Delete all')],
    ['given more words', (mail: string) => `${mail}And delete all\r\n`],
    ['given another subject', (mail: string) => mail.replace(/Subject: .*/, 'Subject: STOP')],
    ['put to another thread', (mail: string) => `References: <theirs@agents.localhost>\r\n${mail}`],
    ['read in another way', (mail: string) => mail.replace(/Content-Type: [^;]*/, 'Content-Type: text/plain')],
    ['given a second subject', (mail: string) => `Subject: STOP\r\n${mail}`],
    ['gone', (mail: string) => mail.replace(/X-Epistle-Recursion: .*\r\n/, '')],
  ])('M5: is not believed when %s', async (_what, change) => {
    const mail = await composed(['ben@agents.localhost']);
    expect(change(mail)).not.toBe(mail);
    expect(await verified(change(mail))).toBeNull();
  });

  it('M5: is believed after servers on the way have added headers, folded ours anew and changed line ends', async () => {
    const mail = await composed(['ben@agents.localhost']);
    const relayed = `Received: from a by b; Mon, 02 Mar 2026 10:00:00 +0000\r\nReturn-Path: <ada@agents.localhost>\r\n${mail}`;
    expect(await verified(relayed)).toBe(2);
    expect(await verified(relayed.replaceAll('\r\n', '\n'))).toBe(2);
    expect(await verified(relayed.replace('Auto-Submitted: ', 'Auto-Submitted:\r\n  '))).toBe(2);
    expect(await verified(`${relayed}\r\n\r\n`)).toBe(2);
  });

  it('is not believed when another gateway signed it', async () => {
    expect(await verified(await composed(['ben@agents.localhost']), 'another secret')).toBeNull();
  });
});

describe('an aggregate report of DMARC', () => {
  const report = (subject: string, type: string, name: string) =>
    parsedFrom({
      headers: [
        ['Subject', subject],
        ['Content-Type', `${type}; name="${name}"`],
        ['Content-Disposition', `attachment; filename="${name}"`],
      ],
      body: 'x',
    });
  const SUBJECT = 'Report Domain: example.com Submitter: google.com Report-ID: <123>';
  const FILE = 'google.com!example.com!1763683200!1763769599';

  it.each([
    ['application/gzip', `${FILE}.xml.gz`],
    ['application/zip', `${FILE}.zip`],
    ['application/x-zip-compressed', `${FILE}.zip`],
    ['application/octet-stream', `${FILE}.xml.gz`],
  ])('is a report: %s', async (type, name) => {
    expect(classify(await report(SUBJECT, type, name), context())).toBe('delivery_report');
  });

  it.each([
    [SUBJECT, 'application/pdf', 'a.pdf'],
    [`Re: ${SUBJECT}`, 'application/gzip', `${FILE}.xml.gz`],
    ['The report for the domain', 'application/zip', 'a.zip'],
  ])('is not every mail that speaks of one: %s, %s', async (...given) => {
    expect(classify(await report(...given), context())).toBeNull();
  });
});
