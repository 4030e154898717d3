import ICAL from 'ical.js';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { call, documentOf, idOf, type Letters, openLetters } from './letters.ts';

const LENA = 'lena@ohara.example';

const open: { letters?: Letters } = {};
beforeAll(async () => {
  open.letters = await openLetters();
});
afterAll(() => open.letters?.close());

const office = (): Letters => {
  if (!open.letters) throw new Error('not open');
  return open.letters;
};

/** The invitation of a meeting, as a program sends it to whom it names, in a mail as a file. */
async function forwarded(uid: string, guest: string) {
  const calendar = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', 'METHOD:REQUEST', 'BEGIN:VEVENT', `UID:${uid}`],
    ...['DTSTAMP:20260301T080000Z', 'SEQUENCE:2', 'DTSTART:21000302T090000Z', 'DTEND:21000302T100000Z'],
    ...['SUMMARY:Harbour dues', `ORGANIZER;CN=Lena O'Hara:mailto:${LENA}`, `ATTENDEE;RSVP=TRUE:mailto:${guest}`],
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail({
    from: LENA,
    to: guest,
    subject: 'Harbour dues',
    text: 'You are invited.',
    icalEvent: { method: 'REQUEST', content: calendar },
  });
  return { filename: 'Harbour dues.eml', content: message as Buffer, contentType: 'message/rfc822' };
}

const invitationIn = (mail: string) => /invitation (inv_\w+)/.exec(mail)?.[1] ?? '';

describe('a week of mail', () => {
  it('two price lists of two programs: compared, and the answer carries the table', async () => {
    const theirs = 'Customer;Net\r\nAdams & Söhne;1.300,00\r\nÜber GmbH;99,00\r\n日本商事;999.999,75\r\n';
    const { text, files } = await office().replied(
      {
        subject: 'Two lists',
        text: 'Who pays more by the new list? Send me the table.',
        attachments: [
          { filename: 'old.xlsx', content: documentOf('made/lo-book.xlsx') },
          { filename: 'new.csv', content: theirs },
        ],
      },
      (mail, [old, now, made, attached]) => {
        const ask = { select: ['Customer', 'Net'], order_by: ['Customer'] };
        if (!now) {
          return [
            call('query_table', { source: idOf(mail, 'old.xlsx'), table: 'Orders', ...ask }),
            call('query_table', { source: idOf(mail, 'new.csv'), ...ask }),
          ];
        }
        const rows = now.result.rows.map((row: { Customer: string; Net: number }) => {
          const before = old.result.rows.find((one: { Customer: string }) => one.Customer === row.Customer);
          return { name: row.Customer, more: Number(row.Net) - Number(before.Net) };
        });
        const lines = rows.map(({ name, more }: { name: string; more: number }) => `${name},${more}`);
        if (!made) return [call('write_file', { path: 'lists.csv', content: ['Customer,More', ...lines].join('\n') })];
        if (!attached) return [call('attach', { path: 'lists.csv' })];
        return `More: ${rows.filter((row: { more: number }) => row.more > 0).map((row: { name: string }) => row.name)}`;
      },
    );
    expect(text).toMatch(/^More: Adams & Söhne\n/);
    expect(files.map(({ filename }) => filename)).toEqual(['lists.csv']);
    expect(files[0]?.content.toString()).toBe('Customer,More\nAdams & Söhne,65.5\nÜber GmbH,0\n日本商事,-0.5');
  });

  it('an offer as a mail of Outlook with a PDF in it: its table is added up', async () => {
    const text = await office().answered(
      {
        subject: 'Offer',
        text: 'What does it come to?',
        attachments: [{ filename: 'offer.msg', content: documentOf('outlook-offer.msg') }],
      },
      (mail, [sum]) =>
        sum
          ? `It comes to ${JSON.stringify(sum.result.rows[0])}`
          : [
              call('query_table', {
                source: `${idOf(mail, 'offer.msg')}/Angebot.pdf`,
                select: ['sum(Preis) as total', 'count(Menge) as n'],
              }),
            ],
    );
    expect(text).toContain('"total":1379.4');
    expect(text).toContain('"n":2');
  });

  it('a price list of several pages as a PDF: counted over all of them', async () => {
    const text = await office().answered(
      {
        subject: 'Stock',
        text: 'How many keys, and how many pieces?',
        attachments: [{ filename: 'stock.pdf', content: documentOf('made/long-ruled.pdf') }],
      },
      (mail, [sum]) =>
        sum
          ? JSON.stringify(sum.result.rows[0])
          : [
              call('query_table', {
                source: idOf(mail, 'stock.pdf'),
                select: ['count(Key) as keys', 'sum(Stock) as pieces'],
              }),
            ],
    );
    const pieces = Array.from({ length: 120 }, (_, n) => (((n + 1) * 7) % 90) + 1).reduce((a, b) => a + b, 0);
    expect(text).toContain('"keys":120');
    expect(text).toContain(`"pieces":${pieces}`);
  });

  it('the order that somebody else sent last month: found with its file, and worked with', async () => {
    const order = 'Item,Pieces,Price\nSail,4,420.00\nRope,12,3.50\nCleat,,9.00\n';
    await office().answered(
      {
        from: `Mia Moor <${MEMBER}>`,
        subject: 'Order of sails',
        text: 'Our order is attached.',
        attachments: [{ filename: 'order.csv', content: order }],
      },
      () => 'Thank you, Mia.',
    );
    const text = await office().answered(
      { subject: 'What Mia ordered', text: 'What did Mia order last month, and for how much?' },
      (_mail, [found, opened, sum]) => {
        if (sum) return `For ${sum.result?.rows[0].total ?? JSON.stringify(sum)}`;
        if (!found) return [call('search_mail', { query: 'order', from: 'Mia', has_attachment: true })];
        if (!opened) return [call('read_mail', { message_id: found.result.messages[0].message_id })];
        const [line] = opened.result.attachments;
        const source = /att_\w+/.exec(line)?.[0];
        return [call('query_table', { source, select: ['sum(Pieces * Price) as total'] })];
      },
    );
    expect(text).toBe('For 1722');
  });

  it('a ZIP with a contract in Spanish: its file is opened by its name, and its table asked', async () => {
    const text = await office().answered(
      {
        subject: 'Contrato',
        text: '¿Desde cuándo, y cuánto cuesta todo?',
        attachments: [{ filename: 'contrato.zip', content: documentOf('made/zip-letters.zip') }],
      },
      (mail, [read, sum]) => {
        const id = idOf(mail, 'contrato.zip');
        if (sum) return `${/empieza el ([^.]+) y dura/.exec(read.result.text)?.[1]}: ${sum.result.rows[0].total}`;
        return [
          call('read_attachment', { id, part: 'letter-es.docx' }),
          call('query_table', { source: `${id}/letter-es.docx`, select: ['sum(Precio) as total'] }),
        ];
      },
    );
    expect(text).toBe('1 de marzo de 2027: 1379.4');
  });

  it('a sheet of OpenDocument with amounts as people write them: added up', async () => {
    const text = await office().answered(
      {
        subject: 'Beträge',
        text: 'Was ergibt das?',
        attachments: [{ filename: 'b.ods', content: documentOf('made/lo-amounts.ods') }],
      },
      (mail, [sum]) =>
        sum
          ? String(sum.result.rows[0].total)
          : [call('query_table', { source: idOf(mail, 'b.ods'), select: ['sum(Betrag) as total'] })],
    );
    expect(text).toBe('111833.25');
  });

  it('did you really change it: looked up, and known from the mail before', async () => {
    const { office: own } = office();
    office().reads('The date in Kiel', (_mail, [made]) =>
      made ? 'I have written it down.' : [call('write_file', { path: 'kiel.md', content: 'Kiel: 14 May\n' })],
    );
    const before = (await own.left('reply', OWNER)).length;
    await office().letter({ subject: 'The date in Kiel', text: 'It is on 14 May, please note it.' });
    const noted = await own.arrival('reply', OWNER, before + 1);
    office().reads('Re: Re: The date in Kiel', (_mail, [read]) =>
      read ? `It says: ${read.result.text ?? read.result.content}` : [call('read_file', { path: 'kiel.md' })],
    );
    await own.answer(noted, 'Did you really change it?');
    const { mail } = await own.arrival('reply', OWNER, before + 2);
    expect(mail.text).toContain('It says: Kiel: 14 May');
    expect(JSON.stringify(office().model.requests.at(-1)?.body)).toContain('kiel.md');
  });
});

