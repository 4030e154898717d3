import type { Preview } from '../preview.ts';

/** Invitations that came with mail, and when the owner is free. */
export interface CalendarCapability {
  /**
   * To whom the answer would go, the subject of the meeting, and what owners are shown of it. Throws `not_found`,
   * `invalid_arguments` with why the invitation cannot be answered.
   */
  prepare(reply: InvitationReply): Promise<{ readonly to: string; readonly title: string; readonly preview: Preview }>;
  /**
   * Puts the answer into the outbox, in the same transaction as the tool's result; not a second time where the same was
   * answered before (`sent` false). Throws as `prepare` does, `outbound_transport_not_configured`, `approval_stale`.
   */
  answer(reply: InvitationReply): Promise<{
    readonly to: string;
    readonly sent: boolean;
    readonly message_id: string | null;
  }>;
  /** Throws `invalid_arguments` for a window that is none or too long, `tool_failed` where no calendar could be read. */
  findTime(wanted: {
    /** ISO dates or times, in the persona's zone where they name none; of `to` as a day, its end. */
    readonly from: string;
    readonly to: string;
    readonly duration_min: number;
  }): Promise<FreeTimes>;
}

export interface InvitationReply {
  /** As the invitation is shown. */
  readonly id: string;
  readonly answer: 'accepted' | 'declined' | 'tentative';
  /** Empty: none. */
  readonly comment: string;
}

export interface FreeTimes {
  /** ISO 8601 with offset, in `zone`. */
  readonly free: readonly { readonly start: string; readonly end: string }[];
  readonly zone: string;
  /** Within which was looked, such as `Mon-Fri 09:00-17:00`. */
  readonly work_hours: string;
  /** What was looked at, and of when it is. */
  readonly calendars: readonly { readonly name: string; readonly as_of: string }[];
  /** What is missing: times may be taken although they look free. */
  readonly notes: readonly string[];
}
