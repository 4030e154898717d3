import type { Added } from '../schema/persona.ts';
import type { Viewer } from '../types/mail.ts';

/** An event of a calendar file that came with a mail, as it was read. */
export interface StoredInvitation extends Added<'invitations'> {
  readonly id: string;
  readonly uid: string;
  /** The instance of a series; empty: all of it. */
  readonly recurrence_id: string;
  readonly thread_id: string;
  readonly message: string;
  /** The attachment that it stands in. */
  readonly attachment: string;
  /** In lower case; empty where it names none. */
  readonly organizer: string;
  readonly sequence: number;
  /** When this state of it was written, or came. */
  readonly stamped_at: number;
  readonly facts_json: string;
}

/** What somebody has answered; of several answers the last. */
export interface InvitationAnswer extends Added<'invitation_answers'> {
  readonly uid: string;
  readonly recurrence_id: string;
  /** In lower case. */
  readonly attendee: string;
  readonly partstat: string;
  /** SEQUENCE of the invitation that was answered. */
  readonly sequence: number;
  readonly answered_at: number;
  readonly comment: string;
}

/** Invitations that came with mail, and what was answered to them. */
export interface InvitationStore {
  /** Keeps what is not there yet, by its id. */
  keepInvitations(invitations: readonly StoredInvitation[]): Promise<void>;
  /** One that came with a mail which the viewer may see. */
  findInvitation(id: string, viewer: Viewer): Promise<StoredInvitation | undefined>;
  /**
   * All states of one meeting that the viewer may see, the newest first; ten at most. Of its organiser, of owners, of our
   * own and of whoever sent this one: others may know its UID and change nothing by it.
   */
  statesOfInvitation(
    meeting: Pick<StoredInvitation, 'uid' | 'recurrence_id' | 'organizer' | 'message'>,
    viewer: Viewer,
  ): Promise<readonly StoredInvitation[]>;
  /** Those of a thread that the viewer may see, the newest first. */
  invitationsOfThread(threadId: string, viewer: Viewer, limit: number): Promise<readonly StoredInvitation[]>;
  /** The newest state of a meeting, whoever asks: our own, else its organiser's, else anybody's. */
  newestInvitation(uid: string, recurrenceId: string): Promise<StoredInvitation | undefined>;
  /** The newest state of each meeting that the persona itself invited to, newest first by the mail of that state. */
  ownInvitations(page: { readonly after?: string | undefined; readonly limit: number }): Promise<StoredInvitation[]>;
  /** In the order of the addresses; a hundred at most. */
  answersToInvitation(uid: string, recurrenceId: string): Promise<readonly InvitationAnswer[]>;
  /** Takes the place of an older answer of the same attendee. */
  keepInvitationAnswer(answer: InvitationAnswer): Promise<void>;
}
