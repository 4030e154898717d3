import type { GenerateRequest, GenerateResponse } from '#contract';
import { plainAnswer } from '#contract/http';

/** The vendor's own message cannot go back as it came: it would say otherwise than the answer that was made of it. */
const NOBODYS = { provider: '', model: '', data: null };

/** The answer of an adapter that does not look for the model's own markup in its text. */
export function inPlainWords(
  response: GenerateResponse,
  { model, tools, messages }: GenerateRequest,
): GenerateResponse {
  if (response.markup !== undefined) return response;
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const idOf = (index: number) => `call_${turn}_${index}`;
  const { markup, text, toolCalls, whole } = plainAnswer(response.text, response.toolCalls, { model, tools, idOf });
  if (markup === 'none') return response;
  const { finish } = response;
  if (finish === 'refusal') return { ...response, text, markup: 'read', providerParts: NOBODYS };
  const isCalling = toolCalls.length > 0 && finish !== 'length';
  return {
    ...response,
    text,
    toolCalls,
    markup,
    providerParts: NOBODYS,
    ...(!whole && { whole }),
    ...(isCalling && { finish: 'tool_calls' as const }),
  };
}
