import type { InvitationAnswer, StoredInvitation } from '../types/invitations.ts';
import type { Viewer } from '../types/mail.ts';

/** Invitations that came with mail, and what was answered to them. */
export interface InvitationStore {
  /** Keeps what is not there yet, by its id. */
  keepInvitations(invitations: readonly StoredInvitation[]): Promise<void>;
  /** One that came with a mail which the viewer may see. */
  findInvitation(id: string, viewer: Viewer): Promise<StoredInvitation | undefined>;
  /** All states of one meeting that the viewer may see, the newest first; ten at most. */
  statesOfInvitation(
    meeting: Pick<StoredInvitation, 'uid' | 'recurrence_id' | 'organizer'>,
    viewer: Viewer,
  ): Promise<readonly StoredInvitation[]>;
  /** Those of a thread that the viewer may see, the newest first. */
  invitationsOfThread(threadId: string, viewer: Viewer, limit: number): Promise<readonly StoredInvitation[]>;
  /** The newest state of a meeting, whoever asks. */
  newestInvitation(uid: string, recurrenceId: string): Promise<StoredInvitation | undefined>;
  /** In the order of the addresses; a hundred at most. */
  answersToInvitation(uid: string, recurrenceId: string): Promise<readonly InvitationAnswer[]>;
  /** Takes the place of an older answer of the same attendee. */
  keepInvitationAnswer(answer: InvitationAnswer): Promise<void>;
}
