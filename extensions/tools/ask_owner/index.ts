import { z } from 'zod';
import { defineTool, EngineError } from '#contract';

export default defineTool({
  description:
    'Ask your owner a question that only a person can answer, and wait for the answer. Your work stops until then, so ' +
    'ask only what you cannot find out yourself. To ask the sender something, just write it in your final text.',
  risk: 'create',
  scope: 'mail:create',
  asks: 'answer',
  input: z.strictObject({
    question: z.string().min(1).max(4000).describe('One clear question with what is needed to answer it'),
  }),
  run: () => {
    throw new EngineError('tool_failed', 'a question is put before the owners; it is never run');
  },
});
