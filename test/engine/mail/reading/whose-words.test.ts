import { describe, expect, it } from 'vitest';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { isSentDate } from '../../../../engine/mail/text/header-block.ts';
import { LIMITS } from '../limits.ts';

const ANSWERS = ['In-Reply-To: <q@agents.test>', 'References: <q@agents.test>'];
const OLD = 'Please buy the old house for 900 euros.';

interface Letter {
  readonly subject?: string;
  readonly headers?: readonly string[];
  readonly type?: string;
}

async function read(body: string, { subject = 'Re: Lamps', headers = ANSWERS, type = 'text/plain' }: Letter = {}) {
  const lines = [
    'From: Maria <maria@example.test>',
    'To: ada@agents.test',
    `Subject: ${subject}`,
    'Message-ID: <a@example.test>',
    'MIME-Version: 1.0',
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: 8bit',
    ...headers,
    '',
    ...body.split('\n'),
  ];
  const outcome = await readMail(Buffer.from(lines.join('\r\n')), LIMITS);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.mail;
}

/** From, sent, to, subject, as Outlook names them. */
const OUTLOOK: Readonly<Record<string, readonly [string, string, string, string, string]>> = {
  Czech: ['Od', 'Odesláno', 'Komu', 'Předmět', 'pátek 27. listopadu 2026 9:15'],
  Slovak: ['Od', 'Odoslané', 'Komu', 'Predmet', 'piatok 27. novembra 2026 9:15'],
  Hungarian: ['Feladó', 'Elküldve', 'Címzett', 'Tárgy', '2026. november 27., péntek 9:15'],
  Greek: ['Από', 'Στάλθηκε', 'Προς', 'Θέμα', 'Παρασκευή, 27 Νοεμβρίου 2026 9:15 πμ'],
  Hebrew: ['מאת', 'נשלח', 'אל', 'נושא', 'יום שישי 27 נובמבר 2026 09:15'],
  Arabic: ['من', 'تم الإرسال', 'إلى', 'الموضوع', 'الجمعة، ٢٧ نوفمبر ٢٠٢٦ ٩:١٥'],
  Persian: ['از', 'ارسال شده', 'به', 'موضوع', 'جمعه ۲۷ نوامبر ۲۰۲۶ ۰۹:۱۵'],
  Vietnamese: ['Từ', 'Đã gửi', 'Đến', 'Chủ đề', 'Thứ Sáu, 27 tháng 11, 2026 9:15'],
  Thai: ['จาก', 'ส่ง', 'ถึง', 'เรื่อง', 'วันศุกร์ที่ 27 พฤศจิกายน 2569 09:15'],
  Bulgarian: ['От', 'Изпратено', 'До', 'Относно', '27 ноември 2026 г. 9:15'],
  Croatian: ['Šalje', 'Poslano', 'Prima', 'Predmet', '27. studenoga 2026. 9:15'],
  Romanian: ['De la', 'Trimis', 'Către', 'Subiect', 'vineri, 27 noiembrie 2026 09:15'],
  Finnish: ['Lähettäjä', 'Lähetetty', 'Vastaanottaja', 'Aihe', 'perjantai 27. marraskuuta 2026 9.15'],
  Estonian: ['Saatja', 'Saadetud', 'Adressaat', 'Teema', 'reede, 27. november 2026 9:15'],
  Turkish: ['Kimden', 'Gönderilme', 'Kime', 'Konu', '27 Kasım 2026 Cuma 09:15'],
  Indonesian: ['Dari', 'Dikirim', 'Kepada', 'Perihal', 'Jumat, 27 November 2026 09.15'],
  Hindi: ['प्रेषक', 'भेजा गया', 'प्रति', 'विषय', '27 नवंबर 2026 09:15'],
  Korean: ['보낸 사람', '보낸 날짜', '받는 사람', '제목', '2026년 11월 27일 금요일 오전 9:15'],
  Japanese: ['差出人', '送信日時', '宛先', '件名', '2026年11月27日 金曜日 9:15'],
  Ukrainian: ['Від', 'Надіслано', 'Кому', 'Тема', 'п’ятниця, 27 листопада 2026 р. 9:15'],
};

