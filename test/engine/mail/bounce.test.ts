import { describe, expect, it } from 'vitest';
import { parseBounce } from '../../../engine/mail/bounce.ts';
import { joined, type MailInput, mime, part } from '../../corpus/build.ts';
import { machineCases } from '../../corpus/machines.ts';
import { parsed, parsedFrom } from './fixtures.ts';

const ofCase = async (name: string) => {
  const found = machineCases.find((each) => each.name === name);
  if (!found) throw new Error(`no case ${name}`);
  return parseBounce(await parsed(found.raw), found.raw);
};
const report = (...groups: string[]): MailInput => ({
  headers: mime('multipart/report; report-type=delivery-status; boundary=r'),
  body: joined('r', [
    part('text/plain', 'Some of your recipients'),
    part('message/delivery-status', `Reporting-MTA: dns; mx.example.com\r\n\r\n${groups.join('\r\n\r\n')}`),
    part('message/rfc822', 'From: a@b.c\r\nMessage-Id:\r\n <sent@agents.localhost>\r\n\r\nHello'),
  ]),
});

describe('a delivery report', () => {
  it('tells for each recipient what became of the mail, and which mail it was', async () => {
    const mail = await parsedFrom(
      report(
        'Original-Recipient: rfc822;Gone@EXAMPLE.com\r\nFinal-Recipient: rfc822;x@relay.test\r\nAction: failed\r\nStatus: 5.1.1 (no such user)',
        'Final-Recipient: rfc822; <slow@example.com>\r\nAction: Delayed\r\nStatus: 4.4.1',
        'Final-Recipient: rfc822; fine@example.com\r\nAction: relayed\r\nStatus: 2.1.9',
        'Final-Recipient: rfc822; odd@example.com\r\nStatus: 5.7.1',
      ),
    );
    expect(parseBounce(mail)).toEqual({
      originalMessageId: '<sent@agents.localhost>',
      recipients: [
        { address: 'Gone@example.com', action: 'failed', status: '5.1.1' },
        { address: 'slow@example.com', action: 'delayed', status: '4.4.1' },
        { address: 'fine@example.com', action: 'relayed', status: '2.1.9' },
        { address: 'odd@example.com', action: 'failed', status: '5.7.1' },
      ],
    });
  });

  it('with only the headers of the returned mail still names it', async () => {
    expect(await ofCase('bounce-headers-only')).toMatchObject({ originalMessageId: '<sent@agents.localhost>' });
  });

  it('full of nonsense gives nothing and takes no time', async () => {
    const mail = await parsedFrom(report(`Final-Recipient: ${';'.repeat(50_000)}`, ':'.repeat(50_000)));
    expect(parseBounce(mail)?.recipients).toEqual([]);
  });
});

describe('a bounce that is no report', () => {
  it('is read from its text', async () => {
    expect(await ofCase('bounce-without-report')).toEqual({
      originalMessageId: '<sent@agents.localhost>',
      recipients: [{ address: 'gone@example.com', action: 'failed', status: '5.1.1' }],
    });
  });

  it('is read from X-Failed-Recipients', async () => {
    expect(await ofCase('bounce-x-failed-recipients')).toMatchObject({
      recipients: [{ address: 'gone@example.com', action: 'failed', status: '5.1.1' }],
    });
  });
});

describe('other mail', () => {
  it('is no bounce, even when a person writes about one', async () => {
    const mail = await parsedFrom({
      headers: [['Subject', 'Undelivered mail']],
      body: 'I got this:\n<gone@example.com>:\n550 5.1.1\n',
    });
    expect(parseBounce(mail)).toBeNull();
    expect(await ofCase('read-receipt')).toBeNull();
    expect(await ofCase('calendar-reply')).toBeNull();
  });
});

describe('H2: a mail that says it is a report', () => {
  const daemon = [
    ['From', 'mailer-daemon@x.test'],
    ['Subject', 'Undeliverable'],
    ...mime('multipart/mixed; boundary=r'),
  ] as const;
  const returned = (headers: string) => part('text/rfc822-headers', headers);
  const idOf = async (...parts: string[]) =>
    parseBounce(await parsedFrom({ headers: daemon, body: joined('r', parts) }))?.originalMessageId ?? null;
  const id = 'Message-ID: <sent@agents.localhost>';

  it('is read in bounds, for that happens in the main thread before anybody knows who wrote it', async () => {
    const none = returned('Subject: x');
    expect(await idOf(none, none, returned(id))).toBe('<sent@agents.localhost>');
    expect(await idOf(none, none, none, returned(id))).toBeNull();
    expect(await idOf(returned(`${'X: y\r\n'.repeat(4000)}${id}`))).toBe('<sent@agents.localhost>');
    expect(await idOf(returned(`${'X: y\r\n'.repeat(6000)}${id}`))).toBeNull();
  });
});
