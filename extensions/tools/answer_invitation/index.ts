import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: 'Answer an invitation; a later answer replaces it.',
  risk: 'write',
  scope: 'mail:create',
  uses: ['calendar'],
  // The mail is stored together with this call's result, and the same answer is not sent twice.
  effect: 'keyed',
  later: true,
  input: z.strictObject({
    id: z.string().min(1),
    answer: z.enum(['accepted', 'declined', 'tentative']),
    comment: z.string().max(2000).default(''),
  }),
  output: z.object({ to: z.string(), sent: z.boolean(), message_id: z.string().nullable() }),
  provenance: ({ message_id }) => (message_id === null ? null : { message_id }),
  async effects(reply, { calendar }) {
    const { to } = await calendar.prepare(reply);
    return { targets: [to], recipients: [to], names: [reply.id] };
  },
  // The arguments name an invitation alone: an owner is shown what would be answered to whom.
  preview: async (reply, { calendar }) => (await calendar.prepare(reply)).preview,
  receipt: ({ answer }, result) => ({
    act: answer,
    // Nobody is written to before it was found out who invites: the id of an invitation names nobody.
    targets: typeof result === 'object' && result !== null && 'to' in result ? [String(result.to)] : [],
  }),
  run: (reply, { calendar }) => calendar.answer(reply),
});
