import { type CalendarCapability, EngineError, type InvitationReply } from '#contract';
import type { Attendee, Invitation } from '../../calendar/types.ts';
import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { spanInWords } from '../../languages/times.ts';
import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { LetterBlock } from '../../mail/compose/letter.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import type { InvitationAnswer, InvitationStore, StoredInvitation } from '../../storage/ports/invitations.ts';
import type { MailStore } from '../../storage/ports/mail.ts';
import type { Tier, Viewer } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { Library } from '../documents/library.ts';
import { factsOf, forwardedIn } from './meetings.ts';

/** The mail that carries an answer. */
export interface AnswerMail {
  readonly to: string;
  readonly subject: string;
  /** What people read of it. */
  readonly text: readonly LetterBlock[];
  /** The same without its frame. */
  readonly words: string;
  /** The same for programs: calendar text with METHOD:REPLY. */
  readonly calendar: string;
  readonly inReplyTo: string | null;
  readonly answers: InvitationAnswer;
}

export interface AnswerOptions {
  readonly persona: Persona;
  readonly run: Pick<StoredRun, 'tier'>;
  readonly store: Pick<InvitationStore, 'findInvitation' | 'statesOfInvitation' | 'answersToInvitation'> &
    Pick<MailStore, 'findAttachment' | 'messageById'>;
  readonly library: Pick<Library, 'ask'>;
  readonly viewer: Viewer;
  readonly language: Language;
  /** Of what owners are shown of an answer before it is sent. */
  languageForOwners(): Promise<Language>;
  readonly clock: Clock;
  /** What an owner approved: the basis of the preview; null where nobody was asked. */
  readonly approvedBasis: string | null;
  /** Stages the mail with the result of the call. */
  send(mail: AnswerMail): Promise<{ readonly message_id: string }>;
}

interface Found {
  readonly row: StoredInvitation;
  readonly invitation: Invitation;
  readonly as: Extract<MayAnswer, { may: true }>;
}

/** Answers to invitations that came with mail which the sender of the current one may see. */
export function createAnswers(options: AnswerOptions): Pick<CalendarCapability, 'prepare' | 'answer'> {
  return {
    async prepare(reply) {
      const { invitation, as } = await find(options, reply.id);
      const text = inWords(invitation, as, reply, await options.languageForOwners());
      return { to: as.organizer, title: invitation.summary, preview: { text, basis: basisOf(invitation, as) } };
    },
    async answer(reply) {
      const found = await find(options, reply.id);
      const { invitation, as } = found;
      if (options.approvedBasis !== null && options.approvedBasis !== basisOf(invitation, as)) {
        throw new EngineError(
          'approval_stale',
          'the invitation is not the one that was approved, so it was not answered',
        );
      }
      if (await wasSaid(options, found, reply)) return { to: as.organizer, sent: false, message_id: null };
      const { message_id } = await options.send(await mailOf(options, found, reply));
      return { to: as.organizer, sent: true, message_id };
    },
  };
}

async function find({ store, viewer, persona, run }: AnswerOptions, id: string): Promise<Found> {
  const row = await store.findInvitation(id, viewer);
  if (!row) throw noInvitation(id);
  const invitation = factsOf(row);
  const states = await store.statesOfInvitation(row, viewer);
  // What somebody sent on changes nothing about an invitation that came from its organiser.
  const newest = states.find((state) => forwardedIn(row) !== null || forwardedIn(state) === null) ?? row;
  const as = mayAnswer({
    invitation,
    row,
    persona,
    tier: run.tier,
    isForwarded: forwardedIn(row) !== null,
    newest: { row: newest, invitation: factsOf(newest) },
  });
  if (!as.may) throw new EngineError('invalid_arguments', as.why);
  return { row, invitation, as };
}

const attendeeKey = (as: Found['as']): string => as.attendee.address.toLowerCase();

/** The same answer to the same state is not sent twice. */
async function wasSaid({ store }: AnswerOptions, { row, as }: Found, reply: InvitationReply): Promise<boolean> {
  const answers = await store.answersToInvitation(row.uid, row.recurrence_id);
  return answers.some(
    ({ attendee, partstat, comment, sequence }) =>
      attendee === attendeeKey(as) &&
      partstat === reply.answer &&
      comment === reply.comment &&
      sequence >= row.sequence,
  );
}

async function mailOf(options: AnswerOptions, found: Found, reply: InvitationReply): Promise<AnswerMail> {
  const { store, library, viewer, persona, clock, language } = options;
  const { row, invitation, as } = found;
  const now = clock.now();
  const file = await store.findAttachment(row.attachment, viewer);
  const written =
    file &&
    (await library.ask(
      { ...file, part: forwardedIn(row) ?? '' },
      {
        kind: 'reply',
        uid: row.uid,
        recurrence_id: invitation.recurrence_id,
        attendee: as.attendee.address,
        partstat: reply.answer,
        comment: reply.comment,
        sentBy: as.sentBy,
        now,
        timezone: persona.timezone,
      },
    ));
  if (written?.kind !== 'reply' || written.text === null) {
    throw new EngineError('tool_failed', 'the calendar file of the invitation cannot be read any more');
  }
  const who = as.sentBy === null ? persona.name : as.attendee.name || as.attendee.address;
  return {
    to: as.organizer,
    subject: say(language, `invitationAnswers.subject.${reply.answer}`, {
      title: invitation.summary || invitation.uid.slice(0, 80),
    }),
    text: [
      { kind: 'text', text: say(language, `invitationAnswers.body.${reply.answer}`, { who }) },
      ...(reply.comment === '' ? [] : [{ kind: 'said' as const, text: reply.comment }]),
      {
        kind: 'box',
        label: say(language, 'meetings.meeting'),
        text: meetingLines(invitation, language).join('\n'),
        code: false,
      },
    ],
    words: [say(language, `invitationAnswers.body.${reply.answer}`, { who }), reply.comment]
      .filter(Boolean)
      .join('\n\n'),
    calendar: written.text,
    inReplyTo: (await store.messageById(row.message))?.message_id ?? null,
    answers: {
      uid: row.uid,
      recurrence_id: row.recurrence_id,
      attendee: attendeeKey(as),
      partstat: reply.answer,
      sequence: row.sequence,
      answered_at: now,
      comment: reply.comment,
    },
  };
}

