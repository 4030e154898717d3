import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '#contract';
import { MEMBER, OWNER, type Sent } from '../governance-rig.ts';
import { type Modelled, openModelled } from './office-with-model.ts';

const ADA = 'ada@agents.localhost';
const BOB = 'bob@elsewhere.example';
const NINA = 'nina@member.example';

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;

/** Does as the mail says, with the id of the meeting that it is shown. */
const callFor = (mail: string): Json | null => {
  const id = /invitation (inv_[0-9a-f]{12})/.exec(mail)?.[1];
  if (mail.includes('invite Bob for Tuesday'))
    return {
      to: [BOB],
      title: 'Pump order; terms, prices',
      start: '2100-03-02T10:00',
      duration_min: 45,
      note: 'Bring the offer.',
    };
  if (mail.includes('Move it')) return { id: id ?? '', start: '2100-03-02T11:30' };
  if (mail.includes('Call it off')) return { id: id ?? '', cancel: true };
  if (mail.includes('invite Bob for yesterday')) return { to: [BOB], title: 'Late', start: '2001-01-01T10:00' };
  return null;
};

beforeAll(async () => {
  rig.made = await openModelled(
    (_, mail, results) => {
      if (results.length > 0) return { text: `Done. ${results.at(-1)?.slice(0, 200)}` };
      const args = callFor(mail);
      return args ? { calls: [{ name: 'invite', arguments: args }] } : { text: 'Noted.' };
    },
    {
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        owners: [OWNER],
        timezone: 'Europe/Berlin',
        access: { allow: [MEMBER, NINA] },
      },
    },
  );
});
afterAll(() => rig.made?.close());

const REQUEST = '<meet@member.example>';

const write = (text: string, id: string, more: readonly string[] = []) =>
  made().office.post({
    from: MEMBER,
    raw: [
      ...[`From: Mia Moor <${MEMBER}>`, `To: ${ADA}`, 'Date: Sat, 21 Nov 2026 12:00:00 +0000'],
      ...['Subject: A meeting', `Message-ID: ${id}`, ...more, '', text, ''],
    ].join('\r\n'),
  });
const goOn = (text: string, id: string) => write(text, id, [`In-Reply-To: ${REQUEST}`, `References: ${REQUEST}`]);

/** Strictly: the parser throws for a line that is none. */
function eventIn({ mail }: Sent): { method: unknown; event: ICAL.Component } {
  const part = mail.attachments.find(({ contentType }) => contentType === 'text/calendar');
  const text = part?.content.toString('utf8') ?? '';
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const calendar = new ICAL.Component(ICAL.parse(text));
  return {
    method: calendar.getFirstPropertyValue('method'),
    event: calendar.getFirstSubcomponent('vevent') as ICAL.Component,
  };
}

const textIn = (event: ICAL.Component, name: string) => String(event.getFirstPropertyValue(name));

const answerEvent = (uid: string, partstat: string, second: number, more: readonly string[] = []) => [
  ...['BEGIN:VEVENT', `UID:${uid}`, `DTSTAMP:20261121T1300${String(second).padStart(2, '0')}Z`, 'SEQUENCE:0', ...more],
  ...['DTSTART:21000302T090000Z', `ORGANIZER:mailto:${ADA}`, `ATTENDEE;PARTSTAT=${partstat}:mailto:${BOB}`],
  ...['COMMENT:Looking forward', 'END:VEVENT'],
];

const reply = (uid: string, partstat: string, inReplyTo: string) =>
  sendReply(answerEvent(uid, partstat, 0), 'yes', inReplyTo);

const sendReply = (events: readonly string[], id: string, inReplyTo: string) => {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', 'METHOD:REPLY', ...events, 'END:VCALENDAR'];
  const raw = [
    ...[`From: Bob <${BOB}>`, `To: ${ADA}`, 'Date: Sat, 21 Nov 2026 13:00:00 +0000', 'Subject: Accepted'],
    ...[`Message-ID: <${id}@elsewhere.example>`, `In-Reply-To: ${inReplyTo}`],
    ...['Content-Type: text/calendar; method=REPLY; charset=utf-8', '', ...lines, ''],
  ];
  return made().office.post({ from: BOB, raw: raw.join('\r\n') });
};

