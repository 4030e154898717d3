import { expect, it } from 'vitest';
import type { Invitation } from '../../../../engine/calendar/types.ts';
import { meetingLines } from '../../../../engine/tools/calendar/answer.ts';

const at = (event: string, own: string) => ({ event, own, instant: Date.parse(event) });
const meeting = (zone: string, start: ReturnType<typeof at>, end: ReturnType<typeof at>) =>
  ({ summary: 'Roof', location: '', start, end, zone, instance: null }) as unknown as Invitation;

it('says when a meeting is by its own clock, and by the reader’s where its file has UTC', () => {
  const start = at('2026-12-10T09:00:00+00:00', '2026-12-10T10:00:00+01:00');
  const end = at('2026-12-10T11:00:00+00:00', '2026-12-10T12:00:00+01:00');
  expect(meetingLines(meeting('UTC', start, end), 'en')).toEqual(['Roof', 'Thu, 10 Dec 2026, 10:00 – 12:00']);
  expect(meetingLines(meeting('Europe/Lisbon', start, end), 'en')[1]).toContain('09:00 – 11:00 (Europe/Lisbon)');
});
