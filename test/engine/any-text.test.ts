import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EngineError } from '#contract';
import { readCalendar } from '../../engine/calendar/calendar.ts';
import { answerOf } from '../../engine/calendar/job.ts';
import { calendarText } from '../../engine/calendar/words/text.ts';
import { locateJsonError } from '../../engine/config/json-file.ts';
import { readCondition, scheduleFault } from '../../engine/config/tasks/task-schema.ts';
import { visible } from '../../engine/delivery/questions/approval-text.ts';
import { readDocument } from '../../engine/documents/read.ts';
import { languageByCommonWords } from '../../engine/languages/common-words.ts';
import { cleaned } from '../../engine/lib/clean-text.ts';
import { hideDisguised, hideSecrets } from '../../engine/lib/secrets/secrets.ts';
import { readPlanReply, readReply } from '../../engine/mail/approval/approval-answer.ts';
import { besideCommand, isMarkedPrivate, readOwnerCommand } from '../../engine/mail/approval/owner-command.ts';
import { readSenders } from '../../engine/mail/approval/senders/senders-answer.ts';
import { stripTokens, typedTokens } from '../../engine/mail/approval/token.ts';
import { readUndo } from '../../engine/mail/approval/undo-answer.ts';
import { decodeCharset } from '../../engine/mail/charset/charset.ts';
import { mailto } from '../../engine/mail/compose/letter.ts';
import { markdownToHtml } from '../../engine/mail/compose/markdown.ts';
import { htmlToReadable, pageToReadable } from '../../engine/mail/html/to-text.ts';
import { safeHref } from '../../engine/mail/html/visible.ts';
import { readSignatures } from '../../engine/mail/identity/border/judge-stamp.ts';
import { readResults, stamperOf, UNNAMED } from '../../engine/mail/identity/border/results-header.ts';
import { isPlainLine, isTakenWithLogin, receivedBy } from '../../engine/mail/identity/received-line.ts';
import { bytesToCheck } from '../../engine/mail/identity/sender-check.ts';
import { addressKey, isSendable, matchesPattern, parseAddressList } from '../../engine/mail/mime/address.ts';
import { safeAttachmentName } from '../../engine/mail/mime/attachment-name.ts';
import { readParams } from '../../engine/mail/mime/content-type.ts';
import { parseMailDate } from '../../engine/mail/mime/date.ts';
import { readHeaders } from '../../engine/mail/mime/headers.ts';
import { messageIds, ownMessageId } from '../../engine/mail/mime/message-ids.ts';
import { sealedDigest, sealMail } from '../../engine/mail/mime/recursion.ts';
import { selfDescribing } from '../../engine/mail/mime/self-describing.ts';
import { readStructure } from '../../engine/mail/mime/structure.ts';
import { decodeTransfer } from '../../engine/mail/mime/transfer.ts';
import { headerText } from '../../engine/mail/mime/words.ts';
import { splitText } from '../../engine/mail/reading/body.ts';
import { readLetter } from '../../engine/mail/reading/parse.ts';
import { readMail } from '../../engine/mail/reading/read-mail.ts';
import { unflow } from '../../engine/mail/text/lines.ts';
import { isPublicName, readAutoconfig } from '../../engine/mailbox/finding/autoconfig.ts';
import { valuesOfArguments } from '../../engine/policy/values/argument-values.ts';
import { urlKey, valuesInText } from '../../engine/policy/values/values.ts';
import { termsOf } from '../../engine/storage/search/terms.ts';
import { expressionOf } from '../../engine/tables/query/expression.ts';
import { orderOf } from '../../engine/tables/query/order.ts';
import { signIn, writtenNumber } from '../../engine/tables/values/amount.ts';
import { fileSegments } from '../../engine/tools/files/folder.ts';
import { isPublicAddress } from '../../engine/tools/web/address.ts';
import { webUrl } from '../../engine/tools/web/web.ts';
import { LIMITS } from './mail/limits.ts';