describe('a meeting that the persona invites to', () => {
  const first: { uid: string; messageId: string } = { uid: '', messageId: '' };

  it('is asked of the owner with the time by the clock of the persona, and then sent for calendars', async () => {
    const { office, model } = made();
    await write('Please invite Bob for Tuesday at ten.', REQUEST);
    const asked = await office.arrival('approval', OWNER);
    expect(model.requests.at(-1)?.view.tools).toContain('invite');
    expect(asked.mail.text).toContain(`To: ${BOB}`);
    expect(asked.mail.text).toContain('Tue, 2 Mar 2100, 10:00 – 10:45 (Europe/Berlin)');
    expect(await office.left('reply', BOB)).toEqual([]);
    await office.answer(asked, 'approve');
    const sent = await office.arrival('reply', BOB);
    const { method, event } = eventIn(sent);
    expect(method).toBe('REQUEST');
    expect(textIn(event, 'organizer')).toBe(`mailto:${ADA}`);
    expect(textIn(event, 'dtstart')).toBe('2100-03-02T09:00:00Z');
    expect(textIn(event, 'dtend')).toBe('2100-03-02T09:45:00Z');
    expect(textIn(event, 'summary')).toBe('Pump order; terms, prices');
    expect(textIn(event, 'sequence')).toBe('0');
    expect(event.getFirstProperty('attendee')?.getFirstValue()).toBe(`mailto:${BOB}`);
    expect(sent.mail.subject).toBe('Invitation: Pump order; terms, prices');
    expect(sent.mail.text).toContain('Bring the offer.');
    // Who is invited reads with whom, and the day in words.
    expect(sent.mail.text).toContain('Ada invites you to this meeting. The meeting is with Mia Moor.');
    expect(sent.mail.text).toContain('Tue, 2 Mar 2100, 10:00 – 10:45 (Europe/Berlin)');
    expect(sent.mail.text).not.toMatch(/\d{4}-\d\d-\d\dT/);
    first.uid = textIn(event, 'uid');
    first.messageId = sent.mail.messageId ?? '';
    expect(`<${first.uid}>`).toBe(first.messageId);
    await office.arrival('reply', MEMBER);
  });

  it('is answered by a calendar: whoever asked hears of it, once, and no model does', async () => {
    const { office, model } = made();
    const before = model.requests.length;
    await reply(first.uid, 'ACCEPTED', first.messageId);
    const told = await office.arrival('relay', MEMBER);
    expect(told.mail.inReplyTo).toBe(REQUEST);
    expect(told.mail.text).toContain(`${BOB} has accepted the invitation.`);
    expect(told.mail.text).toContain('> Looking forward');
    expect(told.mail.text).toContain('Tue, 2 Mar 2100, 10:00');
    expect(model.requests).toHaveLength(before);
    const [listed, ...others] = (await office.cli('invitations', 'list')).json.invitations;
    expect(others).toEqual([]);
    expect(listed).toMatchObject({ title: 'Pump order; terms, prices', state: 'sent', sequence: 0, persona: 'ada' });
    const { invitation } = (await office.cli('invitations', 'show', listed.id)).json;
    expect(invitation.start).toBe('2100-03-02T10:00:00+01:00');
    expect(invitation.guests).toEqual([
      { address: BOB, answer: 'accepted', answered_at: expect.any(String), comment: 'Looking forward' },
    ]);
  });

  it('mails whoever asked no more than a few times, however often a guest answers and to however many dates', async () => {
    const { office } = made();
    for (const second of [1, 2, 3, 4, 5]) {
      const partstat = second % 2 === 0 ? 'ACCEPTED' : 'TENTATIVE';
      await sendReply(answerEvent(first.uid, partstat, second), `again-${second}`, first.messageId);
    }
    const dates = Array.from({ length: 20 }, (_, n) =>
      answerEvent(first.uid, n === 19 ? 'ACCEPTED' : 'DECLINED', 10 + n, [`RECURRENCE-ID:210003${10 + n}T090000Z`]),
    );
    await sendReply(dates.flat(), 'dates', first.messageId);
    const database = new SQLite(join(office.root, 'data/personas/ada/persona.db'), { readonly: true });
    const count = (from: string) => database.prepare(`select count(*) from ${from}`).pluck().get();
    // A span of ten minutes may end while this runs, so there may be two beside the first.
    expect(
      Number(count("jobs where kind = 'meeting_answered'")) +
        Number(count("outbox where purpose like 'meeting_answered:%'")),
    ).toBeLessThanOrEqual(3);
    expect(count('invitation_answers')).toBe(1);
    database.close();
    const [listed] = (await office.cli('invitations', 'list')).json.invitations;
    expect(listed.guests).toMatchObject([{ address: BOB, answer: 'accepted' }]);
  });

  it('says nobody who comes that makes up a copy of it, and is changed by none', async () => {
    const { office, model } = made();
    const event = [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', 'METHOD:REQUEST', 'BEGIN:VEVENT'],
      ...[`UID:${first.uid}`, 'DTSTAMP:20261121T140000Z', 'SEQUENCE:99', 'DTSTART:21000302T150000Z'],
      ...[`ORGANIZER:mailto:${ADA}`, `ATTENDEE:mailto:${NINA}`, 'SUMMARY:Copied', 'END:VEVENT', 'END:VCALENDAR'],
    ];
    const raw = [
      ...[`From: ${NINA}`, `To: ${ADA}`, 'Date: Sat, 21 Nov 2026 14:00:00 +0000', 'Subject: A copy'],
      ...['Message-ID: <copy@member.example>', 'Content-Type: multipart/mixed; boundary=x', '', '--x', ''],
      ...['Who comes?', '--x', 'Content-Type: text/calendar; method=REQUEST; charset=utf-8', '', ...event, '--x--', ''],
    ];
    await office.post({ from: NINA, raw: raw.join('\r\n') });
    const facts = () => model.requests.findLast(({ view }) => view.lastUser.includes('Who comes?'))?.view.lastUser;
    await vi.waitFor(() => expect(facts()).toContain('Copied'), 90_000);
    expect(facts()).not.toContain(BOB);
  });

  it('is changed in its thread, with the answers among the facts, and cancelled', async () => {
    const { office, model } = made();
    await goOn('Move it to half past eleven.', '<move@member.example>');
    await office.answer(await office.arrival('approval', OWNER, 2), 'approve');
    const moved = await office.arrival('reply', BOB, 2);
    const facts = model.requests.findLast(({ view }) => view.lastUser.includes('Move it'))?.view.lastUser ?? '';
    expect(facts).toContain('An invitation of yours: "Pump order; terms, prices"');
    expect(facts).toContain(`Answered: ${BOB} accepted, `);
    expect(moved.mail.inReplyTo).toBe(first.messageId);
    expect(moved.mail.subject).toBe('Changed: Pump order; terms, prices');
    expect(moved.mail.text).toContain('Tue, 2 Mar 2100, 11:30 – 12:15 (Europe/Berlin)');
    expect(moved.mail.text).toContain('Before: Tue, 2 Mar 2100, 10:00 – 10:45 (Europe/Berlin)');
    const { event } = eventIn(moved);
    expect([textIn(event, 'uid'), textIn(event, 'sequence')]).toEqual([first.uid, '1']);
    expect(textIn(event, 'dtstart')).toBe('2100-03-02T10:30:00Z');
    expect(textIn(event, 'dtend')).toBe('2100-03-02T11:15:00Z');
    await goOn('Call it off.', '<off@member.example>');
    await office.answer(await office.arrival('approval', OWNER, 3), 'approve');
    const off = eventIn(await office.arrival('reply', BOB, 3));
    expect(off.method).toBe('CANCEL');
    expect([textIn(off.event, 'sequence'), textIn(off.event, 'status')]).toEqual(['2', 'CANCELLED']);
    const { invitations } = (await office.cli('invitations', 'list')).json;
    expect(invitations).toMatchObject([{ state: 'cancelled', sequence: 2 }]);
  });

  it('is not made in the past, and the tool is shown to a mail about something else as well', async () => {
    const { office, model } = made();
    await write('Please invite Bob for yesterday.', '<late@member.example>');
    await vi.waitFor(() => expect(made().told()).toContain('its start lies in the past'), 90_000);
    await write('How are the pumps?', '<pumps@member.example>');
    await vi.waitFor(() => expect(model.requests.at(-1)?.view.lastUser).toContain('How are the pumps'), 90_000);
    expect(model.requests.at(-1)?.view.tools).toContain('invite');
    expect(await office.left('approval', OWNER)).toHaveLength(3);
  });
});
