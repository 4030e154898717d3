import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { NOTE, SYSTEM } from './bench-workspace.ts';
import { mailText } from './mail.ts';

/**
 * The same mail worked by the AI SDK, which keeps nothing: the same instant model at the wire, the same tool, and as
 * many steps.
 */
export function openAiSdk(modelUrl: string): (steps: number) => Promise<void> {
  const provider = createOpenAICompatible({ name: 'bench', baseURL: modelUrl, apiKey: 'none' });
  const note = tool({
    description: NOTE.description,
    inputSchema: jsonSchema<{ number: number }>(NOTE.input),
    execute: async ({ number }) => ({ number, text: NOTE.text }),
  });
  let serial = 0;
  return async (steps) => {
    serial += 1;
    const { steps: made } = await generateText({
      model: provider('large'),
      system: SYSTEM,
      prompt: mailText(serial, steps),
      tools: { note },
      stopWhen: isStepCount(steps + 1),
      maxRetries: 0,
    });
    if (made.length !== steps + 1) throw new Error(`the AI SDK made ${made.length} model calls`);
  };
}
