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
  /**
   * To whom an invitation of the persona's own, its change or its cancellation would go, and what owners are shown of it.
   * Throws `invalid_arguments`, `not_found`.
   */
  prepareMeeting(wanted: MeetingWanted): Promise<{
    readonly to: readonly string[];
    readonly title: string;
    readonly preview: Preview;
  }>;
  /**
   * Puts it into the outbox, in the same transaction as the tool's result. Throws as `prepareMeeting` does,
   * `outbound_transport_not_configured`, `approval_stale`.
   */
  meet(wanted: MeetingWanted): Promise<{
    /** By which it is changed and cancelled. */
    readonly id: string;
    readonly to: readonly string[];
    /** What the meeting is called. */
    readonly title: string;
    readonly message_id: string;
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

/** A meeting to invite to. With `id` a change of one that the persona has invited to: what is left out stays as it is. */
export interface MeetingWanted {
  readonly id?: string | undefined;
  readonly cancel: boolean;
  readonly to?: readonly string[] | undefined;
  readonly title?: string | undefined;
  /** ISO time, in the persona's zone where it names none. */
  readonly start?: string | undefined;
  readonly duration_min?: number | undefined;
  readonly location?: string | undefined;
  /** For those invited. */
  readonly note?: string | undefined;
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
