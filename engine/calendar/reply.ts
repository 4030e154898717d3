import ICAL from 'ical.js';
import type { Calendar } from './calendar.ts';
import { type EventReader, instantOfWritten, writtenIn } from './event.ts';
import { addressOf, recurrenceId } from './invitations.ts';
import { namedZone } from './zones/zone.ts';

/** What is answered, by whom and how. */
export interface ReplyWords {
  readonly uid: string;
  /** As in `Invitation`; null: all of it. */
  readonly recurrence_id: string | null;
  /** Address of the attendee that is answered for. */
  readonly attendee: string;
  readonly partstat: 'accepted' | 'declined' | 'tentative';
  /** Empty: none. */
  readonly comment: string;
  /** Who writes it in the attendee's stead; null: the attendee. */
  readonly sentBy: string | null;
  /** ms */
  readonly now: number;
  readonly timezone: string;
}

const COPIED = ['organizer', 'uid', 'sequence', 'recurrence-id', 'dtstart', 'dtend', 'duration', 'summary'];
const KEPT_OF_ATTENDEE = ['cn', 'cutype', 'role'];

/**
 * The answer to an invitation as calendar text: one ATTENDEE with its state, ORGANIZER and the times as they were written
 * (RFC 5546, 3.2.3). Null where the file holds no such event or the attendee is not invited.
 */
export function replyTo(calendar: Calendar, words: ReplyWords): string | null {
  const reader: EventReader = { calendar, own: namedZone(words.timezone), note() {} };
  const event = calendar.components.find((one) => isMeant(one, words, reader));
  const invited = event
    ?.getAllProperties('attendee')
    .find((one) => addressOf(one).toLowerCase() === words.attendee.toLowerCase());
  if (!event || !invited) return null;
  const reply = new ICAL.Component('vevent');
  reply.addPropertyWithValue('dtstamp', ICAL.Time.fromJSDate(new Date(words.now), true));
  for (const name of COPIED) {
    const property = event.getFirstProperty(name);
    if (property) reply.addProperty(copied(property, reader, calendar));
  }
  if (!reply.hasProperty('sequence')) reply.addPropertyWithValue('sequence', 0);
  reply.addProperty(answerOf(invited, words));
  if (words.comment !== '') reply.addPropertyWithValue('comment', words.comment);
  return textOf(reply, calendar);
}

function isMeant(event: ICAL.Component, { uid, recurrence_id }: ReplyWords, reader: EventReader): boolean {
  if (event.name !== 'vevent' || String(event.getFirstPropertyValue('uid') ?? '').trim() !== uid) return false;
  const [instance] = writtenIn(event, 'recurrence-id', reader);
  return (instance ? recurrenceId(instance, reader) : null) === recurrence_id;
}

/** A time in a zone that the file does not describe is written in UTC: without its description it would mean nothing. */
function copied(property: ICAL.Property, reader: EventReader, { zones }: Calendar): ICAL.Property {
  const tzid = property.getParameter('tzid');
  const copy = new ICAL.Property(structuredClone(property.jCal));
  const isDescribed = zones.some((zone) => zone.getFirstPropertyValue('tzid') === tzid);
  if (typeof tzid !== 'string' || isDescribed || !property.parent) return copy;
  const [written] = writtenIn(property.parent, property.name, reader);
  if (!written) return copy;
  const utc = ICAL.Time.fromJSDate(new Date(instantOfWritten(written, reader.own)), true);
  copy.removeParameter('tzid');
  copy.setValue(utc);
  return copy;
}

function answerOf(invited: ICAL.Property, { partstat, sentBy }: ReplyWords): ICAL.Property {
  const property = new ICAL.Property('attendee');
  property.setValue(`mailto:${addressOf(invited)}`);
  for (const name of KEPT_OF_ATTENDEE) {
    const value = invited.getParameter(name);
    if (typeof value === 'string') property.setParameter(name, value);
  }
  property.setParameter('partstat', partstat.toUpperCase());
  if (sentBy !== null) property.setParameter('sent-by', `mailto:${sentBy}`);
  return property;
}

function textOf(reply: ICAL.Component, { zones }: Calendar): string {
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('prodid', '-//Epistle//Epistle//EN');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('method', 'REPLY');
  const used = new Set(reply.getAllProperties().map((property) => property.getParameter('tzid')));
  for (const zone of zones) {
    const isUsed = used.delete(String(zone.getFirstPropertyValue('tzid')));
    if (isUsed) calendar.addSubcomponent(new ICAL.Component(structuredClone(zone.jCal)));
  }
  calendar.addSubcomponent(reply);
  return `${calendar.toString()}\r\n`;
}