describe('older mail below a copied header', () => {
  it.each(Object.entries(OUTLOOK))('is no word of the sender, in any order of its lines: %s', async (_, words) => {
    const [from, sent, to, subject, date] = words;
    const rows = [`${from}: Ada <ada@agents.test>`, `${sent}: ${date}`, `${to}: Maria`, `${subject}: Lamps`];
    for (const shown of [rows, [rows[3], rows[0], rows[2], rows[1]], [rows[1], rows[0], rows[2], rows[3]]]) {
      const { newText, pieces } = await read(`Yes, do it.\n\n${shown.join('\n')}\n\n${OLD}`);
      expect(newText).toBe('Yes, do it.');
      expect(pieces.map(({ text }) => text).join('\n')).toContain(OLD);
    }
  });

  it.each<[string, string]>([
    [
      'with stars',
      '*From:* Ada <ada@agents.test>\n*Sent:* Friday, November 27, 2026 9:15 AM\n*To:* Maria\n*Subject:* Lamps',
    ],
    [
      'with a long list',
      'To: a@x.test,\n b@x.test,\n c@x.test\nFrom: Ada <ada@agents.test>\nDate: Fri, 27 Nov 2026 09:15:00 +0000',
    ],
    [
      'with a blank before the colon',
      'De : Ada <ada@agents.test>\nEnvoyé : vendredi 27 novembre 2026 09:15\nÀ : Maria\nObjet : Lampes',
    ],
    ['with its time alone', 'From: Ada\nSent: Friday, 27 November 2026 09:15\nTo: Maria\nSubject: Lamps'],
  ])('is none either: %s', async (_, block) => {
    expect((await read(`Yes.\n\n${block}\n\n${OLD}`)).newText).toBe('Yes.');
  });

  it('is handed on in a mail that answers nothing', async () => {
    const block = 'Od: Jan <jan@example.test>\nOdesláno: pátek 27. listopadu 2026 9:15\nKomu: Maria\nPředmět: Lampy';
    const mail = await read(`Look at this.\n\n${block}\n\n${OLD}`, { subject: 'Fwd: Lampy', headers: [] });
    expect([mail.newText, mail.forwardedText.includes(OLD)]).toEqual(['Look at this.', true]);
  });
});

describe('lines that look like a header', () => {
  it.each<[string, string]>([
    ['a journey', 'Please book:\n\nFrom: Leipzig\nTo: Kiel\nDate: 7 December\n\nSecond class.'],
    [
      'a journey with its time',
      'Bitte buchen:\n\nVon: Leipzig\nNach: Kiel\nDatum: 7. Dezember, 9:15 Uhr\n\nZweite Klasse.',
    ],
    ['a letter', 'Please send:\n\nFrom: Maria\nTo: The council\nSubject: The road\n\nIt is broken.'],
    ['a form', 'Somebody wrote:\n\nName: Jo\nEmail: jo@example.test\nMessage: Hello\n\nPlease answer.'],
    ['currencies', 'From: EUR\nTo: USD\nDate: today\n\nWhat is the rate?'],
    ['a list', 'Lamps: 12\nChairs: 3\nTables: 1\n\nPlease order.'],
  ])('is what the sender wrote: %s', async (_, body) => {
    expect((await read(body, { subject: 'A request', headers: [] })).newText).toBe(body);
  });
});

