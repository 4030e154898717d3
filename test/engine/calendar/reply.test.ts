import { readFileSync } from 'node:fs';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../engine/calendar/job.ts';
import { eventWith } from './event-with.ts';

const read = (file: string) => readFileSync(new URL(`files/${file}`, import.meta.url), 'utf8');
const ADA = 'ada@personas.example';

function reply(file: string, words: Partial<Extract<Parameters<typeof answerOf>[1], { kind: 'reply' }>> = {}): string {
  const text = file.startsWith('BEGIN') ? file : read(file);
  const [first] = /^UID:.*(?:\r\n .*)*/m.exec(text) ?? [''];
  const answer = answerOf(text, {
    kind: 'reply',
    uid: first.slice(4).replaceAll('\r\n ', ''),
    recurrence_id: null,
    attendee: ADA,
    partstat: 'accepted',
    comment: '',
    sentBy: null,
    now: Date.UTC(2026, 2, 1, 12),
    timezone: 'Europe/Berlin',
    ...words,
  });
  return answer.kind === 'reply' ? (answer.text ?? '') : '';
}

/** Strictly: the parser throws for a line that is none. */
function eventOf(text: string): ICAL.Component {
  const calendar = new ICAL.Component(ICAL.parse(text));
  expect(calendar.getFirstPropertyValue('method')).toBe('REPLY');
  const events = calendar.getAllSubcomponents('vevent');
  expect(events).toHaveLength(1);
  return events[0] ?? calendar;
}

describe('the answer to an invitation', () => {
  it('has what RFC 5546 asks for, and one attendee', () => {
    const event = eventOf(reply('google-request.ics', { partstat: 'tentative', comment: 'Ten minutes late;\nsorry' }));
    const names = event.getAllProperties().map(({ name }) => name);
    expect(names).toEqual([
      ...['dtstamp', 'organizer', 'uid', 'sequence', 'dtstart', 'dtend', 'summary', 'attendee', 'comment'],
    ]);
    expect(event.getFirstPropertyValue('uid')).toBe('7kukuqrfedlm2f9t0vct1fdf6k@google.com');
    expect(event.getFirstPropertyValue('organizer')).toBe('mailto:priya@raman.example');
    expect(event.getFirstPropertyValue('comment')).toBe('Ten minutes late;\nsorry');
    expect(event.getFirstProperty('attendee')?.jCal).toEqual([
      'attendee',
      { cn: ADA, cutype: 'INDIVIDUAL', role: 'REQ-PARTICIPANT', partstat: 'TENTATIVE' },
      'cal-address',
      `mailto:${ADA}`,
    ]);
  });

  it('to one instance names it as the invitation did, with its zone', () => {
    const text = reply('outlook-instance.ics', { recurrence_id: '2026-04-08T23:00:00Z', partstat: 'declined' });
    expect(text).toContain('RECURRENCE-ID;TZID=AUS Eastern Standard Time:20260409T090000');
    expect(text.match(/BEGIN:VTIMEZONE/g)).toHaveLength(1);
    expect(eventOf(text).getFirstPropertyValue('sequence')).toBe(1);
  });

  it('says who wrote it for whom', () => {
    expect(reply('google-request.ics', { sentBy: 'bot@personas.example' })).toContain('mailto:bot@personas.example');
  });

  it('writes times in UTC whose zone the file does not describe', () => {
    const invited = eventWith('DTSTART;TZID=Europe/London:20260701T090000', `ATTENDEE:mailto:${ADA}`);
    expect(reply(invited)).toContain('DTSTART:20260701T080000Z');
  });

  it('is none for somebody who is not invited, and for another instance', () => {
    expect(reply('google-request.ics', { attendee: 'eve@personas.example' })).toBe('');
    expect(reply('google-request.ics', { recurrence_id: '2026-04-08T23:00:00Z' })).toBe('');
  });

  it('folds lines and ends them as mail does', () => {
    const text = reply('nextcloud-request.ics', { comment: 'ü'.repeat(300) });
    expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });
});
