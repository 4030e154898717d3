import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { freeSlots } from '../../../engine/calendar/free.ts';
import { answerOf } from '../../../engine/calendar/job.ts';
import { isoIn, namedZone } from '../../../engine/calendar/zones/zone.ts';
import { eventWith } from './event-with.ts';

const BERLIN = namedZone('Europe/Berlin');
const at = (text: string) => BERLIN.instantOf(Date.parse(`${text}Z`));
const MARCH = { from: at('2026-03-27T00:00'), to: at('2026-04-06T00:00') };

function busyOf(text: string, { window = MARCH, declinedBy = [] as readonly string[] } = {}): string[] {
  const answer = answerOf(text, { kind: 'busy', timezone: 'Europe/Berlin', window, declinedBy });
  if (answer.kind !== 'busy') throw new Error(answer.kind);
  return answer.busy.map(({ start, end }) => `${isoIn(BERLIN, start).slice(5, 16)} ${isoIn(BERLIN, end).slice(5, 16)}`);
}
const file = (name: string) => readFileSync(new URL(`files/${name}`, import.meta.url), 'utf8');
const bodyOf = (name: string) => /BEGIN:VEVENT[\s\S]*END:VEVENT/.exec(file(name))?.[0] ?? '';

describe('when a calendar is busy', () => {
  it('follows a series over a change of clocks, without what was taken out of it', () => {
    expect(busyOf(file('nextcloud-request.ics'))).toEqual([
      '03-27T08:00 03-27T08:30',
      '03-28T08:00 03-28T08:30',
      '03-30T08:00 03-30T08:30',
      '04-05T10:00 04-05T10:30',
    ]);
  });

  it('moves one instance, and with it all later ones', () => {
    const moved = file('nextcloud-request.ics').replace(
      'END:VCALENDAR',
      `${bodyOf('nextcloud-this-and-future.ics')}\r\nEND:VCALENDAR`,
    );
    expect(busyOf(moved)).toEqual([
      '03-27T08:00 03-27T08:30',
      '03-28T09:15 03-28T09:45',
      '03-30T09:15 03-30T09:45',
      '04-05T11:15 04-05T11:45',
    ]);
    expect(busyOf(file('apple-request.ics'))).toEqual(['04-01T00:00 04-01T01:30', '04-03T23:30 04-04T01:00']);
  });

  it('leaves out what is cancelled, transparent or declined', () => {
    const event = (...lines: string[]) => eventWith('DTSTART:20260401T080000Z', 'DTEND:20260401T090000Z', ...lines);
    expect(busyOf(event())).toHaveLength(1);
    expect(busyOf(event('STATUS:CANCELLED'))).toEqual([]);
    expect(busyOf(event('TRANSP:TRANSPARENT'))).toEqual([]);
    expect(busyOf(event('X-MICROSOFT-CDO-BUSYSTATUS:FREE'))).toEqual([]);
    const declined = event('ATTENDEE;PARTSTAT=DECLINED:MAILTO:Olga@home.example');
    expect(busyOf(declined, { declinedBy: ['olga@home.example'] })).toEqual([]);
    expect(busyOf(declined)).toHaveLength(1);
  });

  it('takes days as days of the reader, and published times without events', () => {
    expect(busyOf(eventWith('DTSTART;VALUE=DATE:20260329'))).toEqual(['03-29T00:00 03-30T00:00']);
    const published = [
      ...['BEGIN:VCALENDAR', 'BEGIN:VFREEBUSY', 'FREEBUSY:20260401T080000Z/PT1H,20260401T083000Z/20260401T100000Z'],
      ...['FREEBUSY;FBTYPE=FREE:20260402T080000Z/PT1H', 'END:VFREEBUSY', 'END:VCALENDAR'],
    ];
    expect(busyOf(published.join('\n'))).toEqual(['04-01T10:00 04-01T12:00']);
  });

  it('looks at twenty thousand instances and says so', () => {
    const window = { from: MARCH.from, to: MARCH.from + 92 * 86_400_000 };
    const text = eventWith('DTSTART:20260327T000000Z', 'DTEND:20260327T000001Z', 'RRULE:FREQ=MINUTELY');
    const answer = answerOf(text, { kind: 'busy', timezone: 'UTC', window, declinedBy: [] });
    expect(answer).toMatchObject({ instances: 20_000, notes: ['Only 20000 appointments were looked at.'] });
  });
});

describe('free times', () => {
  const hours = { days: [1, 2, 3, 4, 5], from: 9 * 60, to: 17 * 60 };
  const slots = (busy: readonly (readonly [string, string])[], minutes: number, most = 3) =>
    freeSlots({
      window: { start: at('2026-03-27T15:50'), end: at('2026-03-31T12:00') },
      busy: busy.map(([start, end]) => ({ start: at(start), end: at(end) })),
      lengthMs: minutes * 60_000,
      hours,
      zone: BERLIN,
      most,
    }).map(({ start }) => isoIn(BERLIN, start));

  it('begin at a quarter of an hour, within work hours, before and after a change of clocks', () => {
    expect(slots([], 45)).toEqual([
      '2026-03-27T16:00:00+01:00',
      '2026-03-30T09:00:00+02:00',
      '2026-03-30T09:45:00+02:00',
    ]);
  });

  it('touch nothing that stands there', () => {
    const busy = [
      ['2026-03-27T15:00', '2026-03-27T16:20'],
      ['2026-03-30T09:30', '2026-03-30T16:10'],
    ] as const;
    expect(slots(busy, 30, 9)).toEqual([
      '2026-03-27T16:30:00+01:00',
      '2026-03-30T09:00:00+02:00',
      '2026-03-30T16:15:00+02:00',
      ...['2026-03-31T09:00:00+02:00', '2026-03-31T09:30:00+02:00', '2026-03-31T10:00:00+02:00'],
      ...['2026-03-31T10:30:00+02:00', '2026-03-31T11:00:00+02:00', '2026-03-31T11:30:00+02:00'],
    ]);
  });

  it('are none where nothing is long enough', () => {
    expect(slots([], 9 * 60)).toEqual([]);
  });
});