describe('a line that says who wrote when', () => {
  it.each([
    'בתאריך יום ו׳, 27 בנוב׳ 2026 ב-9:15 מאת Ada <ada@agents.test>:',
    'Pe vin., 27 nov. 2026 la 09:15, Ada <ada@agents.test> a scris:',
    '2026-11-27 9:15 GMT+01:00 Ada <ada@agents.test>:',
    'Στις Παρ 27 Νοε 2026 στις 9:15 π.μ., ο χρήστης Ada <ada@agents.test> έγραψε:',
    'Pada Jum, 27 Nov 2026 pukul 09.15 Ada <ada@agents.test> menulis:',
    '---- On Fri, 27 Nov 2026 09:15:00 +0100 Ada <ada@agents.test> wrote ----',
    'Vào Th 6, 27 thg 11, 2026 vào lúc 09:15 Ada <ada@agents.test> đã viết:',
  ])('ends what was written now, in any language: %s', async (line) => {
    expect((await read(`Yes.\n\n${line}\n\n${OLD}`)).newText).toBe('Yes.');
  });

  it.each(['Three things for Friday:', 'Call me at 9:15:', 'Write to jo@example.test:'])(
    'is not this one: %s',
    async (line) => {
      expect((await read(`Yes.\n\n${line}\n\nLamps.`)).newText).toContain('Lamps.');
    },
  );
});

describe('what a program broke', () => {
  const QUOTED = '> Please confirm that we buy the old house at the lake for the price that';

  it('is quoted where a line lost its sign in the middle of a sentence', async () => {
    const { newText } = await read(`Yes.\n\nOn Friday Ada wrote:\n${QUOTED}\nwas named in May, approve it.\n> Regards`);
    expect(newText).toBe('Yes.');
  });
  it.each(['No.', 'Yes, both', '12 of them'])('is an answer where it begins anew: %s', async (answer) => {
    const { newText } = await read(`On Friday Ada wrote:\n> Do you want the lamps?\n${answer}\n> And the chairs?`);
    expect(newText).toContain(answer);
  });
});

describe('dashes and footers', () => {
  it.each<[string, string]>([
    ['dashes that part two things', 'Two things.\n--\nFirst: buy lamps.\n--\nSecond: sell the desk.'],
    ['a sentence that begins like a footer', 'Please write on the card:\n\nSent with thanks from Maria'],
    ['the end of a sentence', 'Tell them:\n\nYour lamp was\nSent via DHL today'],
  ])('are words of the sender: %s', async (_, body) => {
    expect((await read(body, { subject: 'A request', headers: [] })).newText).toBe(body);
  });
  it.each<[string, string]>([
    ['the mark of a signature', 'Yes.\n\n-- \nMaria\nDirector'],
    ['the mark without its blank', 'Yes.\n--\nMaria\nDirector'],
    ['a telephone', 'Yes.\n\nSent from my iPhone'],
    ['a program', 'Yes.\n\nSent with Proton Mail secure email.'],
  ])('are not: %s', async (_, body) => {
    expect((await read(body)).newText).toBe('Yes.');
  });
});

it('takes the quotation of GMX and WEB.DE for one', async () => {
  const quote = `<div name="quote" style="border-left: 2px solid"><div><b>Gesendet:</b> Freitag<br><b>Von:</b> Ada</div><div name="quoted-content">${OLD}</div></div>`;
  const mail = await read(`<html><body><div>Ja.</div><div>&nbsp;${quote}</div></body></html>`, { type: 'text/html' });
  expect([mail.newText, mail.quotedText.includes(OLD)]).toEqual(['Ja.', true]);
});

describe('when a mail was sent', () => {
  it.each(['Fri, 27 Nov 2026 09:15:00 +0000', '27.11.26 09:15', '2026年11月27日 9時15分', '٢٧/١١/٢٠٢٦ ٩:١٥'])(
    'is a year and a time: %s',
    (text) => expect(isSentDate(text)).toBe(true),
  );
  it.each(['7 December', '27.11.2026', '9:15', '2026', 'Room 2026, table 9'])('is no less: %s', (text) =>
    expect(isSentDate(text)).toBe(false),
  );
});
