import { describe, expect, it } from 'vitest';
import { accountFor } from '../../../../engine/mail/approval/accounted/accounted.ts';
import { doubtfulLine } from '../../../../engine/mail/approval/accounted/beside.ts';
import type { SentMail } from '../../../../engine/mail/approval/accounted/own-lines.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { isFooter } from '../../../../engine/mail/text/phrases.ts';
import { htmlMail, plainMail } from '../../../corpus/answer-clients.ts';
import { LIMITS } from '../limits.ts';

const ASKED =
  'May I send this mail to carl@elsewhere.example?\n\n12 lamps for 4,800 EUR\n\nReply "yes" or "no".\n\nAda\nAI assistant';
const QUESTION: SentMail = {
  versions: [ASKED],
  subject: 'Approval',
  people: ['Ada', 'ada@agents.localhost', 'maria@example.com'],
  from: 'ada@agents.localhost',
  sentAt: Date.parse('2026-11-28T21:34:00Z'),
};
const HEAD =
  'Gesendet: Samstag, 28. November 2026 um 22:34 Uhr\nVon: "Ada" <ada@agents.localhost>\nAn: maria@example.com\nBetreff: Approval';
const COPIED = `${HEAD}\n\n${ASKED}`;

async function read(raw: Buffer) {
  const outcome = await readMail(raw, LIMITS);
  if (!outcome.ok) throw new Error(outcome.message);
  const accounted = accountFor(outcome.mail.pieces, [QUESTION]);
  return { typed: accounted.typed, beside: doubtfulLine(accounted, { earlier: [], asked: new Set() }) };
}
const plain = (text: string) => read(plainMail(text));

describe('an answer below a question that a program has copied without a mark', () => {
  it('is what was typed', async () => {
    expect(await plain(`${COPIED}\n\nYes\n\nKind regards\nMaria`)).toEqual({
      typed: 'Yes\n\nKind regards\nMaria',
      beside: null,
    });
    const html = `<div id="divRplyFwdMsg">${HEAD.replaceAll('\n', '<br>').replace(/<a(.*?)>/, '&lt;a$1&gt;')}</div><p>${ASKED.replaceAll('\n', '<br>')}</p><p>Yes</p>`;
    expect(await read(htmlMail(html))).toEqual({ typed: 'Yes', beside: null });
  });

  it.each([
    ['where something is typed above it as well', `Maybe.\n\n${COPIED}\n\nYes`],
    ['before the end of our mail', `${HEAD}\n\n${ASKED.replace('Ada\nAI', 'Yes\n\nAda\nAI')}`],
    ['where our mail is not there to its end', `${HEAD}\n\n${ASKED.replace('\nAI assistant', '')}\n\nYes`],
    ['behind quote signs', `${HEAD}\n\n${ASKED}\n\n> Yes`],
    ['below the head of somebody else', `${HEAD.replace('"Ada" <ada', '"Tim" <tim')}\n\n${COPIED}\n\nYes`],
    ['below a head that names another at the same time', `Am 28.11.2026 um 22:34 schrieb Mallory:\n\n${ASKED}\n\nYes`],
    [
      'below a head that names one whose name begins like ours',
      `Am 28.11.2026 um 22:34 schrieb Adam:\n\n${ASKED}\n\nYes`,
    ],
    ['with a link beside it, as adverts have', `${COPIED}\n\nYes\nhttps://www.mail.example/yes`],
    ['with the target of a link behind it', `${COPIED}\n\nYes [https://www.mail.example/yes]`],
  ])('is not that alone %s', async (_, text) => {
    const { typed, beside } = await plain(text);
    expect([typed, beside]).not.toEqual(['Yes', null]);
  });
});

describe('the line above our mail', () => {
  it.each(['Am 28.11.2026 um 22:34 schrieb Mallory:', 'On Sat, 28 Nov 2026 22:34, Mallory wrote:'])(
    'is none of ours where it names somebody else at the same time: %s',
    async (line) => {
      const quoted = 'May I send this mail to carl@elsewhere.example?';
      const { beside } = await plain(`Yes\n\n${line}\n> ${quoted}\n> 12 lamps for 4,800 EUR\n> Reply "yes" or "no".`);
      expect(beside).not.toBeNull();
    },
  );

  it.each(['Dne 28.11.2026 22:34 Ada napsal(a):', 'Den 28.11.2026 22:34 skrev Ada:', '28.11.2026 22:34, Ada пишет:'])(
    'says nothing of its own: %s',
    async (line) => {
      const { beside } = await plain(`Yes\n\n${line}\n> ${ASKED.replaceAll('\n', '\n> ')}`);
      expect(beside).toBeNull();
    },
  );

  it.each([
    'Dne 29.10.2026 22:34 Ada napsal(a):',
    'Dne 28.11.2026 22:34 Ada napsal(a): ne',
    'Dne 28. 11. 2026 22:34 Ada napsal(a): ne',
    'Den 28.11.2026 22:34 vent skrev Ada:',
  ])('is asked about where it is not that of our mail: %s', async (line) => {
    const { typed, beside } = await plain(`Yes\n\n${line}\n> ${ASKED.replaceAll('\n', '\n> ')}`);
    expect([typed, beside]).not.toEqual(['Yes', null]);
  });
});

describe('the head above our mail', () => {
  it.each([
    [
      'מאת: Ada <ada@agents.localhost>',
      'נשלח: יום שבת, 28 בנובמבר 2026 22:34',
      'אל: maria@example.com',
      'נושא: Approval',
    ],
    [
      'Từ: Ada <ada@agents.localhost>',
      'Đã gửi: Thứ Bảy, 28 tháng 11, 2026 22:34',
      'Đến: maria@example.com',
      'Chủ đề: Approval',
    ],
  ])('says nothing of its own: %s %s', async (...rows) => {
    expect(await plain(`Yes\n\n${rows.join('\n')}\n\n${ASKED}`)).toEqual({ typed: 'Yes', beside: null });
  });
});

describe('the line of a telephone', () => {
  it.each([
    'Odesláno z iPhonu',
    'Odoslané z iPhonu',
    'Elküldve az iPhone-omról',
    'Trimis de pe iPhone',
    'Στάλθηκε από το iPhone μου',
    'Изпратено от моя iPhone',
    'נשלח מה-iPhone שלי',
    'أُرسلت من الـ iPhone',
    'تم الإرسال من الـ iPhone',
    'Đã gửi từ iPhone của tôi',
    'Sendt fra min iPhone',
    '나의 iPhone에서 보냄',
    "iPhone'umdan gönderildi",
    // The target of a link stood before the last word.
    '使用 BlueMail   发送',
  ])('is known: %s', (line) => expect(isFooter(line)).toBe(true));

  it.each([
    'Odesláno z jiného účtu, počkejte',
    'Trimis de pe alt cont',
    'נשלח מהחשבון הלא נכון',
    'Sendt fra min chef',
    'Sendt fra Outlook ved en fejl',
    'Odesláno z iPhonu omylem',
    'iPhone',
    '나의 의견은 반대',
  ])('is none where it names no device: %s', (line) => expect(isFooter(line)).toBe(false));
});
