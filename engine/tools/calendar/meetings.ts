import { z } from 'zod';
import type { Invitation } from '../../calendar/types.ts';
import { changesSince } from '../../calendar/words/changes.ts';
import { invitationInWords } from '../../calendar/words/in-words.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { sha256 } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { viewerOf } from '../../policy/viewer.ts';
import type { InvitationStore, StoredInvitation } from '../../storage/ports/invitations.ts';
import type { RunInHand } from '../../storage/ports/runs.ts';
import type { StoredAttachment, StoredMessage, StoredThread, Viewer } from '../../storage/types/mail.ts';
import type { Library } from '../documents/library.ts';

/** An invitation as the model is shown it. */
export interface ShownInvitation {
  readonly id: string;
  readonly text: string;
}

/** How long a run waits for the calendars of its mail. */
const MAX_WAIT_MS = 15_000;
const MAX_FILES = 5;
const MAX_SHOWN = 10;

/** Whether a file is taken for a calendar: by its type, or by its name where that says nothing. */
export const isCalendarFile = ({ type, name, unreadable }: Pick<StoredAttachment, 'type' | 'name' | 'unreadable'>) =>
  unreadable === null &&
  (/^(?:text\/calendar|application\/ics)$/.test(type) || /\.(?:ics|ical|icalendar)$/i.test(name));

/** A mail as a file, as programs forward one. */
const isMailFile = ({ type, name, unreadable }: Pick<StoredAttachment, 'type' | 'name' | 'unreadable'>) =>
  unreadable === null && (type === 'message/rfc822' || /\.(?:eml|msg)$/i.test(name));

/** Whether an attachment is a calendar, or may have one within it. */
export const mayBringCalendar = (file: Pick<StoredAttachment, 'type' | 'name' | 'unreadable'>): boolean =>
  isCalendarFile(file) || isMailFile(file);

/** One that the persona itself has sent; no file came with it. */
export const isOwnInvitation = ({ attachment }: Pick<StoredInvitation, 'attachment'>): boolean => attachment === '';

/** The mail that a run is about. */
interface Mail {
  readonly message: Pick<StoredMessage, 'id' | 'thread_id' | 'received_at'>;
  readonly attachments: readonly StoredAttachment[];
  readonly thread: Pick<StoredThread, 'message_count'>;
  readonly run: Pick<RunInHand, 'tier' | 'sender' | 'thread_id' | 'readers'>;
}

interface Meetings {
  readonly store: Pick<
    InvitationStore,
    'keepInvitations' | 'statesOfInvitation' | 'invitationsOfThread' | 'answersToInvitation' | 'newestInvitation'
  >;
  readonly library: Pick<Library, 'ask' | 'open'>;
  /** Of the persona. */
  readonly timezone: string;
}

/**
 * The invitations of a mail, kept under ids by which they can be answered, then the newest that came earlier in its
 * thread. What cannot be read in time is left out: it is an attachment all the same.
 */
export async function meetingsOf(
  { message, attachments, thread, run }: Mail,
  meetings: Meetings,
): Promise<readonly ShownInvitation[]> {
  const { store } = meetings;
  const viewer = viewerOf(run);
  const forwarded = await Promise.all(
    attachments
      .filter(isMailFile)
      .slice(0, MAX_FILES)
      .map((file) => within(file, meetings)),
  );
  const files: readonly CalendarIn[] = [
    ...attachments.filter(isCalendarFile).map((file) => ({ file, part: '' })),
    ...forwarded.flat(),
  ];
  const read = await Promise.all(files.slice(0, MAX_FILES).map((one) => rowsOf(one, message, meetings)));
  const rows = distinct(read.flat());
  await store.keepInvitations(rows);
  const isFirst = thread.message_count < 2;
  const earlier = isFirst ? [] : await store.invitationsOfThread(message.thread_id, viewer, 3 * MAX_SHOWN);
  const newest = distinct([...rows, ...earlier.filter(({ message: of }) => of !== message.id)], meetingKey);
  return Promise.all(newest.slice(0, MAX_SHOWN).map((row) => shown(row, viewer, meetings)));
}

/** A calendar that is an attachment, or a part of one. */
interface CalendarIn {
  readonly file: StoredAttachment;
  readonly part: string;
}

