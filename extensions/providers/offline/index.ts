import { z } from 'zod';
import { defineProvider, type GenerateRequest, type GenerateResponse } from '#contract';
import { finalText } from './report.ts';
import { resultsOfRun } from './results.ts';
import { spokenCalls } from './spoken-calls.ts';

const NO_USAGE = { input: 0, output: 0, cached: 0, cacheWrite: 0, unknown: [] };

/**
 * No model: the tool calls that the mail spells out, then a report of their results. What makes the whole engine
 * usable and testable without a key; the same input always gives the same bytes.
 */
export default defineProvider({
  // Every bundled provider has `base_url`; here nothing is ever contacted.
  config: z.strictObject({ base_url: z.string().optional() }),
  create: ({ name }) => ({ generate: async (request) => answer(request, name) }),
});

function answer(request: GenerateRequest, name: string): GenerateResponse {
  const results = resultsOfRun(request.messages, name);
  const mayCall = results === undefined && request.tools.length > 0 && request.toolChoice === 'auto';
  const toolCalls = mayCall ? spokenCalls(request) : [];
  const calling = toolCalls.length > 0;
  return {
    text: calling ? '' : finalText(request.input.text, results ?? []),
    toolCalls,
    finish: calling ? 'tool_calls' : 'stop',
    usage: NO_USAGE,
    providerParts: { provider: name, model: request.model, data: calling ? 'calls' : 'final' },
    reportedCostUsd: null,
  };
}
