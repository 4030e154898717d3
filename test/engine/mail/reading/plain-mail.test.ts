import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { composePlainMail } from '../../../../engine/mail/reading/plain-mail.ts';

const plain = {
  from: 'ada@agents.localhost',
  to: 'mia@member.example',
  messageId: '<1@agents.localhost>',
  inReplyTo: '<a@member.example>',
  date: Date.parse('2026-11-21T12:00:00Z'),
  runId: 'r1',
  text: `Nothing – not even this.\n${'long '.repeat(50)}`,
};

describe('a mail of fixed parts', () => {
  it('is a whole mail that answers its own', async () => {
    const mail = await simpleParser(Buffer.from(composePlainMail(plain)?.raw ?? ''));
    expect(mail).toMatchObject({ subject: 'Re: your mail', inReplyTo: plain.inReplyTo, messageId: plain.messageId });
    expect(mail.from?.value).toMatchObject([{ address: plain.from }]);
    expect(mail.text?.trim()).toBe(plain.text.trim());
  });

  it('answers nothing by name whose Message-ID is not plain', async () => {
    for (const inReplyTo of ['<a\r\nBcc: eve@evil.example>', 'none', `<${'a'.repeat(2000)}@x>`, '<a> <b>']) {
      const mail = await simpleParser(Buffer.from(composePlainMail({ ...plain, inReplyTo })?.raw ?? ''));
      expect(mail.inReplyTo).toBeUndefined();
      expect(mail.bcc).toBeUndefined();
    }
  });

  it.each(['', 'nobody', 'a@b\r\nBcc: eve@evil.example', '"a b"@x.example', 'a@b, c@d', 'mïa@member.example'])(
    'is not written to %j',
    (to) => {
      expect(composePlainMail({ ...plain, to })).toBeUndefined();
    },
  );
});
