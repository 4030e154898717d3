import { z } from 'zod';
import { defineTool, EngineError } from '#contract';

export default defineTool({
  description: 'Ask owners what only people know; sender gets text beside now.',
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
