import type { Attendee, Invitation, Method, Person, When } from '../types.ts';

const MAX_GUESTS = 20;
const MAX_DESCRIPTION = 600;

const KINDS: Readonly<Record<Method, string>> = {
  PUBLISH: 'An event, for information; nobody is asked to answer',
  REQUEST: 'An invitation',
  REPLY: 'An answer to an invitation',
  ADD: 'One more date of a series',
  CANCEL: 'A cancellation',
  REFRESH: 'A request to be sent the invitation again',
  COUNTER: 'A proposal to change the meeting',
  DECLINECOUNTER: 'A proposal to change the meeting, declined',
};

/** What is known of a meeting besides its file. */
interface MeetingContext {
  /** The reader's zone. */
  readonly timezone: string;
  /** The reader has sent it. */
  readonly isOwn?: boolean;
  /** It stood in a mail that was sent on to the reader. */
  readonly isForwarded?: boolean;
  /** What is otherwise than before; null: nothing earlier is known. */
  readonly changes: readonly string[] | null;
  readonly answers: readonly { readonly attendee: string; readonly partstat: string; readonly at: string }[];
}

/** An invitation as lines of facts. All words of others are quoted or of one line, so that none looks like another fact. */
export function invitationInWords(
  invitation: Invitation,
  { timezone, changes, answers, isOwn, isForwarded }: MeetingContext,
): string {
  const { method, cancelled, summary, location, organizer, notes, comment, description } = invitation;
  return [
    `${KINDS[method]}${isOwn ? ' of yours' : ''}${cancelled && method !== 'CANCEL' ? ' that is cancelled' : ''}: ${JSON.stringify(summary)}`,
    ...(isForwarded ? [FORWARDED] : []),
    ...whenLines(invitation, timezone),
    ...repeatLines(invitation),
    ...(location === '' ? [] : [`Where: ${JSON.stringify(location)}`]),
    ...(organizer === null ? [] : [`Organiser: ${named(organizer)}`]),
    ...guestLines(invitation),
    ...(changes === null ? [] : [changes.length === 0 ? 'Nothing has changed since it came before' : changed(changes)]),
    ...answers.map(({ attendee, partstat, at }) => `Answered: ${attendee} ${partstat}, ${at}`),
    ...(comment === '' ? [] : [`Comment: ${JSON.stringify(cut(comment))}`]),
    ...(description === '' ? [] : [`Text: ${JSON.stringify(cut(description))}`]),
    ...notes.map((note) => `Note: ${note}`),
  ].join('\n');
}

const FORWARDED =
  'Forwarded: it went to whom it names, and was sent on within this mail; who is not invited cannot answer it';

const changed = (changes: readonly string[]): string => `Changed since it came before: ${changes.join('; ')}`;

function whenLines({ start, end, zone, instance, this_and_future }: Invitation, timezone: string): string[] {
  const of = instance === null ? [] : [`Of the series: ${scope(instance, this_and_future)}`];
  if (start === null) return [...of, 'When: it does not say'];
  if (zone === null) return [...of, `When: ${span(start.own, end?.own)}, all day`];
  const there = zone === timezone ? [] : [`There (${zone}): ${span(start.event, end?.event)}`];
  return [...of, `When (${timezone}): ${span(start.own, end?.own)}`, ...there];
}

const scope = (instance: When, isAllLater: boolean): string =>
  `the one of ${instance.own}${isAllLater ? ' and all later ones' : ', no other'}`;

const span = (start: string, end: string | undefined): string =>
  end === undefined || end === start ? start : `${start} to ${end}`;

function repeatLines({ recurrence }: Invitation): string[] {
  if (recurrence === null) return [];
  const list = (dates: readonly When[]) => dates.map(({ own }) => own).join(', ');
  return [
    `Repeats: ${recurrence.words}`,
    ...(recurrence.next.length === 0 ? [] : [`Next: ${list(recurrence.next)}`]),
    ...(recurrence.except.length === 0 ? [] : [`Not on: ${list(recurrence.except)}`]),
  ];
}

function guestLines({ attendees, attendees_total }: Invitation): string[] {
  if (attendees.length === 0) return [];
  const more = attendees_total - Math.min(attendees.length, MAX_GUESTS);
  const shown = attendees.slice(0, MAX_GUESTS).map(guest).join(', ');
  return [`Invited: ${shown}${more > 0 ? `, and ${more} more` : ''}`];
}

const guest = (attendee: Attendee): string =>
  `${named(attendee)} (${attendee.partstat}${attendee.role === 'required' ? '' : `, ${attendee.role}`})`;

const named = ({ name, address }: Person): string =>
  name === '' || name.toLowerCase() === address.toLowerCase() ? address : `${JSON.stringify(name)} <${address}>`;

const cut = (text: string): string =>
  text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION).toWellFormed()} …` : text;
