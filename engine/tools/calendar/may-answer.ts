import type { Attendee, Invitation } from '../../calendar/types.ts';
import type { Persona } from '../../config/types.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import type { StoredInvitation } from '../../storage/ports/invitations.ts';
import type { Tier } from '../../storage/types/mail.ts';

export type MayAnswer =
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
