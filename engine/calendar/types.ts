/** What iTIP (RFC 5546) can ask or say; anything else is read as `PUBLISH`. */
export const METHODS = [
  'PUBLISH',
  'REQUEST',
  'REPLY',
  'ADD',
  'CANCEL',
  'REFRESH',
  'COUNTER',
  'DECLINECOUNTER',
] as const;
export type Method = (typeof METHODS)[number];

export type Partstat = 'needs-action' | 'accepted' | 'declined' | 'tentative' | 'delegated';

export interface Person {
  /** As written, without `mailto:`. */
  readonly address: string;
  /** May be empty. */
  readonly name: string;
}

export interface Attendee extends Person {
  readonly partstat: Partstat;
  readonly role: 'chair' | 'required' | 'optional' | 'informed';
}

/** A day, or a point in time as two clocks show it. */
export interface When {
  /** Where the event is: `2026-03-02`, or `2026-03-02T09:30:00+05:30`. */
  readonly event: string;
  /** The same for the reader. */
  readonly own: string;
  /** Milliseconds; of a day, its beginning for the reader. */
  readonly instant: number;
}

export interface Recurrence {
  /** As written, without `RRULE:`; empty where only single dates are added. */
  readonly rule: string;
  readonly words: string;
  /** The next ones from the time that was asked for, at most five, after all exceptions that the file has. */
  readonly next: readonly When[];
  /** Taken out of the series. */
  readonly except: readonly When[];
}

/** One event of a calendar file: a meeting, all of a series, or one instance of it. */
export interface Invitation {
  readonly uid: string;
  readonly method: Method;
  readonly sequence: number;
  /** When this state of it was written; null where the file does not say. */
  readonly dtstamp: number | null;
  /** The instance of a series that it is about, by its original beginning: an instant in UTC or a day; null: all of it. */
  readonly recurrence_id: string | null;
  /** Also of all later ones. */
  readonly this_and_future: boolean;
  /** The same instance as people read it. */
  readonly instance: When | null;
  readonly organizer: Person | null;
  /** The first hundred. */
  readonly attendees: readonly Attendee[];
  readonly attendees_total: number;
  readonly summary: string;
  readonly location: string;
  readonly description: string;
  readonly comment: string;
  readonly start: When | null;
  /** Of days, the last one. */
  readonly end: When | null;
  readonly all_day: boolean;
  /** The zone of `event`; null for days. */
  readonly zone: string | null;
  readonly recurrence: Recurrence | null;
  readonly cancelled: boolean;
  /** What could not be read as it was meant, in words. */
  readonly notes: readonly string[];
}

export interface Interval {
  readonly start: number;
  readonly end: number;
}
