import { z } from 'zod';
import { defineTool, EngineError } from '#contract';

export default defineTool({
  description:
    'Only when several things are to be deleted: put all the calls before your owner as one plan. Once approved, they ' +
    'are made exactly as written, in order, up to the first that fails. For anything else, make the calls themselves.',
  risk: 'create',
  scope: 'files:create',
  asks: 'plan',
  input: z.strictObject({
    steps: z
      .array(
        z.strictObject({
          tool: z.string().min(1).max(64),
          arguments: z.record(z.string(), z.unknown()),
        }),
      )
      .min(1)
      .max(20),
  }),
  run: () => {
    throw new EngineError('tool_failed', 'a plan is put before the owners; it is never run by itself');
  },
});
