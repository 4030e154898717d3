import type { Random } from '../random.ts';

export interface FloodMail {
  readonly mailFrom: string;
  readonly to: string;
  readonly raw: Buffer;
}

export type Kind = (random: Random, number: number) => FloodMail;

const ADA = 'ada@agents.localhost';
const OWNER = 'boss@owner.test';
const STRANGER = 'mallory@evil.test';

const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => random.between(0, 15).toString(16)).join('');

/** As our own Message-IDs look. */
const ownId = (random: Random): string =>
  `<${hex(random, 8)}-${hex(random, 4)}-7${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}@agents.localhost>`;

function mail(
  number: number,
  {
    from = STRANGER,
    to = ADA,
    mailFrom = STRANGER,
    subject = 'Hello',
    fields = [],
    body = 'Hello there\r\n',
  }: Partial<{
    from: string;
    to: string;
    mailFrom: string;
    subject: string;
    fields: readonly string[];
    body: string;
  }>,
): FloodMail {
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <flood-${number}-${process.pid}@evil.test>`,
    ...fields,
  ];
  return { mailFrom, to, raw: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1') };
}

const marked =
  (...fields: readonly string[]): Kind =>
  (_, number) =>
    mail(number, { fields });

const nested = (depth: number): string =>
  Array.from(
    { length: depth },
    (_, n) => `--n${n}\r\nContent-Type: multipart/mixed; boundary="n${n + 1}"\r\n\r\n`,
  ).join('');

const report = (id: string, address: string): string =>
  [
    '--b\r\nContent-Type: text/plain\r\n\r\nIt failed.\r\n',
    `--b\r\nContent-Type: message/delivery-status\r\n\r\nFinal-Recipient: rfc822; ${address}\r\nAction: failed\r\nStatus: 5.1.1\r\n`,
    `\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: ${id}\r\n\r\n--b--\r\n`,
  ].join('');

const LINE = `${'All work and no play makes a mail a long one. '.repeat(2)}\r\n`;

/** Small mails of every kind that a gateway decides about in a way of its own. */
export const KINDS: Readonly<Record<string, Kind>> = {
  plain: (_, number) => mail(number, {}),
  bulk: marked('Precedence: bulk', 'List-Unsubscribe: <mailto:a@evil.test>'),
  'auto-submitted': marked('Auto-Submitted: auto-replied'),
  'mailing-list': marked('List-Id: <list.evil.test>', 'List-Post: <mailto:list@evil.test>'),
  'no-reply': (_, number) => mail(number, { from: 'noreply@evil.test' }),
  'own-address': (_, number) => mail(number, { from: ADA }),
  'token-subject': (random, number) => mail(number, { subject: `Re: [ok-${hex(random, 32)}]`, body: 'approve\r\n' }),
  'token-address': (random, number) =>
    mail(number, { to: `ada+ok-${hex(random, 32)}@agents.localhost`, body: 'approve\r\n' }),
  'unproven-owner': (_, number) => mail(number, { from: OWNER, subject: 'STOP' }),
  'unproven-member': (_, number) => mail(number, { from: 'mia@member.test' }),
  'two-authors': (_, number) => mail(number, { from: `${OWNER}, ${STRANGER}` }),
  'invented-thread': (random, number) =>
    mail(number, { fields: [`In-Reply-To: ${ownId(random)}`, `References: ${ownId(random)}`] }),
  unreadable: (_, number) =>
    mail(number, { fields: ['Content-Type: multipart/mixed; boundary="n0"'], body: nested(40) }),
  'unreadable-owner': (_, number) =>
    mail(number, { from: OWNER, fields: ['Content-Type: multipart/mixed; boundary="n0"'], body: nested(40) }),
  'many-parts': (_, number) =>
    mail(number, {
      fields: ['Content-Type: multipart/mixed; boundary="b"'],
      body: `${'--b\r\n\r\na\r\n'.repeat(300)}--b--\r\n`,
    }),
  'many-attachments': (_, number) =>
    mail(number, {
      fields: ['Content-Type: multipart/mixed; boundary="b"'],
      body: `${'--b\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\na\r\n'.repeat(30)}--b--\r\n`,
    }),
  'no-header': (_, number) => ({ mailFrom: STRANGER, to: ADA, raw: Buffer.from(`${number} no header at all\r\n`) }),
  bounce: (random, number) =>
    mail(number, {
      mailFrom: '',
      from: 'mailer-daemon@evil.test',
      fields: ['Content-Type: multipart/report; report-type=delivery-status; boundary="b"'],
      body: report(ownId(random), 'carl@partner.test'),
    }),
  'null-sender': (_, number) => mail(number, { mailFrom: '' }),
  'read-receipt': (_, number) =>
    mail(number, {
      fields: ['Content-Type: multipart/report; report-type=disposition-notification; boundary="b"'],
      body: '--b\r\nContent-Type: message/disposition-notification\r\n\r\nDisposition: displayed\r\n--b--\r\n',
    }),
  'calendar-reply': (_, number) =>
    mail(number, {
      fields: ['Content-Type: text/calendar; method=REPLY'],
      body: 'BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\n',
    }),
  'forged-hops': (random, number) =>
    mail(number, { from: ADA, fields: [`X-Epistle-Recursion: 3; s=${hex(random, 32)}`] }),
  'forged-results': (_, number) =>
    mail(number, {
      from: OWNER,
      fields: ['Authentication-Results: agents.localhost; dmarc=pass header.from=owner.test'],
    }),
  'long-subject': (_, number) => mail(number, { subject: 'a'.repeat(60_000) }),
  'long-message-id': (random, number) => mail(number, { fields: [`References: <${hex(random, 2000)}@evil.test>`] }),
  html: (_, number) =>
    mail(number, {
      fields: ['Content-Type: text/html'],
      body: `<html><style>p{color:red}</style>${'<p class="a">a</p>\r\n'.repeat(2000)}`,
    }),
  'bad-signatures': (_, number) =>
    mail(number, {
      fields: Array.from(
        { length: 8 },
        (__, n) =>
          `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=d${n}.evil.test; s=r; h=from; bh=AAAA; b=AAAA`,
      ),
    }),
};

/** Those that take their time: what their signatures name does not answer. */
export const SILENT: Readonly<Record<string, Kind>> = {
  'silent-signatures': (random, number) =>
    mail(number, {
      from: `a@x${random.between(1, 1e6)}.silent.test`,
      fields: Array.from(
        { length: 5 },
        (_, n) =>
          `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=s${n}.x${number}.silent.test; s=r; h=from; bh=AAAA; b=AAAA`,
      ),
    }),
  'silent-author': (random, number) => mail(number, { from: `a@x${random.between(1, 1e6)}.silent.test` }),
};

export const LARGE: Readonly<Record<string, Kind>> = {
  'large-bulk': (random, number) =>
    mail(number, { fields: ['Precedence: bulk'], body: LINE.repeat((random.between(1, 20) * 1e6) / LINE.length) }),
  'large-token': (random, number) =>
    mail(number, { subject: `[ok-${hex(random, 32)}]`, body: LINE.repeat(5e6 / LINE.length) }),
  'large-plain': (random, number) => mail(number, { body: LINE.repeat((random.between(1, 24) * 1e6) / LINE.length) }),
  'large-unreadable': (_, number) =>
    mail(number, {
      fields: ['Content-Type: multipart/mixed; boundary="n0"'],
      body: nested(40) + LINE.repeat(5e6 / LINE.length),
    }),
  'too-large': (_, number) => mail(number, { body: LINE.repeat(28e6 / LINE.length) }),
};
