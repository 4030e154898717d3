import type { Invitation, Person } from './types.ts';
import { isoIn, namedZone } from './zones/zone.ts';

/** A meeting that the persona itself invites to: one event, with an end. */
export interface OwnMeeting {
  readonly uid: string;
  /** Grows with each change (RFC 5546, 2.1.4). */
  readonly sequence: number;
  readonly method: 'REQUEST' | 'CANCEL';
  readonly summary: string;
  readonly location: string;
  readonly description: string;
  /** ms */
  readonly start: number;
  readonly end: number;
  readonly organizer: Person;
  readonly attendees: readonly Person[];
  /** ms */
  readonly now: number;
}

/** The invitation, its change or its cancellation as calendar text (RFC 5545, RFC 5546). Times are in UTC. */
export function requestText(meeting: OwnMeeting): string {
  const { uid, sequence, method, summary, location, description, start, end, organizer, attendees, now } = meeting;
  const isCancelled = method === 'CANCEL';
  const lines = [
    'BEGIN:VCALENDAR',
    'PRODID:-//Epistle//Epistle//EN',
    'VERSION:2.0',
    'CALSCALE:GREGORIAN',
    `METHOD:${method}`,
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${utc(now)}`,
    `SEQUENCE:${sequence}`,
    `DTSTART:${utc(start)}`,
    `DTEND:${utc(end)}`,
    `SUMMARY:${escaped(summary)}`,
    ...(location === '' ? [] : [`LOCATION:${escaped(location)}`]),
    ...(description === '' ? [] : [`DESCRIPTION:${escaped(description)}`]),
    `ORGANIZER${nameOf(organizer)}:mailto:${organizer.address}`,
    ...attendees.map(
      (one) =>
        `ATTENDEE${nameOf(one)};CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION${isCancelled ? '' : ';RSVP=TRUE'}:mailto:${one.address}`,
    ),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    'TRANSP:OPAQUE',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}

/** The same as facts, as they are read of an invitation that comes. */
export function factsOfRequest(meeting: OwnMeeting, timezone: string): Invitation {
  const { uid, sequence, method, summary, location, description, start, end, organizer, attendees, now } = meeting;
  const zone = namedZone(timezone);
  const when = (instant: number) => ({ event: isoIn(zone, instant), own: isoIn(zone, instant), instant });
  return {
    uid,
    method,
    sequence,
    dtstamp: now,
    recurrence_id: null,
    this_and_future: false,
    instance: null,
    organizer,
    summary,
    location,
    description,
    comment: '',
    start: when(start),
    end: when(end),
    attendees: attendees.map((one) => ({ ...one, partstat: 'needs-action', role: 'required' })),
    attendees_total: attendees.length,
    all_day: false,
    zone: timezone,
    recurrence: null,
    cancelled: method === 'CANCEL',
    notes: [],
  };
}

/** `20260302T083000Z` */
const utc = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

const escaped = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

/** A parameter in quotes can hold anything but quotes and what ends a line (RFC 5545, 3.1). */
const nameOf = ({ name }: Person): string => {
  const plain = name.replace(/["\p{Cc}]/gu, ' ').trim();
  return plain === '' ? '' : `;CN="${plain}"`;
};

const MAX_OCTETS = 75;

/** A line is 75 octets at most, and is cut between characters (RFC 5545, 3.1). */
function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  let octets = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (octets + length > MAX_OCTETS) {
      parts.push(part);
      // The blank that a continued line begins with counts.
      [part, octets] = ['', 1];
    }
    part += character;
    octets += length;
  }
  return [...parts, part].join('\r\n ');
}
