import { z } from 'zod';
import { defineTool, EngineError } from '#contract';

export default defineTool({
  description:
    'Ask your owner what only a person can answer; your work waits until then. The sender you ask in your final text.',
  risk: 'create',
  scope: 'mail:create',
  uses: [],
  asks: 'answer',
  input: z.strictObject({
    question: z.string().min(1).max(4000),
  }),
  run: () => {
    throw new EngineError('tool_failed', 'a question is put before the owners; it is never run');
  },
});
