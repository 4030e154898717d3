import { z } from 'zod';
import type { GenerateResponse, Json, ToolCall, Usage } from '#contract';
import { isShallow, noAnswer } from '#contract/http';

const count = z.number().nonnegative().nullish().catch(0);

const messageSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  usage: z
    .looseObject({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
    })
    .nullish(),
});

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const toolUse = z.object({ type: z.literal('tool_use'), id: z.string().min(1), name: z.string(), input: z.json() });

type Message = z.infer<typeof messageSchema>;

/** Throws `unavailable` when the body is no message. */
export function fromWire(body: unknown, options: { name: string; model: string }): GenerateResponse {
  const { data: message } = messageSchema.safeParse(isShallow(body) ? body : undefined);
  if (!message) {
    throw noAnswer(options, 'the answer is not a message');
  }
  const texts = message.content.map((block) => textBlock.safeParse(block).data?.text ?? '');
  const calls = message.content.flatMap(callsOf);
  const refused = message.stop_reason === 'refusal';
  // A declined turn may break off in the middle of a call: none of its calls counts.
  const toolCalls = refused ? [] : calls;
  const data: Json = JSON.parse(JSON.stringify(message.content));
  return {
    text: texts.join(''),
    toolCalls,
    finish: finishOf(message.stop_reason, toolCalls.length),
    whole: GOOD_ENDS.has(message.stop_reason ?? ''),
    usage: usageOf(message.usage),
    providerParts: { provider: options.name, model: options.model, data },
    reportedCostUsd: null,
  };
}

const GOOD_ENDS: ReadonlySet<string> = new Set(['end_turn', 'tool_use', 'stop_sequence']);

function callsOf(block: unknown): ToolCall[] {
  const { data } = toolUse.safeParse(block);
  if (!data) return [];
  const { id, name, input } = data;
  // A string is what the stream's fragments add up to where that is no JSON.
  if (typeof input === 'string') return [{ id, name, arguments: undefined, rawArguments: input }];
  return [{ id, name, arguments: input }];
}

function finishOf(reason: Message['stop_reason'], calls: number): GenerateResponse['finish'] {
  if (reason === 'refusal') return 'refusal';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  if (calls > 0) return 'tool_calls';
  return reason === 'end_turn' || reason === 'stop_sequence' ? 'stop' : 'other';
}

/** The API counts cached tokens apart from the rest of the input. */
function usageOf(usage: Message['usage']): Usage {
  const cached = usage?.cache_read_input_tokens ?? 0;
  const cacheWrite = usage?.cache_creation_input_tokens ?? 0;
  return {
    input: (usage?.input_tokens ?? 0) + cached + cacheWrite,
    output: usage?.output_tokens ?? 0,
    cached,
    cacheWrite,
  };
}
