import { z } from 'zod';
import { defineTool } from '#contract';

const address = z.string().min(3).max(320);

export default defineTool({
  description:
    'Invite people to a meeting, in their calendars; by the id of one that you sent, change (what you leave out stays) ' +
    'or cancel it.',
  risk: 'write',
  scope: 'mail:create',
  uses: ['calendar'],
  // The mail is stored together with this call's result, so doing it again after a crash sends nothing twice.
  effect: 'keyed',
  later: true,
  input: z.strictObject({
    id: z.string().min(1).optional(),
    to: z.array(address).max(50).optional(),
    title: z.string().min(1).max(300).optional(),
    start: z.string().max(40).optional().describe('ISO time'),
    duration_min: z.int().min(1).max(20_160).optional(),
    location: z.string().max(300).optional(),
    note: z.string().max(2000).optional(),
    cancel: z.boolean().default(false),
  }),
  output: z.object({ id: z.string(), to: z.array(z.string()), message_id: z.string() }),
  provenance: ({ message_id }) => ({ message_id }),
  async effects(wanted, { calendar }) {
    const { to } = await calendar.prepareMeeting(wanted);
    return { targets: [...to], recipients: [...to], names: wanted.id === undefined ? [] : [wanted.id] };
  },
  // An owner is shown who gets what, and when it is by the clock of the persona.
  preview: async (wanted, { calendar }) => (await calendar.prepareMeeting(wanted)).preview,
  receipt: ({ to, title }, result) => ({
    act: 'mail',
    targets:
      typeof result === 'object' && result !== null && 'to' in result && Array.isArray(result.to)
        ? result.to.map(String)
        : [...(to ?? [])],
    // A meeting that is moved is named by what it is, and not by the time or the id that was given.
    ...named(title ?? titleOf(result)),
  }),
  run: (wanted, { calendar }) => calendar.meet(wanted),
});

const named = (title: string | null) => (title === null ? {} : { title });

const titleOf = (result: unknown): string | null =>
  typeof result === 'object' && result !== null && 'title' in result && typeof result.title === 'string'
    ? result.title
    : null;
