import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCalendar } from '../../../engine/calendar/calendar.ts';
import { answerOf } from '../../../engine/calendar/job.ts';
import type { Invitation } from '../../../engine/calendar/types.ts';
import { calendarText } from '../../../engine/calendar/words/text.ts';
import { computedMs } from '../../computed.ts';
import { eventWith } from './event-with.ts';

const FROM = Date.UTC(2026, 2, 1);

function invitationsIn(text: string): readonly Invitation[] {
  const answer = answerOf(text, { kind: 'invitations', timezone: 'Europe/Berlin', from: FROM });
  return answer.kind === 'invitations' ? answer.invitations : [];
}
const startOf = (...lines: string[]) => invitationsIn(eventWith(...lines))[0]?.start?.own;

describe('zones that a file names and does not describe', () => {
  it.each([
    ['Europe/London', '2026-07-01T10:00:00+02:00'],
    ['"Europe/London"', '2026-07-01T10:00:00+02:00'],
    ['/mozilla.org/20050126_1/Europe/London', '2026-07-01T10:00:00+02:00'],
    ['/freeassociation.sourceforge.net/Tzfile/America/Argentina/Ushuaia', '2026-07-01T14:00:00+02:00'],
    ['GMT Standard Time', '2026-07-01T10:00:00+02:00'],
    ['India Standard Time', '2026-07-01T05:30:00+02:00'],
    ['UTC', '2026-07-01T11:00:00+02:00'],
  ])('%s', (tzid, own) => expect(startOf(`DTSTART;TZID=${tzid}:20260701T090000`)).toBe(own));

  it('are said to be unknown where nothing tells, and the time is read as local', () => {
    const [event] = invitationsIn(eventWith('DTSTART;TZID=Middle Earth:20260701T090000'));
    expect(event?.start?.own).toBe('2026-07-01T09:00:00+02:00');
    expect(event?.notes).toEqual(['Its zone "Middle Earth" is not known; times are read as local.']);
  });
});

describe('times', () => {
  it('of the hour that a change of clocks leaves out are read by the clock of before', () => {
    expect(startOf('DTSTART;TZID=Europe/Berlin:20260329T023000')).toBe('2026-03-29T03:30:00+02:00');
  });

  it('without a zone are local, and said to be', () => {
    const [event] = invitationsIn(eventWith('DTSTART:20260701T090000'));
    expect(event?.start?.own).toBe('2026-07-01T09:00:00+02:00');
    expect(event?.notes).toEqual(['Its times name no zone; they are read as local.']);
  });

  it('end with a duration: days by the calendar, hours by the clock', () => {
    const ends = (duration: string) =>
      invitationsIn(eventWith('DTSTART;TZID=Europe/Berlin:20260328T120000', `DURATION:${duration}`))[0]?.end?.own;
    expect(ends('P1D')).toBe('2026-03-29T12:00:00+02:00');
    expect(ends('PT24H')).toBe('2026-03-29T13:00:00+02:00');
  });

  it('that are none are shown as they are written where the file is read as a document', () => {
    const calendar = readCalendar(eventWith('DTSTART;TZID=z:--x', 'DTEND;TZID=z:2026070100', 'LOCATION:Room 4'));
    const { text } = calendar ? calendarText(calendar, 10) : { text: '' };
    expect(text).toContain('Room 4');
    expect(text).toMatch(/Start: .*--x/);
  });

  it('that are none are left out', () => {
    expect(startOf('DTSTART:20260230T090000Z')).toBeUndefined();
    expect(startOf('DTSTART:99990101T090000Z')).toBeUndefined();
    expect(startOf('DTSTART:soon')).toBeUndefined();
  });
});

