import type { GatherPart } from '../../harness/context/parts.ts';
import type { TakenMail } from '../../storage/ports/further-mail.ts';
import { mayBringCalendar, meetingsOf } from '../../tools/calendar/meetings.ts';

/** The invitations of the mail and of its thread, kept under the ids by which they can be answered. */
export const meetings: GatherPart = {
  forRun: ({ loaded, own, library, persona }) => ({
    async message() {
      const invitations = await meetingsOf(loaded, { store: own, library, timezone: persona.timezone });
      return invitations.length === 0 ? {} : { invitations };
    },
  }),
};

/** A mail that may bring an invitation. */
export const bringsMeeting = ({ attachments }: TakenMail): boolean => attachments.some(mayBringCalendar);
