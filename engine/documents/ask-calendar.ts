import { answerOf, type CalendarAnswer } from '../calendar/job.ts';
import { decodeText } from './plain/charset.ts';
import { fileWithin } from './read.ts';
import type { CalendarFile } from './reader.ts';
import { DAMAGED } from './refused.ts';

/** Does not reject because of the file. */
export async function askCalendar({ question, ...file }: CalendarFile): Promise<CalendarAnswer> {
  try {
    const { bytes, charset } = await fileWithin({ ...file, type: '' });
    const text = decodeText(bytes, charset);
    if (text === null) return { kind: 'unreadable', why: 'it is no text' };
    return answerOf(text, question);
  } catch {
    return { kind: 'unreadable', why: DAMAGED };
  }
}
