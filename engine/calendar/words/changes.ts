import type { Invitation, When } from '../types.ts';

/** What is otherwise than in an earlier state of the same meeting, in words; empty: nothing that people would see. */
export function changesSince(earlier: Invitation, now: Invitation): string[] {
  const quoted = (text: string) => (text === '' ? 'none' : JSON.stringify(text));
  const own = (when: When | null) => when?.own ?? 'open';
  const pairs: readonly (readonly [what: string, before: string, after: string])[] = [
    ['the start', own(earlier.start), own(now.start)],
    ['the end', own(earlier.end), own(now.end)],
    ['the repetition', quoted(earlier.recurrence?.words ?? ''), quoted(now.recurrence?.words ?? '')],
    ['the place', quoted(earlier.location), quoted(now.location)],
    ['the subject', quoted(earlier.summary), quoted(now.summary)],
    ['who is invited', guests(earlier), guests(now)],
  ];
  return pairs.filter(([, before, after]) => before !== after).map(([what, before]) => `${what} was ${before}`);
}

const guests = ({ attendees }: Invitation): string =>
  attendees
    .map(({ address }) => address.toLowerCase())
    .sort()
    .slice(0, 20)
    .join(', ');
