import type ICAL from 'ical.js';
import type { Calendar } from '../calendar.ts';

/** Fields in the order in which they are told, by their names in the file. */
const FIELDS: Readonly<Record<string, string>> = {
  summary: 'Subject',
  dtstart: 'Start',
  dtend: 'End',
  due: 'Due',
  duration: 'Lasts',
  rrule: 'Repeats',
  rdate: 'Also on',
  exdate: 'Not on',
  'recurrence-id': 'Instead of',
  location: 'Where',
  status: 'Status',
  organizer: 'Organiser',
  attendee: 'Invited',
  description: 'Text',
  comment: 'Comment',
  url: 'Link',
  uid: 'Id',
};
const KINDS: Readonly<Record<string, string>> = {
  vevent: 'Event',
  vtodo: 'Task',
  vjournal: 'Note',
  vfreebusy: 'Busy times',
};

/** A calendar as text, a block for each entry; the first `most` of them. */
export function calendarText({ written, components }: Calendar, most: number): { text: string; cut: boolean } {
  const entries = components.filter(({ name }) => KINDS[name] !== undefined);
  const blocks = entries.slice(0, most).map(blockOf);
  const head = written === '' || blocks.length === 0 ? [] : [`Method: ${written}`];
  return { text: [...head, ...blocks].join('\n\n'), cut: entries.length > most };
}

function blockOf(entry: ICAL.Component): string {
  const told = Object.entries(FIELDS).flatMap(([name, label]) =>
    entry.getAllProperties(name).flatMap((property) => {
      const value = shown(property);
      return value === '' ? [] : [`${label}: ${value}`];
    }),
  );
  return [KINDS[entry.name] ?? entry.name, ...told].join('\n');
}

function shown(property: ICAL.Property): string {
  const value = valuesOf(property)
    .map((one) => String(one))
    .join(', ')
    .trim();
  const parameter = (name: string): string => String(property.getParameter(name) ?? '').slice(0, 200);
  if (property.name === 'organizer' || property.name === 'attendee') {
    const state = parameter('partstat').toLowerCase();
    const address = `<${value.replace(/^mailto:/i, '')}>`;
    return [parameter('cn'), address, state === '' ? '' : `(${state})`].filter(Boolean).join(' ');
  }
  return [value, parameter('tzid')].filter(Boolean).join(' ');
}

/** A time that is none is shown as it was written: the other lines still say what the entry is about. */
function valuesOf(property: ICAL.Property): readonly unknown[] {
  try {
    return property.getValues();
  } catch {
    return property.jCal.slice(3);
  }
}
