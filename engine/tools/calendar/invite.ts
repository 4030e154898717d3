import { type CalendarCapability, type CallReason, EngineError, type MeetingWanted } from '#contract';
import { factsOfRequest, type OwnMeeting, requestText } from '../../calendar/request.ts';
import type { Invitation } from '../../calendar/types.ts';
import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { languageOfPeople } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { instantIn } from '../../lib/schedule/zone.ts';
import type { LetterBlock } from '../../mail/compose/letter.ts';
import { addressKey, isSendable, notSendable } from '../../mail/mime/address.ts';
import type { InvitationStore, StoredInvitation } from '../../storage/ports/invitations.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Viewer } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { meetingLines, noInvitation } from './answer.ts';
import { factsOf, isOwnInvitation } from './meetings.ts';

/** The mail that carries an invitation, and the row that is kept of it. */
export interface MeetingMail {
  /** Of the mail row; an invitation goes by the Message-ID of its first mail. */
  readonly id: string | null;
  /** Message-ID of the first mail, where this one changes or cancels what that one asked for. */
  readonly goesOn: string | null;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: readonly LetterBlock[];
  readonly words: string;
  /** Of its readers. */
  readonly language: Language;
  readonly calendar: { readonly method: 'REQUEST' | 'CANCEL'; readonly text: string };
  readonly invites: StoredInvitation;
}

interface InvitingOptions {
  readonly persona: Persona;
  readonly domain: string;
  readonly run: Pick<StoredRun, 'thread_id' | 'message'>;
  readonly store: Pick<InvitationStore, 'findInvitation' | 'statesOfInvitation'> & Pick<Store, 'wordsOfPerson'>;
  readonly viewer: Viewer;
  /** Of the conversation, where nobody knows what those who are invited read. */
  readonly language: Language;
  /** Of what owners are shown of an invitation before it is sent. */
  languageForOwners(): Promise<Language>;
  /** The name of whoever the meeting is held for; null where nobody here asked for it by mail, or has no name. */
  host(): Promise<string | null>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What an owner approved: the basis of the preview; null where nobody was asked. */
  readonly approvedBasis: string | null;
  /** Stages the mail with the result of the call. */
  send(mail: MeetingMail): Promise<{ readonly message_id: string }>;
}

type Planned = Omit<OwnMeeting, 'uid' | 'now'> & {
  /** Null: a new one. */
  readonly uid: string | null;
  /** What it was before a change, as those invited know it. */
  readonly was: Invitation | null;
};

const DEFAULT_MIN = 60;
const MAX_MIN = 14 * 1440;

/** Meetings that the persona invites to, because whoever it works for asks for it. */
export function createInviting(options: InvitingOptions): Pick<CalendarCapability, 'prepareMeeting' | 'meet'> {
  const { persona, approvedBasis, ids, domain, run, clock, send } = options;
  return {
    async prepareMeeting(wanted) {
      const planned = await plan(options, wanted);
      const text = inWords(planned, persona.timezone, await options.languageForOwners());
      return { to: addressesOf(planned), title: planned.summary, preview: { text, basis: basisOf(planned) } };
    },
    async meet(wanted) {
      const planned = await plan(options, wanted);
      if (approvedBasis !== null && approvedBasis !== basisOf(planned)) {
        throw new EngineError('approval_stale', 'the meeting is not the one that was approved, so nothing was sent');
      }
      const fresh = planned.uid === null ? ids.next() : null;
      const { was: _, ...wantedNow } = planned;
      const meeting: OwnMeeting = { ...wantedNow, uid: planned.uid ?? `${fresh}@${domain}`, now: clock.now() };
      const invites = rowOf(meeting, persona, run);
      const { message_id } = await send({
        id: fresh,
        goesOn: planned.uid === null ? null : `<${planned.uid}>`,
        invites,
        ...letterOf(meeting, persona, {
          language: await languageOfInvited(meeting, options),
          host: await options.host(),
          was: planned.was,
        }),
      });
      return { id: invites.id, to: addressesOf(planned), title: planned.summary, message_id };
    },
  };
}

const addressesOf = ({ attendees }: Pick<Planned, 'attendees'>): readonly string[] =>
  attendees.map(({ address }) => address);

const no = (why: string, reason?: CallReason): EngineError => new EngineError('invalid_arguments', why, { reason });

async function plan(options: InvitingOptions, wanted: MeetingWanted): Promise<Planned> {
  const planned = wanted.id === undefined ? planNew(options, wanted) : await planChange(options, wanted, wanted.id);
  const bad = addressesOf(planned).find((address) => !isSendable(address));
  if (bad !== undefined) throw no(notSendable(bad));
  if (planned.method === 'REQUEST' && planned.start < options.clock.now())
    throw no('its start lies in the past', 'not_a_day');
  return planned;
}

function planNew({ persona }: InvitingOptions, wanted: MeetingWanted): Planned {
  const { to, title, start, cancel } = wanted;
  if (cancel) throw no('say by its id which meeting is cancelled');
  if (!to?.length || !title || !start) throw no('a new invitation needs to, title and start');
  const own = [persona.address, ...persona.aliases].map(addressKey);
  const byKey = new Map(to.map((address) => [addressKey(address), { address, name: '' }]));
  const attendees = [...byKey].flatMap(([key, person]) => (own.includes(key) ? [] : [person]));
  if (attendees.length === 0) throw no('nobody but you would be invited');
  return {
    uid: null,
    was: null,
    sequence: 0,
    method: 'REQUEST',
    summary: title,
    attendees,
    location: wanted.location ?? '',
    description: wanted.note ?? '',
    organizer: { address: persona.address, name: persona.name },
    ...spanOf(wanted, start, persona.timezone),
  };
}

