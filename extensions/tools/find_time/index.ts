import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: 'When your owner is free by their calendars, within work hours: the first times that are long enough.',
  risk: 'read',
  scope: 'schedule:read',
  uses: ['calendar'],
  onlyWith: 'calendars',
  input: z.object({
    from: z.string().describe('ISO date or time'),
    to: z.string().describe('ISO date or time, at most 92 days later'),
    duration_min: z.int().min(5).max(1440),
  }),
  output: z.object({
    free: z.array(z.object({ start: z.string(), end: z.string() })),
    zone: z.string(),
    work_hours: z.string(),
    calendars: z.array(z.object({ name: z.string(), as_of: z.string() })),
    notes: z.array(z.string()),
  }),
  async run(wanted, { calendar }) {
    const { free, calendars, notes, ...found } = await calendar.findTime(wanted);
    return {
      ...found,
      free: free.map((slot) => ({ ...slot })),
      calendars: calendars.map((one) => ({ ...one })),
      notes: [...notes],
    };
  },
});