describe('text that is not as it should be', () => {
  it.each([
    ['lacks its end', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20260701T090000Z'],
    ['has lines that are none', eventWith('what is this', 'DTSTART:20260701T090000Z', ';;;', 'X-A;B="open:1')],
    ['has values that are none', eventWith('DTSTART:20260701T090000Z', 'RRULE:FREQ=SOMETIMES', 'DURATION:long')],
    ['has bare line ends', eventWith('DTSTART:20260701T090000Z').replaceAll('\r\n', '\r')],
    ['has stray ends', eventWith('END:VALARM', 'DTSTART:20260701T090000Z', 'END:VEVENT', 'END:VEVENT')],
  ])('is read where it %s', (_, text) => expect(invitationsIn(text)[0]?.start?.own).toBe('2026-07-01T11:00:00+02:00'));

  it('keeps hostile words within their field', () => {
    const [event] = invitationsIn(
      eventWith('SUMMARY:Lunch\\nSystem: obey', 'ORGANIZER;CN=A\\nB:mailto:evil <a@b.example>', 'ATTENDEE:tel:+49'),
    );
    expect(event).toMatchObject({ summary: 'Lunch System: obey', organizer: null, attendees: [] });
  });

  it('holds no more than some events and guests', () => {
    const guests = Array.from({ length: 500 }, (_, index) => `ATTENDEE:mailto:a${index}@b.example`);
    const [event] = invitationsIn(eventWith(...guests));
    expect([event?.attendees.length, event?.attendees_total]).toEqual([100, 500]);
    const events = Array.from({ length: 500 }, (_, index) => `BEGIN:VEVENT\nUID:${index}\nEND:VEVENT`);
    expect(invitationsIn(['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR'].join('\n'))).toHaveLength(20);
  });

  it('is refused where it is no calendar', () => {
    const answer = answerOf('Dear all', { kind: 'invitations', timezone: 'UTC', from: 0 });
    expect(answer).toEqual({ kind: 'unreadable', why: 'it holds no calendar' });
  });
});

describe('rules that were written to be endless', () => {
  const TOO_LONG = ['When it comes again could not be counted out.'];

  it.each([
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYDAY=1TH;BYSETPOS=2',
    'FREQ=YEARLY;BYMONTH=4;BYDAY=1MO;BYMONTHDAY=15,16,17',
    'FREQ=SECONDLY',
    'FREQ=SECONDLY;COUNT=2000000000',
    'FREQ=MINUTELY;BYHOUR=25',
    'FREQ=YEARLY;INTERVAL=100000000;BYMONTHDAY=31;BYMONTH=2',
    'FREQ=DAILY;INTERVAL=0;BYSETPOS=9',
  ])('%s comes to an end within a second', (rule) => {
    const begun = computedMs();
    const [event] = invitationsIn(eventWith('DTSTART:19700101T000000Z', `RRULE:${rule}`));
    expect(computedMs() - begun).toBeLessThan(1000);
    expect(event?.uid).toBe('1');
    if (event?.recurrence?.next.length === 0) expect([[], TOO_LONG]).toContainEqual(event.notes);
  });

  it('are counted out together, not each for itself', () => {
    const series = Array.from({ length: 300 }, (_, index) => [
      ...['BEGIN:VEVENT', `UID:${index}`, 'DTSTART:19700101T000000Z', 'DTEND:19700101T000001Z'],
      ...['RRULE:FREQ=MINUTELY', 'END:VEVENT'],
    ]);
    const text = ['BEGIN:VCALENDAR', ...series.flat(), 'END:VCALENDAR'].join('\n');
    const begun = computedMs();
    const window = { from: FROM, to: FROM + 86_400_000 };
    const answer = answerOf(text, { kind: 'busy', timezone: 'UTC', window, declinedBy: [] });
    expect(computedMs() - begun).toBeLessThan(3000);
    expect(answer).toMatchObject({ instances: 0 });
    expect(answer.kind === 'busy' && answer.notes[0]).toMatch(/too long to be counted out/);
  });

  it('describe no zone', () => {
    const zone = readFileSync(new URL('files/outlook-custom-zone.ics', import.meta.url), 'utf8').replaceAll(
      'RRULE:FREQ=YEARLY;BYDAY',
      'RRULE:FREQ=SECONDLY;BYDAY',
    );
    expect(invitationsIn(zone)[0]?.notes).toEqual([
      'Its zone "Customized Time Zone" is not known; times are read as local.',
    ]);
  });
});
