import type { Kysely } from 'kysely';
import type { InvitationStore, StoredInvitation } from '../../../ports/invitations.ts';
import type { Viewer } from '../../../types/mail.ts';
import type { Transact } from '../../database/transactions.ts';
import type { PersonaTables } from '../../persona/schema/tables.ts';
import { keepAnswer } from '../steps.ts';
import { isSeenBy } from '../viewers.ts';

const MAX_STATES = 10;
const MAX_ANSWERS = 100;

/** The part of the Store that has to do with invitations. */
export function invitationOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): InvitationStore {
  const seen = (viewer: Viewer) =>
    db
      .selectFrom('invitations')
      .innerJoin('messages as m', 'm.id', 'invitations.message')
      .selectAll('invitations')
      .where(isSeenBy(viewer));
  return {
    keepInvitations: (invitations: readonly StoredInvitation[]): Promise<void> =>
      transact(async (trx) => {
        if (invitations.length === 0) return;
        await trx
          .insertInto('invitations')
          .values([...invitations])
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      }, 'normal'),
    findInvitation: (id, viewer) => seen(viewer).where('invitations.id', '=', id).executeTakeFirst(),
    statesOfInvitation: ({ uid, recurrence_id, organizer }, viewer) =>
      seen(viewer)
        .where('invitations.uid', '=', uid)
        .where('invitations.recurrence_id', '=', recurrence_id)
        .where('invitations.organizer', '=', organizer)
        .orderBy('invitations.sequence', 'desc')
        .orderBy('invitations.stamped_at', 'desc')
        .limit(MAX_STATES)
        .execute(),
    invitationsOfThread: (threadId, viewer, limit) =>
      seen(viewer)
        .where('invitations.thread_id', '=', threadId)
        .orderBy('invitations.stamped_at', 'desc')
        .limit(limit)
        .execute(),
    newestInvitation: (uid, recurrenceId) =>
      db
        .selectFrom('invitations')
        .selectAll()
        .where('uid', '=', uid)
        .where('recurrence_id', '=', recurrenceId)
        .orderBy('sequence', 'desc')
        .orderBy('stamped_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
    answersToInvitation: (uid, recurrenceId) =>
      db
        .selectFrom('invitation_answers')
        .selectAll()
        .where('uid', '=', uid)
        .where('recurrence_id', '=', recurrenceId)
        .orderBy('attendee')
        .limit(MAX_ANSWERS)
        .execute(),
    keepInvitationAnswer: (answer) => transact((trx) => keepAnswer(trx, answer)),
  };
}