describe('an invitation that was sent on', () => {
  it('to its owner is answered in their name, with the wish for another time', async () => {
    const { office: own } = office();
    office().reads('Fwd: Harbour dues', (mail, [done]) => {
      if (done) return 'Lena knows.';
      const reply = { id: invitationIn(mail), answer: 'tentative', comment: 'Could we meet on Thursday?' };
      return [call('answer_invitation', reply)];
    });
    const file = await forwarded('dues@ohara.example', OWNER);
    await office().letter({ subject: 'Fwd: Harbour dues', text: 'Ask her for Thursday.', attachments: [file] });
    const notice = await own.arrival('approval', OWNER);
    const shown = office()
      .model.requests.map(({ view }) => view.lastUser)
      .join('\n');
    expect(shown).toContain('An invitation: "Harbour dues"\nForwarded: it went to whom it names');
    await own.answer(notice, 'approve');
    const { mail } = await own.arrival('reply', LENA);
    const part = mail.attachments.find(({ contentType }) => contentType === 'text/calendar');
    const event = new ICAL.Component(ICAL.parse(part?.content.toString() ?? '')).getFirstSubcomponent('vevent');
    expect(event?.getFirstPropertyValue('uid')).toBe('dues@ohara.example');
    const attendee = event?.getFirstProperty('attendee');
    expect(attendee?.getFirstValue()).toBe(`mailto:${OWNER}`);
    expect(attendee?.getParameter('partstat')).toBe('TENTATIVE');
    expect(attendee?.getParameter('sent-by')).toContain('ada@');
    expect(event?.getFirstPropertyValue('comment')).toBe('Could we meet on Thursday?');
  });

  it('to somebody else is shown, and cannot be answered', async () => {
    const file = await forwarded('theirs@ohara.example', 'tim@elsewhere.example');
    const text = await office().answered(
      { subject: 'Fwd: Of Tim', text: 'Say yes to it.', attachments: [file] },
      (mail, [refused]) =>
        refused
          ? `Not done: ${JSON.stringify(refused)}`
          : [call('answer_invitation', { id: invitationIn(mail), answer: 'accepted' })],
    );
    expect(text).toContain('neither you nor your owner is invited: it was forwarded');
  });
});
