import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readCalendar } from '../../../engine/calendar/calendar.ts';
import { invitationsOf } from '../../../engine/calendar/invitations.ts';
import type { Invitation } from '../../../engine/calendar/types.ts';
import { eventWith } from './event-with.ts';

// As other programs read the same files: expected.py beside it wrote it.
const facts = z.object({
  uid: z.string(),
  method: z.string(),
  sequence: z.number(),
  recurrence_id: z.string().nullable(),
  organizer: z.string().nullable(),
  attendees: z.array(z.tuple([z.string(), z.string()])),
  summary: z.string(),
  location: z.string(),
  all_day: z.boolean(),
  start: z.string(),
  own_start: z.string(),
  own_end: z.string(),
  next: z.array(z.string()).nullable(),
});
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const expected = z.record(z.string(), z.array(facts)).parse(JSON.parse(read('expected.json')));
const rules = z
  .array(z.object({ rule: z.string(), start: z.string(), want: z.array(z.string()) }))
  .parse(JSON.parse(read('rules.json')));

const FROM = Date.UTC(2026, 2, 1);

function invitationsIn(text: string, timezone = 'Europe/Berlin', from = FROM): Invitation[] {
  const calendar = readCalendar(text);
  if (calendar === null) throw new Error('no calendar');
  return invitationsOf(calendar, { timezone, from });
}

const inBrief = (invitation: Invitation): z.infer<typeof facts> => ({
  uid: invitation.uid,
  method: invitation.method,
  sequence: invitation.sequence,
  recurrence_id: invitation.recurrence_id,
  organizer: invitation.organizer?.address ?? null,
  attendees: invitation.attendees.map(({ address, partstat }) => [address, partstat]),
  summary: invitation.summary,
  location: invitation.location,
  all_day: invitation.all_day,
  start: invitation.all_day
    ? (invitation.start?.event ?? '')
    : new Date(invitation.start?.instant ?? 0).toISOString().replace('.000', ''),
  own_start: invitation.start?.own ?? '',
  own_end: invitation.end?.own ?? '',
  next: invitation.recurrence?.next.map(({ own }) => own) ?? null,
});

describe('what five programs write', () => {
  const files = readdirSync(new URL('files', import.meta.url)).sort();

  it('is all among the expected facts', () => expect(Object.keys(expected).sort()).toEqual(files));

  it.each(files)('%s has the facts that other programs read in it', (file) => {
    expect(invitationsIn(read(`files/${file}`)).map(inBrief)).toEqual(expected[file]);
  });

  it('is told in the zone of the event and in that of the reader', () => {
    const [outlook] = invitationsIn(read('files/outlook-request.ics'));
    expect(outlook).toMatchObject({
      zone: 'Australia/Sydney',
      start: { event: '2026-03-12T09:00:00+11:00', own: '2026-03-11T23:00:00+01:00' },
      recurrence: { words: 'every month on the 2nd Thursday, until 2026-12-09' },
    });
    // Clocks go back in Sydney and forward in Berlin between the first and the second.
    expect(outlook?.recurrence?.next.slice(0, 2).map(({ event, own }) => [event, own])).toEqual([
      ['2026-03-12T09:00:00+11:00', '2026-03-11T23:00:00+01:00'],
      ['2026-04-09T09:00:00+10:00', '2026-04-09T01:00:00+02:00'],
    ]);
    expect(outlook?.recurrence?.except.map(({ event }) => event)).toEqual(['2026-07-09T09:00:00+10:00']);
  });

  it('says what was cancelled, and which instance', () => {
    const cancelled = (file: string) =>
      invitationsIn(read(`files/${file}`)).map((one) => [one.cancelled, one.instance?.own]);
    expect(cancelled('google-cancel.ics')).toEqual([[true, undefined]]);
    expect(cancelled('outlook-cancel-instance.ics')).toEqual([[true, '2026-06-11T01:00:00+02:00']]);
    expect(cancelled('google-request.ics')).toEqual([[false, undefined]]);
  });
});

describe('two hundred rules', () => {
  it('come on the days on which dateutil has them', () => {
    for (const { rule, start, want } of rules) {
      const text = eventWith(`DTSTART:${start}Z`, `RRULE:${rule}`);
      const [event] = invitationsIn(text, 'UTC', Date.UTC(2026, 0, 1));
      const got = event?.recurrence?.next.map(({ own }) => own.slice(0, 16));
      // A series is followed for seven years.
      expect([rule, start, got]).toEqual([rule, start, want.filter((at) => at < '2033').slice(0, 5)]);
    }
  });
});
