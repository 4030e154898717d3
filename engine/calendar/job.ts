import { type Busy, busyIn } from './busy.ts';
import { readCalendar } from './calendar.ts';
import { invitationsOf } from './invitations.ts';
import { type ReplyWords, replyTo } from './reply.ts';
import type { Invitation } from './types.ts';

/** What can be asked of a calendar file; everything but its text. */
export type CalendarQuestion =
  /** `timezone`: the reader's; `from`: from when on the next instances are told, ms. */
  | { readonly kind: 'invitations'; readonly timezone: string; readonly from: number }
  | {
      readonly kind: 'busy';
      readonly timezone: string;
      /** ms */
      readonly window: { readonly from: number; readonly to: number };
      /** Addresses of the owner: what they declined leaves them free. */
      readonly declinedBy: readonly string[];
    }
  | ({ readonly kind: 'reply' } & ReplyWords);

export type CalendarAnswer =
  | { readonly kind: 'invitations'; readonly invitations: readonly Invitation[] }
  | ({ readonly kind: 'busy' } & Busy)
  /** Null: it holds no such invitation to that attendee. */
  | { readonly kind: 'reply'; readonly text: string | null }
  /** Why it could not be read, in words. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** Answers a question over calendar text. It may compute long over hostile text, so it belongs into a thread. */
export function answerOf(text: string, question: CalendarQuestion): CalendarAnswer {
  const calendar = readCalendar(text);
  if (calendar === null) return { kind: 'unreadable', why: 'it holds no calendar' };
  switch (question.kind) {
    case 'invitations':
      return { kind: 'invitations', invitations: invitationsOf(calendar, question) };
    case 'busy':
      return { kind: 'busy', ...busyIn(calendar, question) };
    case 'reply':
      return { kind: 'reply', text: replyTo(calendar, question) };
  }
}
