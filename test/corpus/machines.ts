import type { SilenceCode } from '../../engine/mail/mime/types.ts';
import { type CorpusCase, corpusCase, joined, mime, multipart, part } from './build.ts';

const silent = (
  name: string,
  silence: SilenceCode | null,
  headers: readonly (readonly [string, string])[],
): CorpusCase => corpusCase(`silence-${name}`, { headers }, { outcome: 'ok', silence });

const report = (type: string, ...parts: string[]) => ({
  headers: [
    ...mime(`multipart/report; report-type=${type}; boundary="r"`),
    ['From', 'mailer-daemon@example.com'] as const,
  ],
  body: joined('r', [part('text/plain', 'About your mail'), ...parts]),
});
const status = (action: string, code: string) =>
  part(
    'message/delivery-status',
    `Reporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; gone@example.com\r\nAction: ${action}\r\nStatus: ${code}\r\n`,
  );
const original = part('message/rfc822', 'Message-ID: <sent@agents.localhost>\r\nSubject: Report\r\n\r\nText\r\n');

export const machineCases: readonly CorpusCase[] = [
  silent('auto-replied', 'auto_submitted', [['Auto-Submitted', 'auto-replied']]),
  silent('auto-generated-with-comment', 'auto_submitted', [['Auto-Submitted', 'auto-generated (rejected); type=x']]),
  silent('auto-submitted-no', null, [['Auto-Submitted', 'no']]),
  silent('auto-submitted-unknown-word', 'auto_submitted', [['AUTO-SUBMITTED', 'yes']]),
  silent('x-autoreply', 'auto_submitted', [['X-Autoreply', 'yes']]),
  silent('x-autorespond', 'auto_submitted', [['X-Autorespond', 'vacation']]),
  silent('x-auto-response-suppress', 'auto_submitted', [['X-Auto-Response-Suppress', 'DR, OOF, AutoReply']]),
  silent('x-auto-response-suppress-receipts-only', null, [['X-Auto-Response-Suppress', 'DR, RN, NRN']]),
  silent('precedence-auto-reply', 'auto_submitted', [['Precedence', 'auto_reply']]),
  silent('precedence-bulk', 'bulk', [['Precedence', 'Bulk']]),
  silent('precedence-junk', 'bulk', [['Precedence', 'junk']]),
  silent('precedence-list', 'mailing_list', [['Precedence', 'list']]),
  silent('list-id', 'mailing_list', [['List-Id', 'Dev <dev.example.com>']]),
  silent('list-post', 'mailing_list', [['List-Post', '<mailto:dev@example.com>']]),
  silent('list-unsubscribe', 'bulk', [['List-Unsubscribe', '<https://example.com/u>']]),
  silent('feedback-id', 'bulk', [['Feedback-ID', '1:2:3']]),
  silent('return-path-null', 'null_return_path', [['Return-Path', '<>']]),
  silent('from-mailer-daemon', 'no_reply_sender', [['From', 'MAILER-DAEMON@example.com']]),
  silent('from-no-reply', 'no_reply_sender', [['From', 'Shop <no-reply@example.com>']]),
  silent('from-noreply-tagged', 'no_reply_sender', [['From', 'noreply+abc@example.com']]),
  silent('from-do-not-reply', 'no_reply_sender', [['From', 'do_not_reply@example.com']]),
  silent('from-shop-noreply', 'no_reply_sender', [['From', 'shop-noreply@example.com']]),
  silent('from-notreply-person', null, [['From', 'rebounce@example.com']]),
  silent(
    'received-51',
    'hop_limit',
    Array.from(
      { length: 51 },
      (_, n) => ['Received', `from a by h${n}.example.com; Mon, 2 Mar 2026 10:00:00 +0100`] as const,
    ),
  ),
  silent(
    'received-50',
    null,
    Array.from(
      { length: 50 },
      (_, n) => ['Received', `from a by h${n}.example.com; Mon, 2 Mar 2026 10:00:00 +0100`] as const,
    ),
  ),
  corpusCase('bounce-failed', report('delivery-status', status('failed', '5.1.1'), original), {
    outcome: 'ok',
    silence: 'bounce',
  }),
  corpusCase('bounce-delayed', report('delivery-status', status('delayed', '4.4.1'), original), {
    outcome: 'ok',
    silence: 'delivery_report',
  }),
  corpusCase('report-delivered', report('delivery-status', status('delivered', '2.0.0'), original), {
    outcome: 'ok',
    silence: 'delivery_report',
  }),
  corpusCase(
    'bounce-headers-only',
    report(
      'delivery-status',
      status('failed', '5.0.0'),
      part('text/rfc822-headers', 'Message-ID: <sent@agents.localhost>'),
    ),
    { outcome: 'ok', silence: 'bounce' },
  ),
  corpusCase(
    'bounce-without-report',
    {
      headers: [
        ['From', 'MAILER-DAEMON@example.com'],
        ['Subject', 'failure notice'],
      ],
      body: 'Hi. This is the program at example.com.\n\n<gone@example.com>:\nNo such user (#5.1.1)\n\n--- Below this line is a copy of the message.\n\nMessage-ID: <sent@agents.localhost>\nSubject: x\n',
    },
    { outcome: 'ok', silence: 'bounce' },
  ),
  corpusCase(
    'bounce-x-failed-recipients',
    {
      headers: [
        ['X-Failed-Recipients', 'gone@example.com'],
        ['From', 'Mail Delivery System <Mailer-Daemon@example.com>'],
      ],
      body: 'could not be delivered 550 5.1.1\n',
    },
    { outcome: 'ok', silence: 'bounce' },
  ),
  corpusCase(
    'read-receipt',
    report(
      'disposition-notification',
      part('message/disposition-notification', 'Disposition: manual-action/MDN-sent-manually; displayed'),
    ),
    { outcome: 'ok', silence: 'read_receipt' },
  ),
  corpusCase('abuse-report', report('feedback-report', part('message/feedback-report', 'Feedback-Type: abuse')), {
    outcome: 'ok',
    silence: 'delivery_report',
  }),
  corpusCase(
    'calendar-reply',
    multipart(
      'alternative',
      'b',
      part('text/plain', 'Accepted'),
      part('text/calendar; method=REPLY', 'BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nEND:VCALENDAR'),
    ),
    { outcome: 'ok', silence: 'calendar_reply' },
  ),
  corpusCase(
    'calendar-invitation',
    multipart(
      'alternative',
      'b',
      part('text/plain', 'Please come'),
      part('text/calendar; method=REQUEST', 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR'),
    ),
    { outcome: 'ok', silence: null, newText: 'Please come' },
  ),
  corpusCase(
    'own-address',
    { headers: [['From', 'Ada <ada+x@agents.localhost>']] },
    { outcome: 'ok', silence: 'own_message' },
  ),
];
