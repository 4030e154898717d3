import { readCalendar } from '../../calendar/calendar.ts';
import { calendarText } from '../../calendar/words/text.ts';
import type { Content, Reading } from '../reading.ts';

const MAX_ENTRIES = 5000;

/** A calendar (RFC 5545), a block for each entry, in words. */
export function readIcs(text: string, reading: Reading): Content {
  const calendar = readCalendar(text);
  const read = calendar && calendarText(calendar, MAX_ENTRIES);
  if (read?.cut) reading.note(`Its first ${MAX_ENTRIES} entries were read.`);
  // A file that holds none of them is shown as it stands.
  return { kind: 'ics', text: read?.text || text };
}