function spanOf({ duration_min = DEFAULT_MIN }: MeetingWanted, start: string, timezone: string) {
  if (/^\s*\d{4}-\d\d-\d\d\s*$/.test(start)) throw no('start needs a time of the day');
  const from = instantIn(timezone, start, 'start');
  return { start: from, end: from + Math.min(duration_min, MAX_MIN) * 60_000 };
}

/** What is left out stays as it is. */
async function planChange(
  { persona, store, viewer }: InvitingOptions,
  wanted: MeetingWanted,
  id: string,
): Promise<Planned> {
  const row = await store.findInvitation(id, viewer);
  if (!row) throw noInvitation(id);
  if (!isOwnInvitation(row)) throw no('you did not send this invitation; answer_invitation answers it');
  if (wanted.to?.length) throw no('who is invited cannot be changed; invite others to a meeting of their own');
  const [newest = row] = (await store.statesOfInvitation(row, viewer)).filter(isOwnInvitation);
  const before: Invitation = factsOf(newest);
  if (before.cancelled || !before.start || !before.end) throw no('this meeting was cancelled');
  const timezone = persona.timezone;
  const lasted = (before.end.instant - before.start.instant) / 60_000;
  const times =
    wanted.start === undefined && wanted.duration_min === undefined
      ? { start: before.start.instant, end: before.end.instant }
      : spanOf({ ...wanted, duration_min: wanted.duration_min ?? lasted }, wanted.start ?? before.start.own, timezone);
  return {
    uid: newest.uid,
    was: before,
    sequence: newest.sequence + 1,
    method: wanted.cancel ? 'CANCEL' : 'REQUEST',
    summary: wanted.title ?? before.summary,
    location: wanted.location ?? before.location,
    description: wanted.note ?? before.description,
    attendees: before.attendees,
    ...times,
    organizer: { address: persona.address, name: persona.name },
  };
}

function rowOf(meeting: OwnMeeting, { timezone }: Persona, run: InvitingOptions['run']): StoredInvitation {
  const { uid, sequence, organizer, now } = meeting;
  return {
    id: `inv_${sha256(`${uid} ${sequence}`).slice(0, 12)}`,
    uid,
    recurrence_id: '',
    sequence,
    stamped_at: now,
    organizer: organizer.address.toLowerCase(),
    // Where it was asked for: whoever asked goes on there, and may see it.
    thread_id: run.thread_id,
    message: run.message,
    attachment: '',
    facts_json: JSON.stringify(factsOfRequest(meeting, timezone)),
  };
}

const kindOf = ({ method, sequence }: Pick<OwnMeeting, 'method' | 'sequence'>): 'invited' | 'changed' | 'cancelled' =>
  method === 'CANCEL' ? 'cancelled' : sequence === 0 ? 'invited' : 'changed';

const languageOfInvited = (meeting: OwnMeeting, { store, language }: InvitingOptions): Promise<Language> =>
  languageOfPeople(store, {
    to: addressesOf(meeting),
    words: [meeting.summary, meeting.description].join('\n'),
    otherwise: language,
  });

function letterOf(
  meeting: OwnMeeting,
  persona: Persona,
  {
    language,
    host,
    was,
  }: { readonly language: Language; readonly host: string | null; readonly was: Invitation | null },
) {
  const { method, summary, description } = meeting;
  const kind = kindOf(meeting);
  const body = [
    say(language, `meetings.${kind}.body`, { who: persona.name }),
    ...(host === null || kind === 'cancelled' ? [] : [say(language, 'meetings.host', { host })]),
  ].join(' ');
  const now = meetingLines(factsOfRequest(meeting, persona.timezone), language);
  // Whoever is told of a change sees what is another than before.
  const gone = kind === 'changed' && was ? meetingLines(was, language).filter((line) => !now.includes(line)) : [];
  const lines = [...now, ...gone.map((line) => say(language, 'meetings.before', { was: line }))].join('\n');
  const text: LetterBlock[] = [
    { kind: 'text', text: body },
    ...(description === '' ? [] : [{ kind: 'said' as const, text: description }]),
    { kind: 'box', label: say(language, 'meetings.meeting'), text: lines, code: false },
  ];
  return {
    to: addressesOf(meeting),
    subject: say(language, `meetings.${kind}.subject`, { title: summary }),
    text,
    words: [body, description, lines].filter(Boolean).join('\n\n'),
    language,
    calendar: { method, text: requestText(meeting) },
  };
}

/** For owners: the time by the clock of the persona. */
const inWords = (planned: Planned, timezone: string, language: Language): string =>
  [
    `${say(language, 'mails.labels.to')}: ${addressesOf(planned).join(', ')}`,
    say(language, `meetings.${kindOf(planned)}.subject`, { title: planned.summary }),
    ...meetingLines(factsOfRequest({ ...planned, summary: '', uid: '', now: 0 }, timezone), language),
    ...(planned.description === '' ? [] : ['', planned.description]),
  ].join('\n');

const basisOf = ({ organizer: _, was: __, ...planned }: Planned): string =>
  sha256(canonicalJson([...Object.entries(planned).toSorted(([a], [b]) => (a < b ? -1 : 1))].flat().map(plain)));

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
