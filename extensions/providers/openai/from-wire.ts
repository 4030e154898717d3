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

const count = z.number().nonnegative().catch(0);
/** Null where a vendor does not say it. */
const maybe = z.number().positive().nullable().catch(null);

// Of what is not sent back to the vendor only the named fields are kept.
const replySchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        // OpenRouter's, where the model behind it broke off in the middle.
        error: z.unknown().optional(),
        message: z.looseObject({
          content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.looseObject({
                id: z.string().nullish(),
                function: z.looseObject({ name: z.string(), arguments: z.json().optional() }),
              }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: maybe,
      completion_tokens: maybe,
      total_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null),
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

type Reply = z.infer<typeof replySchema>;
type WireMessage = Reply['choices'][number]['message'];

/** Throws `unavailable` when the body is no chat completion. */
export function fromWire(body: unknown, options: AnsweredCall): GenerateResponse {
  const parsed = replySchema.safeParse(isShallow(body) ? body : undefined);
  const choice = parsed.data?.choices[0];
  if (!parsed.success || !choice) {
    throw noAnswer(options, 'the answer is not a chat completion');
  }
  const { message } = choice;
  const refused = Boolean(message.refusal) || choice.finish_reason === 'content_filter';
  const native = callsOf(message, options.turn);
  const idOf = (index: number) => `call_${options.turn}_${index}`;
  const plain = plainAnswer(message.refusal || textOf(message), native, { ...options, idOf });
  const toolCalls = refused ? [] : plain.toolCalls;
  return {
    text: plain.text,
    toolCalls,
    markup: plain.markup,
    finish: refused ? 'refusal' : finishOf(choice.finish_reason, toolCalls.length),
    whole: plain.whole && (choice.error ?? null) === null && GOOD_ENDS.has(choice.finish_reason ?? ''),
    usage: usageOf(parsed.data.usage),
    providerParts: { provider: options.name, model: options.model, data: verbatim(message, plain) },
    reportedCostUsd: costIn(parsed.data.usage),
  };
}

function textOf({ content }: WireMessage): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
}

function callsOf(message: WireMessage, turn: number): ToolCall[] {
  const seen = new Set<string>();
  return (message.tool_calls ?? []).map((call, index) => {
    // Some servers send no id, or the same one twice; results could then not be told apart.
    const id = call.id && !seen.has(call.id) ? call.id : `call_${turn}_${index}`;
    seen.add(id);
    const { name, arguments: given } = call.function;
    if (typeof given !== 'string') return { id, name, arguments: given ?? {} };
    const parsed = parseArguments(given);
    return parsed === undefined
      ? { id, name, arguments: undefined, rawArguments: given }
      : { id, name, arguments: parsed };
  });
}

/** OpenAI's, and what servers of its protocol call the same: TGI says `eos_token`, some pass on Anthropic's words. */
const GOOD_ENDS: ReadonlySet<string> = new Set([
  ...['stop', 'tool_calls', 'function_call'],
  ...['eos_token', 'stop_sequence', 'end_turn', 'tool_use'],
]);

function finishOf(reason: string | null | undefined, calls: number): GenerateResponse['finish'] {
  if (reason === 'length') return 'length';
  if (calls > 0) return 'tool_calls';
  return reason === 'stop' || reason == null ? 'stop' : 'other';
}

/**
 * With a key of its customer's own OpenRouter's `cost` is its fee alone, and the vendor behind it bills the customer for
 * the rest. Null where it does not say that: then the price of the model counts.
 */
export function costIn(usage: Cost | null | undefined): number | null {
  const upstream = usage?.cost_details?.upstream_inference_cost ?? null;
  if (usage?.is_byok !== true) return usage?.cost ?? null;
  return upstream === null || upstream === 0 ? null : (usage.cost ?? 0) + upstream;
}

interface Cost {
  readonly cost?: number | null | undefined;
  readonly is_byok?: boolean | null | undefined;
  readonly cost_details?: { readonly upstream_inference_cost?: number | null | undefined } | null | undefined;
}

/** What a body says of what was used, whatever else it is; null: nothing. */
export function usageIn(body: unknown): Usage | null {
  const { data } = replySchema.shape.usage.safeParse(fieldOf(body, 'usage'));
  const usage = usageOf(data);
  return usage.input > 0 || usage.output > 0 ? usage : null;
}

function usageOf(usage: Reply['usage']): Usage {
  if (!usage) return { input: 0, output: 0, cached: 0, cacheWrite: 0, unknown: ['input', 'output'] };
  const { prompt_tokens: input, completion_tokens, total_tokens, prompt_tokens_details: details } = usage;
  // xAI counts reasoning tokens in the total only, yet bills them as output.
  const output = Math.max(completion_tokens ?? 0, input === null ? 0 : total_tokens - input);
  return {
    input: input ?? 0,
    output,
    ...unknownOf({ input: input ?? 0, output }),
    cached: details?.cached_tokens ?? 0,
    cacheWrite: details?.cache_write_tokens ?? 0,
  };
}

/** All fields as they came, but with the ids and argument texts that the results will refer to, and without markup. */
function verbatim(message: WireMessage, { text, toolCalls: calls, markup }: PlainAnswer): Json {
  if (markup !== 'none' && !message.tool_calls?.length) {
    const tool_calls = calls.map(({ id, name, arguments: given, rawArguments }) => ({
      id,
      type: 'function',
      function: { name, arguments: rawArguments ?? JSON.stringify(given) },
    }));
    const said: Json = JSON.parse(
      JSON.stringify({ ...message, content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls }) }),
    );
    return said;
  }
  const tool_calls = message.tool_calls?.map((call, index) => ({
    ...call,
    id: calls[index]?.id ?? null,
    function: { ...call.function, arguments: argumentText(call.function.arguments) },
  }));
  const data: Json = JSON.parse(
    JSON.stringify({ ...message, ...(markup !== 'none' && { content: text }), ...(tool_calls && { tool_calls }) }),
  );
  return data;
}

const argumentText = (given: unknown): string => (typeof given === 'string' ? given : JSON.stringify(given ?? {}));