/** What means something to one reader or another, and what none of them expects. */
/** A mail that answers none. */
const FRESH = { headers: [], forwardedText: '', attachments: [] };
const PIECES = [
  ...['a', 'A ', '1', '1.', '1,', '-', '=', '"', '\\', '\\"', '(', ')', '<', '>', '@', ',', ';', ':', '&', '%', '/'],
  ...['\r\n', '\n', '\r', '\t', ' ', '\0', '\r\n\r\n', ' folded\r\n', '--x\r\n', '--x', '-- \n', '_', '*', '#', '|'],
  ...['é', 'ß', 'İ', '\u200b', '\u202e', '\ufeff', '\ud800', '\udfff', '😀', '字', 'ﷺ', '١', '½', '①', '€', '\u2028'],
  ...['=?utf-8?q?', '?=', '=?utf-8?b?AAAA?=', '=?iso-2022-jp?b?GyRC?= ', '; name*0*=', "utf-8''", '%41', '=0A', '=FF'],
  ...['From: a@b\r\n', 'a@b.test,', 'Content-Type: multipart/mixed; boundary=x\r\n', 'DKIM-Signature: b=;h=', '<a@b>'],
  ...[
    '> ',
    '>>> ',
    'On Mon, a wrote:\n',
    '-----Original Message-----\n',
    '```\n',
    '| a | b |\n',
    '|-|-|\n',
    '[x](',
    '![',
  ],
  ...[
    'http://a.b/',
    'https://xn--a.b/?',
    '//',
    '[::1]',
    '127.1',
    '<div>',
    '</div>',
    '<table><tr><td>',
    '<style>',
    '<!--',
  ],
  ...[
    '</style>',
    '<p style="display:none',
    'a{',
    '}',
    '@media ',
    '/*',
    '&#x41;',
    '&#1114112;',
    'approve\n',
    'deny 1\n',
  ],
  ...[
    'edit 1\n',
    'body: ',
    'all but ',
    'ok-0123456789abcdef0123456789abcdef',
    'allow ',
    'once ',
    'block ',
    'STOP',
    'undo',
  ],
  ...['BEGIN:VCALENDAR\r\n', 'BEGIN:VEVENT\r\n', 'END:VEVENT\r\n', 'UID:u\r\n', 'RRULE:FREQ=SECONDLY\r\n', 'DTSTART'],
  ...[';TZID=z:', ':20260101T250000', 'RDATE;VALUE=PERIOD:1/PT1H,', 'EXDATE:', 'BEGIN:VCARD\n', 'FN;ENCODING=b:=41\n'],
  ...[
    '{"a":',
    '"a",',
    '[',
    ']',
    '{',
    '{\\rtf1 ',
    "\\'41",
    '\\u-1 ',
    '\\bin9999999999 ',
    '1e999',
    'sum(',
    'DE89 3704 0044',
  ],
  ...[
    '__proto__',
    'constructor',
    'NaN',
    'every 1',
    '* * *',
    '99999999999',
    '<clientConfig>',
    '<hostname>',
    '../',
    'NUL',
  ],
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join(''));

