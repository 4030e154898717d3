/** An event of a calendar file that came with a mail, as it was read. */
export interface StoredInvitation {
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
export interface InvitationAnswer {
  readonly uid: string;
  readonly recurrence_id: string;
  /** In lower case. */
  readonly attendee: string;
  readonly partstat: string;
  /** Of the invitation that was answered. */
  readonly sequence: number;
  readonly answered_at: number;
  readonly comment: string;
}