/** What the meeting is and when, by the clock of its own zone, as people say it. Nobody lives by UTC: then by the reader's. */
export function meetingLines(
  { summary, start, end, zone, instance, location }: Invitation,
  language: Language,
): string[] {
  const clock = zone !== null && isUtc(zone) ? 'own' : 'event';
  const where = zone === null || clock === 'own' ? '' : ` (${zone})`;
  const when = start === null ? [] : [`${spanInWords(start[clock], end?.[clock] ?? null, language)}${where}`];
  const one = instance ? [`(${spanInWords(instance[clock], null, language)})`] : [];
  return [summary, ...when, ...one, location].filter((line) => line !== '');
}

const isUtc = (zone: string): boolean => zone === 'UTC' || zone === 'Etc/UTC';

/** For owners: who is told what of which meeting, and in whose name. */
function inWords(
  invitation: Invitation,
  as: Found['as'],
  { answer, comment }: InvitationReply,
  language: Language,
): string {
  const { name, address } = as.attendee;
  // Some calendars write the address where a name belongs.
  const isNamed = name !== '' && name.toLowerCase() !== address.toLowerCase();
  const who = isNamed ? `${name} <${address}>` : address;
  return [
    `${say(language, 'mails.labels.to')}: ${as.organizer}`,
    say(language, `invitationAnswers.body.${answer}`, { who }),
    ...meetingLines(invitation, language),
    ...(invitation.recurrence ? [invitation.recurrence.words] : []),
    ...(comment === '' ? [] : ['', comment]),
  ].join('\n');
}

const basisOf = (invitation: Invitation, { attendee, organizer, sentBy }: Found['as']): string =>
  sha256(
    canonicalJson([
      invitation.uid,
      invitation.recurrence_id,
      invitation.sequence,
      attendee.address,
      organizer,
      sentBy,
      invitation.start?.instant ?? null,
    ]),
  );

type MayAnswer =
  /** `sentBy`: the persona writes it for that attendee; null: it is the attendee. */
  | { readonly may: true; readonly attendee: Attendee; readonly organizer: string; readonly sentBy: string | null }
  | { readonly may: false; readonly why: string };

/**
 * Whether an invitation can be answered by this persona in a run of this tier, and as whom: as itself where it is
 * invited, and as its owner where the owner is invited and asks for it. `newest`: the newest state of the same meeting.
 */
export function mayAnswer(options: {
  readonly invitation: Invitation;
  readonly row: Pick<StoredInvitation, 'id' | 'sequence' | 'stamped_at'>;
  readonly newest: {
    readonly row: Pick<StoredInvitation, 'id' | 'sequence' | 'stamped_at'>;
    readonly invitation: Invitation;
  };
  readonly persona: Pick<Persona, 'address' | 'aliases' | 'owners'>;
  readonly tier: Tier;
  /** It was sent on to the persona within another mail: whoever did so invites nobody (RFC 5546 3.2.2.6). */
  readonly isForwarded?: boolean;
}): MayAnswer {
  const { invitation, row, newest, persona, tier, isForwarded = false } = options;
  const no = (why: string): MayAnswer => ({ may: false, why });
  if (invitation.cancelled || newest.invitation.cancelled)
    return no('this meeting was cancelled; there is nothing to answer');
  if (isNewer(newest.row, row)) return no(`a newer state of this invitation came: ${newest.row.id}`);
  if (invitation.method !== 'REQUEST') return no('this is no invitation that can be answered');
  if (invitation.organizer === null) return no('it names no organiser whom an answer could go to');
  const organizer = invitation.organizer.address;
  const own = [persona.address, ...persona.aliases].map((address) => address.toLowerCase());
  if (own.includes(organizer.toLowerCase())) return no('you are its organiser yourself');
  const self = invitation.attendees.find(({ address }) => own.includes(address.toLowerCase()));
  if (self) return { may: true, attendee: self, organizer, sentBy: null };
  const owner = invitation.attendees.find(({ address }) =>
    persona.owners.some((pattern) => matchesPattern(address, pattern)),
  );
  if (!owner) {
    const why = 'neither you nor your owner is invited';
    return no(
      isForwarded ? `${why}: it was forwarded, and its organiser alone can invite you, whom a mail can ask` : why,
    );
  }
  return tier === 'owner'
    ? { may: true, attendee: owner, organizer, sentBy: persona.address }
    : no('not you are invited but your owner, and only your owner can ask you to answer it');
}

const isNewer = (
  a: Pick<StoredInvitation, 'id' | 'sequence' | 'stamped_at'>,
  b: Pick<StoredInvitation, 'id' | 'sequence' | 'stamped_at'>,
): boolean => a.id !== b.id && (a.sequence > b.sequence || (a.sequence === b.sequence && a.stamped_at > b.stamped_at));

export const noInvitation = (id: string): EngineError =>
  new EngineError('not_found', `there is no invitation ${id} in the mail that this sender may see`);
