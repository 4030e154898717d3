import { z } from 'zod';
import { EngineError, type GenerateResponse, type Json, type ToolCall, type Usage } from '#contract';
import {
  type AnsweredCall,
  fieldOf,
  isShallow,
  noAnswer,
  type PlainAnswer,
  plainAnswer,
  unknownOf,
} from '#contract/http';

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
    .nullish()
    .catch(null),
});

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const toolUse = z.object({ type: z.literal('tool_use'), id: z.string().min(1), name: z.string(), input: z.json() });

type Message = z.infer<typeof messageSchema>;

/** Throws `unavailable` when the body is no message. */
export function fromWire(body: unknown, options: AnsweredCall): GenerateResponse {
  const { data: message } = messageSchema.safeParse(isShallow(body) ? inBlocks(body) : undefined);
  if (!message) {
    throw noAnswer(options, 'the answer is not a message');
  }
  const texts = message.content.map((block) => textBlock.safeParse(block).data?.text ?? '');
  const calls = message.content.flatMap(callsOf);
  const refused = message.stop_reason === 'refusal';
  if (message.stop_reason === 'model_context_window_exceeded' && texts.join('').trim() === '' && calls.length === 0)
    throw noRoom(options.name, usageIn(message));
  // A declined turn may break off in the middle of a call: none of its calls counts.
  const idOf = (index: number) => `call_${options.turn}_${index}`;
  const plain = plainAnswer(texts.join(''), calls, { ...options, idOf });
  const toolCalls = refused ? [] : plain.toolCalls;
  const content = plain.markup === 'none' ? message.content : withoutMarkup(message, plain);
  const data: Json = JSON.parse(JSON.stringify(content));
  return {
    text: plain.text,
    toolCalls,
    markup: plain.markup,
    finish: finishOf(message.stop_reason, toolCalls.length),
    whole: plain.whole && GOOD_ENDS.has(message.stop_reason ?? ''),
    usage: usageOf(message.usage),
    providerParts: { provider: options.name, model: options.model, data },
    reportedCostUsd: null,
  };
}

/** Some servers of this protocol put the text itself in the place of the blocks. */
function inBlocks(body: unknown): unknown {
  const text = fieldOf(body, 'type') === 'message' ? fieldOf(body, 'content') : undefined;
  return typeof body === 'object' && typeof text === 'string' ? { ...body, content: [{ type: 'text', text }] } : body;
}

/** The request has filled the window, and nothing could be said. */
const noRoom = (name: string, usage: Usage | null): EngineError =>
  new EngineError('context_overflow', `${name}: the window of the model is full`, { whose: 'request', usage });

/** What goes back: thinking as it came, and the words and the calls as they were meant. */
function withoutMarkup({ content }: Message, { text, toolCalls }: PlainAnswer): readonly object[] {
  const words = text.trim() === '' ? [] : [{ type: 'text', text }];
  const others = content.filter(({ type }) => type !== 'text');
  const at = others.findIndex(({ type }) => type === 'tool_use');
  if (at >= 0) return [...others.slice(0, at), ...words, ...others.slice(at)];
  const made = toolCalls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input: input ?? {} }));
  return [...others, ...words, ...made];
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

/** What a body says of what was used, whatever else it is; null: nothing. */
export function usageIn(body: unknown): Usage | null {
  const { data } = messageSchema.shape.usage.safeParse(fieldOf(body, 'usage'));
  const usage = usageOf(data);
  return usage.input > 0 || usage.output > 0 ? usage : null;
}

/** The API counts cached tokens apart from the rest of the input. */
function usageOf(usage: Message['usage']): Usage {
  const cached = usage?.cache_read_input_tokens ?? 0;
  const cacheWrite = usage?.cache_creation_input_tokens ?? 0;
  const input = (usage?.input_tokens ?? 0) + cached + cacheWrite;
  const output = usage?.output_tokens ?? 0;
  return {
    input,
    output,
    ...unknownOf({ input, output }),
    cached,
    cacheWrite,
  };
}
