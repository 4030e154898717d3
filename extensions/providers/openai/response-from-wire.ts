import { z } from 'zod';
import type { GenerateResponse, Json, ToolCall, Usage } from '#contract';
import {
  type AnsweredCall,
  fieldOf,
  isShallow,
  noAnswer,
  type PlainAnswer,
  parseArguments,
  plainAnswer,
  unknownOf,
} from '#contract/http';
import { costIn } from './from-wire.ts';

const count = z.number().nonnegative().catch(0);

const responseSchema = z.looseObject({
  status: z.string().nullish(),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: z
    .looseObject({
      input_tokens: count,
      output_tokens: count,
      input_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null),
      cost: z.number().nonnegative().nullish().catch(null),
      is_byok: z.boolean().nullish().catch(null),
      cost_details: z
        .object({ upstream_inference_cost: z.number().nonnegative().nullish().catch(null) })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

const messageItem = z.object({
  type: z.literal('message'),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })),
});

const callItem = z.object({
  type: z.literal('function_call'),
  call_id: z.string().min(1),
  name: z.string(),
  arguments: z.union([z.string(), z.record(z.string(), z.json())]).nullish(),
});

type Response = z.infer<typeof responseSchema>;

/** Throws `unavailable` when the body is no response. */
export function responseFromWire(body: unknown, options: AnsweredCall): GenerateResponse {
  const { data: response } = responseSchema.safeParse(isShallow(body) ? body : undefined);
  if (!response) {
    throw noAnswer(options, 'the answer is not a response');
  }
  const parts = response.output.flatMap((item) => messageItem.safeParse(item).data?.content ?? []);
  const reason = response.incomplete_details?.reason;
  const refused = reason === 'content_filter' || parts.some((part) => part.type === 'refusal');
  const said = parts.map((part) => part.text ?? part.refusal ?? '').join('');
  const idOf = (index: number) => `call_${options.turn}_${index}`;
  const plain = plainAnswer(said, response.output.flatMap(callsOf), { ...options, idOf });
  const toolCalls = refused ? [] : plain.toolCalls;
  const data: Json = JSON.parse(
    JSON.stringify(plain.markup === 'none' ? response.output : withoutMarkup(response, plain)),
  );
  return {
    text: plain.text,
    toolCalls,
    markup: plain.markup,
    finish: refused ? 'refusal' : finishOf(response, toolCalls.length),
    whole: plain.whole && response.status === 'completed',
    usage: usageOf(response.usage),
    providerParts: { provider: options.name, model: options.model, data },
    reportedCostUsd: costIn(response.usage),
  };
}

/** What goes back: the model's items with its words and its calls as they were meant. */
function withoutMarkup({ output }: Response, { text, toolCalls }: PlainAnswer): readonly object[] {
  const hasOwn = output.some(({ type }) => type === 'function_call');
  const others = output.filter(({ type }) => type !== 'message');
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
  const made = toolCalls.map(({ id, name, arguments: given, rawArguments }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: rawArguments ?? JSON.stringify(given),
  }));
  const at = others.findIndex(({ type }) => type === 'function_call');
  const words = text === '' ? [] : [said];
  return hasOwn ? [...others.slice(0, at), ...words, ...others.slice(at)] : [...others, ...words, ...made];
}

function callsOf(item: unknown): ToolCall[] {
  const { data } = callItem.safeParse(item);
  if (!data) return [];
  const { call_id: id, name, arguments: text } = data;
  if (typeof text !== 'string') return [{ id, name, arguments: text ?? {} }];
  const parsed = parseArguments(text);
  if (parsed === undefined) return [{ id, name, arguments: undefined, rawArguments: text }];
  return [{ id, name, arguments: parsed }];
}

function finishOf({ status, incomplete_details }: Response, calls: number): GenerateResponse['finish'] {
  if (incomplete_details?.reason === 'max_output_tokens') return 'length';
  if (calls > 0) return 'tool_calls';
  return status === 'completed' || status == null ? 'stop' : 'other';
}

/** What a body says of what was used, whatever else it is; null: nothing. */
export function responseUsageIn(body: unknown): Usage | null {
  const { data } = responseSchema.shape.usage.safeParse(fieldOf(body, 'usage'));
  const usage = usageOf(data);
  return usage.input > 0 || usage.output > 0 ? usage : null;
}

function usageOf(usage: Response['usage']): Usage {
  const [input, output] = [usage?.input_tokens ?? 0, usage?.output_tokens ?? 0];
  return {
    input,
    output,
    ...unknownOf({ input, output }),
    cached: usage?.input_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage?.input_tokens_details?.cache_write_tokens ?? 0,
  };
}
