import { EngineError } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { InvitationAnswer, StoredInvitation } from '../../storage/ports/invitations.ts';
import { factsOf } from '../../tools/calendar/meetings.ts';
import { findAcross } from '../find-across.ts';
import { listAcross, type Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';

/** A meeting that a persona invited to, as its newest state says. */
interface InvitationShape {
  readonly id: string;
  readonly persona: string;
  readonly title: string;
  readonly state: 'sent' | 'cancelled';
  /** By the clock of the meeting. */
  readonly start: string | null;
  readonly end: string | null;
  readonly zone: string | null;
  readonly location: string;
  readonly sequence: number;
  readonly thread_id: string;
  readonly guests: readonly {
    readonly address: string;
    /** `needs-action` until they answer. */
    readonly answer: string;
    readonly answered_at: string | null;
    readonly comment: string;
  }[];
}

/** No id is greater. */
const BEYOND_ALL = '~';

export async function listInvitations(
  ports: QueryPorts,
  page: Page,
): Promise<{ readonly invitations: readonly InvitationShape[]; readonly next: string | null }> {
  const { rows, next } = await listAcross(ports, page, {
    // Few personas have any, and those are opened.
    of: ({ invitations }) => (invitations ? BEYOND_ALL : null),
    read: async (store, wanted) =>
      Promise.all(
        (await store.ownInvitations(wanted)).map(async (row) => ({
          // By which the page goes on: it sorts by time.
          id: row.message,
          row,
          answers: await store.answersToInvitation(row.uid, row.recurrence_id),
        })),
      ),
  });
  return { invitations: rows.map(({ persona, row: { row, answers } }) => shapeOf(persona, row, answers)), next };
}

/** One of them by its id. Throws `not_found`. */
export async function invitationNamed(ports: QueryPorts, id: string): Promise<InvitationShape> {
  const found = await findAcross(ports, async (store) => {
    const row = await store.findInvitation(id, null);
    return row?.attachment === ''
      ? { row, answers: await store.answersToInvitation(row.uid, row.recurrence_id) }
      : undefined;
  });
  if (!found) throw new EngineError('not_found', `no persona has sent an invitation with the id ${id}`);
  return shapeOf(found.persona, found.row.row, found.row.answers);
}

function shapeOf(persona: string, row: StoredInvitation, answers: readonly InvitationAnswer[]): InvitationShape {
  const { summary, start, end, zone, location, attendees, cancelled } = factsOf(row);
  return {
    id: row.id,
    persona,
    title: summary,
    state: cancelled ? 'cancelled' : 'sent',
    start: start?.event ?? null,
    end: end?.event ?? null,
    zone,
    location,
    sequence: row.sequence,
    thread_id: row.thread_id,
    guests: attendees.map(({ address }) => {
      const answer = answers.find(({ attendee }) => attendee === address.toLowerCase());
      return {
        address,
        answer: answer?.partstat ?? 'needs-action',
        answered_at: answer ? iso(answer.answered_at) : null,
        comment: answer?.comment ?? '',
      };
    }),
  };
}
