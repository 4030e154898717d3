import { encode } from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER } from './governance-rig.ts';

interface Odd {
  readonly what: string;
  readonly headers: readonly string[];
  /** Raw bytes are Latin-1 characters here. */
  readonly subject?: string;
  readonly date?: string;
  readonly body: string;
  readonly seen: readonly string[];
  readonly notSeen?: readonly string[];
}

const bytes = (text: string, charset: string): string => encode(text, charset).toString('latin1');
const utf8 = (text: string): string => bytes(text, 'utf-8');
const word = (written: string): string => `=?iso-2022-jp?B?${Buffer.from(written).toString('base64')}?=`;

const MAILS: readonly Odd[] = [
  {
    what: 'Russian without a label, in header and text',
    headers: ['Content-Type: text/plain'],
    subject: bytes('Счёт за столы', 'windows-1251'),
    body: bytes('Пришлите, пожалуйста, счёт до пятницы', 'windows-1251'),
    seen: ['Счёт за столы', 'Пришлите, пожалуйста, счёт до пятницы'],
  },
  {
    what: 'Japanese without a label',
    headers: ['Content-Type: text/plain'],
    body: bytes('請求書を金曜日までに送ってください', 'shift_jis'),
    seen: ['請求書を金曜日までに送ってください'],
  },
  {
    what: 'a charset that HTML names in itself',
    headers: ['Content-Type: text/html; charset=""'],
    body: bytes('<html><head><meta charset="koi8-r"></head><body><p>Пришлите счёт</p></body></html>', 'koi8-r'),
    seen: ['Пришлите счёт'],
  },
  {
    what: 'a Japanese subject in several words',
    headers: ['Content-Type: text/plain'],
    subject: `${word('\x1b$B0X;R\x1b(B')}\r\n ${word('\x1b$B;0$D\x1b(B')}`,
    body: 'Two desks.',
    seen: ['椅子三つ', 'Two desks.'],
  },
  {
    what: 'HZ',
    headers: ['Content-Type: text/plain; charset=hz-gb-2312'],
    body: '~{4rF0~} and two desks',
    seen: ['打瓢 and two desks'],
    notSeen: ['~{'],
  },
  {
    what: 'question marks and blanks in an encoded word',
    headers: ['Content-Type: text/plain'],
    subject: '=?utf-8?Q?Zw=C3=B6lf Tische? Gern?=',
    body: 'Two desks.',
    seen: ['Zwölf Tische? Gern'],
  },
  {
    what: 'a subject that is folded within a character',
    headers: ['Content-Type: text/plain; charset=utf-8'],
    subject: utf8('Zwölf Tische').replace('\xb6', '\r\n \xb6'),
    body: 'Two desks.',
    seen: ['Zwölf Tische'],
  },
  {
    what: 'a type without its semicolon, and a date with a blank',
    headers: ['Content-Type: text/plain charset=utf-8'],
    date: '2026-03-05 09:41:00 +0000',
    body: utf8('Zwölf Tische, bitte.'),
    seen: ['Zwölf Tische, bitte.', 'Written: Thursday, 5 March 2026, 09:41'],
  },
  {
    what: 'two types of which the first is wrong, and a date in American order',
    headers: ['Content-Type: multipart/mixed; boundary=no', 'Content-Type: multipart/mixed; boundary=yes'],
    date: 'Mar 5, 2026 09:41:00 AM',
    body: '--yes\r\nContent-Type: text/plain\r\n\r\nTwo desks.\r\n--yes--\r\n',
    seen: ['Two desks.', 'Written: Thursday, 5 March 2026, 09:41'],
    notSeen: ['--yes'],
  },
  {
    what: 'a date that can be read in two ways',
    headers: ['Content-Type: text/plain'],
    date: '03/05/2026 09:41',
    body: 'Two desks.',
    seen: ['Two desks.'],
    notSeen: ['5 March 2026', '3 May 2026'],
  },
  {
    what: 'enriched text',
    headers: ['Content-Type: text/enriched; charset=utf-8'],
    body: '<bold>Two</bold> desks.',
    seen: ['Two desks.'],
    notSeen: ['<bold>'],
  },
  {
    what: 'a digest',
    headers: ['Content-Type: multipart/digest; boundary=d'],
    body: '--d\r\n\r\nFrom: x@ext.example\r\nSubject: One\r\n\r\nInside.\r\n--d--\r\n',
    seen: ['.eml'],
  },
  {
    what: 'a calendar that is folded within a character',
    headers: ['Content-Type: multipart/mixed; boundary=c'],
    body: [
      '--c\r\nContent-Type: text/plain\r\n\r\nSee the invitation.\r\n--c',
      'Content-Type: text/calendar; charset=utf-8; method=REQUEST\r\n',
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:odd@ext.example',
      'DTSTAMP:20260305T070000Z\r\nDTSTART:20260310T140000Z\r\nDTEND:20260310T150000Z',
      `SUMMARY:${utf8('Büro prüfen').replaceAll('\xbc', '\r\n \xbc')}`,
      `ORGANIZER:mailto:${MEMBER}\r\nATTENDEE:mailto:${ADA}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n--c--\r\n`,
    ].join('\r\n'),
    seen: ['See the invitation.', 'Büro prüfen'],
  },
];

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;

beforeAll(async () => {
  rig.made = await openModelled(() => ({ text: 'Noted.' }), {
    'configs/security.json': {
      owners: ['owner@example.com'],
      loop_guard: { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0, max_fast_replies: 0 },
    },
  });
});
afterAll(() => rig.made?.close());

describe('an odd mail of a member', () => {
  it.each(MAILS.map((mail, number) => ({ ...mail, number })))('is shown as it was meant: $what', async (odd) => {
    const { headers, subject = `Odd ${odd.number}`, date = 'Thu, 5 Mar 2026 09:41:00 +0000', body, number } = odd;
    const head = [
      `From: Mia <${MEMBER}>`,
      `To: ${ADA}`,
      `Subject: ${subject}`,
      `Date: ${date}`,
      `Message-ID: <odd-${number}@ext.example>`,
      'MIME-Version: 1.0',
      ...headers,
    ];
    const before = made().model.requests.length;
    await made().office.post({ from: MEMBER, raw: Buffer.from([...head, '', body].join('\r\n'), 'latin1') });
    await made().office.arrival('reply', MEMBER, number + 1);
    const shown = made()
      .model.requests.slice(before)
      .map(({ view }) => view.lastUser)
      .join('\n');
    for (const text of odd.seen) expect(shown).toContain(text);
    for (const text of odd.notSeen ?? []) expect(shown).not.toContain(text);
  });
});
