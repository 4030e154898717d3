import { z } from 'zod';
import type { GenerateRequest, GenerateResponse, Json } from '#contract';
import { billedFailure, fieldOf, isShallow, noAnswer, parseArguments } from '#contract/http';

/** More pieces than any answer has. */
const MAX_LINES = 200_000;

/**
 * What a server said: one value, or, as something before it may have it although nobody asked for a stream, one on each
 * line, which add up to one. A stream that breaks off is not done. Undefined for what is neither.
 */
export function bodyIn(text: string): unknown {
  const whole = parseArguments(text);
  if (whole !== undefined) return whole;
  const parts = text
    .split('\n')
    .slice(0, MAX_LINES)
    .flatMap((line) => (line.trim() === '' ? [] : [parseArguments(line)]));
  // The last line of a stream that was cut.
  if (parts.at(-1) === undefined) parts.pop();
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  const failed = parts.find((part) => fieldOf(part, 'error') !== undefined);
  // With what it had said by then, which is not an answer, and was computed all the same.
  return failed === undefined ? addedUp(parts) : { ...addedUp(parts), error: fieldOf(failed, 'error') };
}

/** Whether something of an answer had come. */
const hasBegun = (body: unknown): boolean => {
  const message = fieldOf(body, 'message');
  const isSaid = ['content', 'thinking'].some((key) => (fieldOf(message, key) ?? '') !== '');
  return isSaid || fieldOf(message, 'tool_calls') !== undefined;
};

function addedUp(parts: readonly unknown[]): object {
  const messages = parts.map((part) => fieldOf(part, 'message'));
  const all = (key: string) => messages.map((message) => fieldOf(message, key));
  const textOf = (key: string) =>
    all(key)
      .filter((piece) => typeof piece === 'string')
      .join('');
  const [thinking, calls] = [
    textOf('thinking'),
    all('tool_calls').flatMap((some) => (Array.isArray(some) ? some : [])),
  ];
  const last = parts.at(-1);
  return {
    ...(typeof last === 'object' ? last : {}),
    done: fieldOf(last, 'done') === true,
    message: {
      role: 'assistant',
      content: textOf('content'),
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  };
}

const count = z.number().nonnegative().nullish().catch(0);
const answerSchema = z.looseObject({
  message: z.looseObject({
    content: z.string().nullish(),
    tool_calls: z
      .array(z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.json().optional() }) }))
      .nullish(),
  }),
  done: z.boolean().nullish(),
  done_reason: z.string().nullish(),
  prompt_eval_count: count,
  eval_count: count,
});

/** Throws `unavailable` when the body is no chat. */
export function fromOllama(body: unknown, { model, messages }: GenerateRequest, name: string): GenerateResponse {
  const { data } = answerSchema.safeParse(isShallow(body) ? body : undefined);
  const error = fieldOf(body, 'error') ?? null;
  if (!data || error !== null) {
    const failure = noAnswer({ name }, String(error ?? 'the answer is not a chat').slice(0, 500));
    throw billedFailure(failure, { begun: hasBegun(body), usage: null });
  }
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const toolCalls = (data.message.tool_calls ?? []).map(({ function: { name: tool, arguments: given } }, index) => {
    const call = { id: `call_${turn}_${index}`, name: tool };
    if (typeof given !== 'string') return { ...call, arguments: given ?? {} };
    const args = parseArguments(given);
    return args === undefined ? { ...call, arguments: args, rawArguments: given } : { ...call, arguments: args };
  });
  const isStop = data.done_reason === 'stop' || (data.done_reason == null && data.done === true);
  const parts: Json = JSON.parse(JSON.stringify(data.message));
  return {
    text: data.message.content ?? '',
    toolCalls,
    finish: data.done_reason === 'length' ? 'length' : toolCalls.length > 0 ? 'tool_calls' : isStop ? 'stop' : 'other',
    whole: isStop && data.done !== false,
    usage: { input: data.prompt_eval_count ?? 0, output: data.eval_count ?? 0, cached: 0, cacheWrite: 0 },
    providerParts: { provider: name, model, data: parts },
    reportedCostUsd: null,
  };
}