const part = (headers: string) => (body: string) => {
  const raw = Buffer.from(`From: a@b.test\r\n${headers}\r\n\r\n${body}`);
  const structure = readStructure(raw, LIMITS);
  if (structure.ok) selfDescribing(raw, structure.root);
};
const event = (lines: string) =>
  `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u\r\n${lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
const CALENDAR = { timezone: 'Europe/Berlin', from: Date.UTC(2026, 0, 1) };

/** Readers of what others write. They may say no, by an error of ours, and nothing else. */
const READERS: Readonly<Record<string, (written: string) => unknown>> = {
  'a header': (written) => readHeaders(Buffer.from(written)),
  'a header value': (written) => [headerText(written), readParams(written), parseMailDate(written)],
  addresses: (written) => [parseAddressList(written), addressKey(written), isSendable(written)],
  'a pattern of addresses': (written) => matchesPattern('mia@member.example', written),
  'Message-IDs': (written) => [messageIds([written]), ownMessageId(written)],
  'a name of an attachment': (written) => [safeAttachmentName(written, 'a/b'), safeAttachmentName(null, written)],
  'a charset': (written) => [decodeCharset(Buffer.from(written), null), decodeCharset(Buffer.from('é'), written)],
  'a transfer encoding': (written) =>
    ['base64', 'quoted-printable', 'x'].map((encoding) => decodeTransfer(Buffer.from(written), encoding)),
  'a mail in parts': part('Content-Type: multipart/mixed; boundary=x'),
  'a mail in parts with a long boundary': part(`Content-Type: multipart/alternative; boundary=${'-'.repeat(70)}`),
  'a mail in flowed lines': part('Content-Type: text/plain; format=flowed; delsp=yes'),
  'a mail within a mail': part('Content-Type: message/rfc822'),
  'what a signature is checked over': (written) => bytesToCheck(Buffer.from(written)),
  'a seal': (written) => {
    const raw = Buffer.from(`A: b\r\n${written}`);
    return [sealedDigest(raw, readHeaders(raw)), sealMail(raw, { depth: 1, secret: 'x' })];
  },
  'Authentication-Results': (written) => [
    readResults(`a; ${written}`, 'a'),
    readResults(written, UNNAMED),
    stamperOf(written),
  ],
  'DKIM-Signature': (value) => readSignatures([{ name: 'dkim-signature', value }]),
  Received: (written) => [isTakenWithLogin(written), receivedBy(written), isPlainLine(written)],
  markup: (written) => [htmlToReadable(written), pageToReadable(`<style>${written}</style>${written}`)],
  'a link': (written) => [safeHref(written, 'mail'), safeHref(written, 'page'), urlKey(written)],
  'new text': (written) => splitText(written, { isReply: true, isForward: true }),
  'flowed lines': (written) => [unflow(written, true), unflow(written, false)],
  'an answer to a question': (written) => [readReply(written, [1, 2]), readPlanReply(written, 3)],
  'an answer about senders': (written) => readSenders(written, [{ number: 1, address: 'a@b.test' }]),
  'a command of an owner': (written) => [
    readOwnerCommand({ ...FRESH, subject: written, pieces: [{ kind: 'written', text: written }] }),
    besideCommand(written),
    isMarkedPrivate({ newText: written }),
    readUndo(written, [1]),
  ],
  tokens: (written) => [typedTokens(written), stripTokens(written)],
  'an answer in Markdown': markdownToHtml,
  'a button': (written) => mailto({ to: 'a@b.test', subject: written, body: written }),
  'words in a question': visible,
  'a language': languageByCommonWords,
  keys: (written) => [hideSecrets(written), hideDisguised(written)],
  values: (written) => [valuesInText(written), valuesOfArguments({ a: written }, { changes: true, connects: true })],
  'a calendar': (written) => answerOf(written, { kind: 'invitations', ...CALENDAR }),
  'an event': (written) => answerOf(event(written), { kind: 'invitations', ...CALENDAR }),
  'an event as a document': (written) => {
    const calendar = readCalendar(event(`DTSTART;TZID=z:${written.replace(/[\r\n]/g, '')}`));
    return calendar && calendarText(calendar, 10);
  },
  'a search': termsOf,
  'an expression over a table': (written) => expressionOf(written, []),
  'an order of rows': orderOf,
  'a number': (written) => signIn(writtenNumber(written)?.digits ?? '1'),
  'a path': fileSegments,
  'a result': cleaned,
  'a web address': (written) => [isPublicAddress(written), webUrl(written)],
  'where servers are': (written) => [readAutoconfig(written, 'a@b.test'), isPublicName(written)],
  'broken JSON': locateJsonError,
  'a task': (written) => [readCondition(written), scheduleFault(written, 'Europe/Berlin')],
};

/** What a calendar program refuses as a whole is caught where its file is opened. */
const isNo = (error: unknown): boolean =>
  error instanceof EngineError || (error instanceof Error && /^(?:ParserError|QueryError)$/.test(error.name));

describe('whatever somebody writes', () => {
  it.each(Object.entries(READERS))('%s is read, or refused in words', (_what, read) => {
    fc.assert(
      fc.property(text, (written) => {
        try {
          read(written);
        } catch (error) {
          if (!isNo(error)) throw error;
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['a.csv', ''],
    ['a.vcf', 'BEGIN:VCARD\n'],
    ['a.html', '<p>'],
    ['a.eml', 'From: a@b.test\nSubject: x\n'],
    ['a.rtf', '{\\rtf1 '],
    ['a.md', ''],
  ])('a document %s is read, or refused for a reason that it names', async (name, beginning) => {
    await fc.assert(
      fc.asyncProperty(text, async (written) => {
        const read = await readDocument({ bytes: Buffer.from(beginning + written), name, type: '' });
        // `broken` is what a fault of a reader is told as, too.
        if (!read.ok) expect(read.refusal.message).not.toBe('it is damaged, or not what it says it is');
      }),
      { numRuns: 100 },
    );
  });

  it('a letter that is read at once is what the full reader makes of it', async () => {
    const headers = fc.subarray([
      ...['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable', 'Cc: g:a@b.test;'],
      ...['Subject: Re: =?utf-8?b?w7w=?=', 'References: <a@b> <c@d>', 'Reply-To: x@y.test', 'Delivered-To: ada@x.test'],
    ]);
    await fc.assert(
      fc.asyncProperty(headers, text, async (some, written) => {
        const raw = Buffer.from([...['From: Mia <mia@member.example>', ...some], '', written].join('\r\n'));
        const mail = readLetter(raw, LIMITS);
        if (mail !== null) expect(await readMail(raw, LIMITS)).toEqual({ ok: true, mail });
      }),
      { numRuns: 300 },
    );
  });
});
