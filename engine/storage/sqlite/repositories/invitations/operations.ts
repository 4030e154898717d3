import { type Kysely, type SqlBool, sql } from 'kysely';
import type { InvitationStore, StoredInvitation } from '../../../ports/invitations.ts';
import type { Viewer } from '../../../types/mail.ts';
import { compiledQuery } from '../../database/compiled-query.ts';
import { asArguments, isSeenBy, type ViewerArguments, type ViewerGiven } from '../../database/seen-by.ts';
import type { Transact } from '../../database/transactions.ts';
import type { PersonaTables, Reader } from '../../persona/schema/tables.ts';
import { keepAnswer } from '../steps.ts';

const MAX_STATES = 10;
const MAX_ANSWERS = 100;

const selectSeen = (db: Reader, viewer: Viewer | ViewerArguments, others?: Parameters<typeof isSeenBy>[1]) =>
  db
    .selectFrom('invitations')
    .innerJoin('messages as m', 'm.id', 'invitations.message')
    .selectAll('invitations')
    .where(isSeenBy(viewer, others));

/**
 * Whose mail can change a meeting: its organiser's, an owner's, our own, and that of whoever sent the state that is looked
 * at, since services send in the names of organisers. Every guest knows the UID, and could move or cancel it otherwise.
 */
const isOfTheOrganizer = (organizer: string, message: string) =>
  sql<SqlBool>`(invitations.attachment = '' or m.tier = 'owner'
    or m.from_address in (${organizer}, (select from_address from messages where id = ${message})))`;

/** Asked for with each mail. */
const selectOfThread = compiledQuery<{ threadId: string; limit: number } & ViewerGiven>()(
  (db: Reader, { threadId, limit, viewer = null, others }) =>
    selectSeen(db, viewer, others)
      .where('invitations.thread_id', '=', threadId)
      .orderBy('invitations.stamped_at', 'desc')
      .limit(limit),
);

/** The part of the Store that has to do with invitations. */
export function invitationOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): InvitationStore {
  const seen = (viewer: Viewer) => selectSeen(db, viewer);
  return {
    async keepInvitations(invitations: readonly StoredInvitation[]): Promise<void> {
      if (invitations.length === 0) return;
      await transact(async (trx) => {
        await trx
          .insertInto('invitations')
          .values([...invitations])
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      }, 'normal');
    },
    findInvitation: (id, viewer) => seen(viewer).where('invitations.id', '=', id).executeTakeFirst(),
    statesOfInvitation: ({ uid, recurrence_id, organizer, message }, viewer) =>
      seen(viewer)
        .where(isOfTheOrganizer(organizer, message))
        .where('invitations.uid', '=', uid)
        .where('invitations.recurrence_id', '=', recurrence_id)
        .where('invitations.organizer', '=', organizer)
        .orderBy('invitations.sequence', 'desc')
        .orderBy('invitations.stamped_at', 'desc')
        .limit(MAX_STATES)
        .execute(),
    invitationsOfThread: async (threadId, viewer, limit) =>
      (await selectOfThread(db, { threadId, limit, ...asArguments(viewer) })).rows,
    newestInvitation: (uid, recurrenceId) =>
      db
        .selectFrom('invitations')
        .innerJoin('messages as m', 'm.id', 'invitations.message')
        .selectAll('invitations')
        .where('invitations.uid', '=', uid)
        .where('invitations.recurrence_id', '=', recurrenceId)
        // Of a meeting of its own, what it has sent itself, whatever copy of that somebody sends on; else its organiser's.
        .orderBy((eb) => eb('invitations.attachment', '=', ''), 'desc')
        .orderBy((eb) => eb('m.from_address', '=', eb.ref('invitations.organizer')), 'desc')
        .orderBy('invitations.sequence', 'desc')
        .orderBy('invitations.stamped_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
    ownInvitations: ({ after, limit }) =>
      db
        .selectFrom('invitations as one')
        .selectAll('one')
        .where('one.attachment', '=', '')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('invitations as later')
                .select('later.id')
                .whereRef('later.uid', '=', 'one.uid')
                .whereRef('later.sequence', '>', 'one.sequence')
                .where('later.attachment', '=', ''),
            ),
          ),
        )
        .$if(after !== undefined, (query) => query.where('one.message', '<', after ?? ''))
        .orderBy('one.message', 'desc')
        .limit(limit)
        .execute(),
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
