import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../engine/calendar/job.ts';
import { requestText } from '../../engine/calendar/request.ts';
import { composeMail } from '../../engine/mail/compose/compose.ts';

const FILES = new URL('../engine/calendar/files/', import.meta.url);
const SCRIPT = fileURLToPath(new URL('read-reply.py', import.meta.url));
const ADA = 'ada@personas.example';
const NOW = Date.UTC(2026, 2, 1, 12);
const COMMENT = 'Grüße; ten minutes late,\nsorry';

const requests = readdirSync(FILES).filter((file) =>
  /^(?!.*cancel).*-(?:request|update|instance|utc|custom-zone|this-and-future)\./.test(file),
);

/** The mail with the answer to the first invitation of a file, and what it answers. */
async function answerTo(file: string) {
  const text = readFileSync(new URL(file, FILES), 'utf8');
  const read = answerOf(text, { kind: 'invitations', timezone: 'Europe/Berlin', from: NOW });
  const [invitation] = read.kind === 'invitations' ? read.invitations : [];
  if (!invitation) throw new Error(`${file} holds none`);
  const { uid, recurrence_id } = invitation;
  const reply = answerOf(text, {
    kind: 'reply',
    uid,
    recurrence_id,
    attendee: ADA,
    partstat: 'accepted',
    comment: COMMENT,
    sentBy: null,
    now: NOW,
    timezone: 'Europe/Berlin',
  });
  if (reply.kind !== 'reply' || reply.text === null) throw new Error(`${file} cannot be answered`);
  return { invitation, raw: await mailWith({ method: 'REPLY', text: reply.text }) };
}

const mailWith = (calendar: NonNullable<Parameters<typeof composeMail>[0]['calendar']>) =>
  composeMail({
    from: { name: 'Ada', address: ADA },
    to: [{ name: '', address: 'organizer@test.example' }],
    cc: [],
    replyTo: null,
    subject: 'Accepted',
    messageId: '<1@test.example>',
    inReplyTo: null,
    references: [],
    date: NOW,
    kind: 'reply',
    runId: null,
    autoSubmitted: 'auto-generated',
    recursion: null,
    text: 'Ada has accepted the invitation.',
    signature: [],
    quote: null,
    attachments: [],
    extraHeaders: {},
    calendar,
  });

describe('an answer to an invitation', () => {
  it.each(requests)('to %s is read by another program as it was meant', async (file) => {
    const { invitation, raw } = await answerTo(file);
    const told = execFileSync('/usr/bin/python3', [SCRIPT], { input: raw, encoding: 'utf8' });
    expect(JSON.parse(told)).toEqual({
      root: 'multipart/alternative',
      parts: 1,
      declared: 'REPLY',
      method: 'REPLY',
      events: 1,
      errors: [],
      uid: invitation.uid,
      sequence: invitation.sequence,
      has_stamp: true,
      comment: COMMENT,
      organizer: `mailto:${invitation.organizer?.address}`,
      instance: invitation.instance?.event ?? null,
      attendees: [[`mailto:${ADA}`, 'ACCEPTED']],
    });
  });
});

describe('an invitation of the persona itself', () => {
  it.each(['REQUEST', 'CANCEL'] as const)('is read by another program as it was meant: %s', async (method) => {
    const written = {
      summary: 'Pumpen; Preise, "Größe" — ポンプの見積もりと納期について話し合いましょう、来週の火曜日に',
      location: 'Raum 1\\2, Köln',
      description: 'Erste Zeile\n\nZweite; mit, allem: BEGIN:VEVENT',
    };
    const raw = await mailWith({
      method,
      text: requestText({
        ...written,
        uid: 'x1@test.example',
        sequence: 2,
        method,
        start: NOW,
        end: NOW + 2_700_000,
        now: NOW,
        organizer: { address: ADA, name: 'Ada, "the" one' },
        attendees: [
          { address: 'bob@test.example', name: '' },
          { address: 'zoe@test.example', name: 'Zoë; Q' },
        ],
      }),
    });
    const told = execFileSync('/usr/bin/python3', [SCRIPT], { input: raw, encoding: 'utf8' });
    expect(JSON.parse(told)).toEqual({
      root: 'multipart/alternative',
      parts: 1,
      declared: method,
      method,
      events: 1,
      errors: [],
      uid: 'x1@test.example',
      sequence: 2,
      has_stamp: true,
      comment: '',
      instance: null,
      ...written,
      organizer: `mailto:${ADA}`,
      status: method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED',
      names: ['', 'Zoë; Q'],
      start: '2026-03-01T12:00:00+00:00',
      end: '2026-03-01T12:45:00+00:00',
      attendees: [
        ['mailto:bob@test.example', 'NEEDS-ACTION'],
        ['mailto:zoe@test.example', 'NEEDS-ACTION'],
      ],
    });
  });
});
