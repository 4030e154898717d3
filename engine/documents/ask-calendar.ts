import { answerOf, type CalendarAnswer } from '../calendar/job.ts';
import { decodeText } from './plain/charset.ts';
import type { CalendarFile } from './reader.ts';

/** Does not throw because of the file. */
export function askCalendar({ bytes, charset, question }: CalendarFile): CalendarAnswer {
  const text = decodeText(bytes, charset);
  if (text === null) return { kind: 'unreadable', why: 'it is no text' };
  try {
    return answerOf(text, question);
  } catch {
    return { kind: 'unreadable', why: 'it is damaged, or not what it says it is' };
  }
}
