import { readFileSync } from 'node:fs';

/** How a program puts a calendar into a mail. */
export type Program = 'google' | 'outlook' | 'apple' | 'thunderbird' | 'nextcloud';

const calendarOf = (file: string): string =>
  readFileSync(new URL(`files/${file}.ics`, import.meta.url), 'utf8').replaceAll('\r\n', '\n');

const part = (headers: readonly string[], body: string): string => [...headers, '', body].join('\n');
const base64 = (text: string): string =>
  (
    Buffer.from(text.replaceAll('\n', '\r\n'))
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\n');

function multipart(kind: string, mark: string, parts: readonly string[]): string {
  const all = parts.map((one) => `--${mark}\n${one}`).join('\n');
  return part([`Content-Type: multipart/${kind}; boundary="${mark}"`], `${all}\n--${mark}--\n`);
}

const plain = (text: string): string => part(['Content-Type: text/plain; charset=UTF-8'], text);
const html = (text: string): string => part(['Content-Type: text/html; charset=UTF-8'], `<p>${text}</p>`);

/** The content of the mail as each of them makes it: beside the text, as a file, or both. */
const CONTENTS: Readonly<Record<Program, (method: string, calendar: string, text: string) => string>> = {
  google: (method, calendar, text) =>
    multipart('mixed', 'g1', [
      multipart('alternative', 'g2', [
        plain(text),
        html(text),
        part(
          [`Content-Type: text/calendar; charset="UTF-8"; method=${method}`, 'Content-Transfer-Encoding: base64'],
          base64(calendar),
        ),
      ]),
      part(
        [
          'Content-Type: application/ics; name="invite.ics"',
          'Content-Disposition: attachment; filename="invite.ics"',
          'Content-Transfer-Encoding: base64',
        ],
        base64(calendar),
      ),
    ]),
  outlook: (method, calendar, text) =>
    multipart('alternative', 'o1', [
      plain(text),
      html(text),
      part(
        [`Content-Type: text/calendar; charset="utf-8"; method=${method}`, 'Content-Transfer-Encoding: base64'],
        base64(calendar),
      ),
    ]),
  apple: (method, calendar, text) =>
    multipart('alternative', 'a1', [
      plain(text),
      multipart('mixed', 'a2', [
        html(text),
        part(
          [
            'Content-Type: text/calendar; charset=utf-8; name="iCal-20260220-140500.ics"',
            'Content-Disposition: attachment; filename="iCal-20260220-140500.ics"',
            'Content-Transfer-Encoding: base64',
            `X-Method: ${method}`,
          ],
          base64(calendar),
        ),
      ]),
    ]),
  thunderbird: (method, calendar, text) =>
    multipart('mixed', 't1', [
      multipart('alternative', 't2', [
        plain(text),
        part(
          [`Content-Type: text/calendar; method=${method}; charset=UTF-8`, 'Content-Transfer-Encoding: 8bit'],
          calendar,
        ),
      ]),
      part(
        [
          'Content-Type: application/ics; name="invite.ics"',
          'Content-Disposition: attachment; filename="invite.ics"',
          'Content-Transfer-Encoding: 8bit',
        ],
        calendar,
      ),
    ]),
  nextcloud: (method, calendar, text) =>
    multipart('mixed', 'n1', [
      plain(text),
      part(
        [
          `Content-Type: text/calendar; method=${method}; charset="utf-8"; name="event.ics"`,
          'Content-Disposition: attachment; filename="event.ics"',
          'Content-Transfer-Encoding: base64',
        ],
        base64(calendar),
      ),
    ]),
};

/** A mail with the calendar file `files/<file>.ics`, as the program named in front of the file sends it. */
export function invitationMail(options: {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly id: string;
  readonly inReplyTo?: string;
}): string {
  const { file, from, to, subject, id, inReplyTo } = options;
  const program = Object.keys(CONTENTS).find((name): name is Program => file.startsWith(name));
  if (program === undefined) throw new Error(`no program writes ${file}`);
  const calendar = calendarOf(file);
  const method = /^METHOD:(\w+)/m.exec(calendar)?.[1] ?? 'REQUEST';
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: <${id}>`,
    'Date: Wed, 25 Feb 2026 09:00:00 +0000',
    ...(inReplyTo ? [`In-Reply-To: <${inReplyTo}>`, `References: <${inReplyTo}>`] : []),
    'MIME-Version: 1.0',
    CONTENTS[program](method, calendar, `You are invited: ${subject}`),
  ].join('\n');
}