const DEADLINE = { ms: MAX_WAIT_MS, code: 'timeout', what: 'reading a calendar' } as const;

/** The calendars of a mail that was forwarded as a file. */
async function within(file: StoredAttachment, { library }: Meetings): Promise<CalendarIn[]> {
  const entry = await withDeadline(() => library.open(file), DEADLINE).catch(() => null);
  if (!entry?.ok) return [];
  const parts = entry.facts.parts.filter((part) => isCalendarFile({ ...part, unreadable: null }));
  return parts.map(({ name }) => ({ file, part: name }));
}

async function rowsOf(
  { file, part }: CalendarIn,
  message: Mail['message'],
  { library, timezone }: Meetings,
): Promise<StoredInvitation[]> {
  const answer = await withDeadline(
    () => library.ask({ ...file, part }, { kind: 'invitations', timezone, from: message.received_at }),
    DEADLINE,
  ).catch(() => null);
  if (answer?.kind !== 'invitations') return [];
  return answer.invitations.map((invitation) => ({
    // The same file gives the same ids, however often the mail is worked on.
    id: `inv_${sha256(`${message.id} ${invitation.uid} ${invitation.recurrence_id}`).slice(0, 12)}`,
    uid: invitation.uid,
    recurrence_id: invitation.recurrence_id ?? '',
    thread_id: message.thread_id,
    message: message.id,
    attachment: file.id,
    organizer: invitation.organizer?.address.toLowerCase() ?? '',
    sequence: invitation.sequence,
    stamped_at: invitation.dtstamp ?? message.received_at,
    facts_json: JSON.stringify(part === '' ? invitation : { ...invitation, forwarded_in: part }),
  }));
}

const meetingKey = ({ uid, recurrence_id }: StoredInvitation): string => `${uid} ${recurrence_id}`;

/** Programs put the same calendar into a mail twice: beside the text, and as a file. */
function distinct(
  rows: readonly StoredInvitation[],
  keyOf: (row: StoredInvitation) => string = ({ id }) => id,
): StoredInvitation[] {
  const found = new Map<string, StoredInvitation>();
  for (const row of rows) if (!found.has(keyOf(row))) found.set(keyOf(row), row);
  return [...found.values()];
}

async function shown(row: StoredInvitation, viewer: Viewer, { store, timezone }: Meetings): Promise<ShownInvitation> {
  const states = await store.statesOfInvitation(row, viewer);
  const before = states.find(({ message, sequence }) => message !== row.message && sequence <= row.sequence);
  const isHidden = viewer !== null && (await isCopyOfOwn(row, store));
  const answers = isHidden ? [] : await store.answersToInvitation(row.uid, row.recurrence_id);
  const facts = factsOf(row);
  const text = invitationInWords(facts, {
    timezone,
    isOwn: isOwnInvitation(row),
    isForwarded: forwardedIn(row) !== null,
    changes: before ? changesSince(factsOf(before), facts) : null,
    answers: answers.map(({ attendee, partstat, answered_at }) => ({
      attendee,
      partstat,
      at: localTime(timezone, answered_at),
    })),
  });
  return { id: row.id, text };
}

/** A guest knows the UID of our own meeting, and is not told by that who else comes. */
async function isCopyOfOwn(row: StoredInvitation, store: Pick<InvitationStore, 'newestInvitation'>): Promise<boolean> {
  if (isOwnInvitation(row)) return false;
  const newest = await store.newestInvitation(row.uid, '');
  return newest !== undefined && isOwnInvitation(newest);
}

/** What was read of it when it came. */
export const factsOf = ({ facts_json }: Pick<StoredInvitation, 'facts_json'>): Invitation =>
  parseJson(storedFacts, facts_json);

/** The part of its attachment that it stands in, of one that was forwarded within another mail; else null. */
export const forwardedIn = ({ facts_json }: Pick<StoredInvitation, 'facts_json'>): string | null =>
  parseJson(storedFacts, facts_json).forwarded_in ?? null;

// Written by this file alone, so the values are not walked a second time.
const storedFacts = z.custom<Invitation & { readonly forwarded_in?: string }>(
  (value) => typeof value === 'object' && value !== null,
);
