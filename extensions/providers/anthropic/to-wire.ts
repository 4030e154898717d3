import type { ContentPart, GenerateRequest, Json, ModelMessage, ToolCall, ToolSpec } from '#contract';
import type { AnthropicConfig } from './config.ts';

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

export interface WireOptions {
  readonly name: string;
  readonly config: AnthropicConfig;
  readonly maxTokens: number;
  /** Above some 16,000 tokens the API wants a stream, and so does any proxy that closes idle connections. */
  readonly stream: boolean;
}

/**
 * The body of a Messages call. Cache markers stand on the last system block, on the mail that is answered and, for the
 * turns of this run, in the top-level `cache_control`. What stands behind the mail is in this run alone, and the API finds
 * again only what ended at a marker: without the one on the mail the next mail of the thread would find nothing of it.
 */
export function toWire(request: GenerateRequest, options: WireOptions): object {
  const cache_control = { type: 'ephemeral', ttl: options.config.cache_ttl };
  return {
    ...options.config.extra_body,
    model: request.model,
    max_tokens: options.maxTokens,
    ...(options.stream && { stream: true }),
    ...(options.config.send_temperature && request.temperature !== null && { temperature: request.temperature }),
    cache_control,
    ...toolsToWire(request),
    ...systemToWire(request.system, cache_control),
    messages: messagesToWire(request, options.name, cache_control),
  };
}

function messagesToWire({ messages, model }: GenerateRequest, provider: string, cache_control: object): object[] {
  const mail = messages.findLastIndex((message) => message.role === 'user' && message.content.length > 1);
  return messages.flatMap((message, at) => {
    const wire = messageToWire(message, provider, model);
    return at === mail ? wire.map((one) => marked(one, cache_control)) : wire;
  });
}

const marked = (wire: object, cache_control: object): object =>
  'content' in wire && Array.isArray(wire.content)
    ? { ...wire, content: wire.content.map((part, at) => (at === 0 ? { ...part, cache_control } : part)) }
    : wire;

function systemToWire(system: readonly string[], cache_control: object): object {
  const blocks = system.filter(isVisible);
  if (blocks.length === 0) return {};
  const last = blocks.length - 1;
  return { system: blocks.map((text, at) => ({ type: 'text', text, ...(at === last && { cache_control }) })) };
}

/** A history with tool calls needs their definitions, also where no tool is left on the surface. */
function toolsToWire({ tools, toolChoice, messages }: GenerateRequest): object {
  const tool_choice = { type: 'none' };
  if (tools.length > 0) return { tools: tools.map(toolToWire), ...(toolChoice === 'none' && { tool_choice }) };
  const called = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const names = [...new Set(called.map(({ name }) => name))].sort();
  if (names.length === 0) return {};
  return {
    tools: names.map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice,
  };
}

const toolToWire = ({ name, description, inputSchema }: ToolSpec): object => ({
  name,
  description,
  input_schema: { type: 'object', ...inputSchema },
});

function messageToWire(message: ModelMessage, provider: string, model: string): object[] {
  const content = blocksOf(message, provider, model);
  // The API refuses empty content. Turns of one role that then stand together it combines by itself.
  return content.length > 0 ? [{ role: message.role === 'assistant' ? 'assistant' : 'user', content }] : [];
}

function blocksOf(message: ModelMessage, provider: string, model: string): readonly object[] {
  if (message.role === 'user') return message.content.flatMap(partToWire);
  if (message.role === 'tool') {
    return message.results.map(({ callId, content, isError }) => ({
      type: 'tool_result',
      tool_use_id: wireId(callId),
      content,
      ...(isError && { is_error: true }),
    }));
  }
  const { providerParts: parts } = message;
  if (parts?.provider === provider && parts.model === model && Array.isArray(parts.data)) {
    return parts.data.filter(isObject).map(readableBlock);
  }
  return assistantToWire(message);
}

const assistantToWire = ({ text, toolCalls }: AssistantMessage): object[] => [
  ...textToWire(text),
  ...toolCalls.map(callToWire),
];

const callToWire = (call: ToolCall): object => ({
  type: 'tool_use',
  id: wireId(call.id),
  name: call.name,
  input: isObject(call.arguments) ? call.arguments : {},
});

/** Thinking and its signature go back untouched; an input that the model left broken would be refused. */
function readableBlock(block: object): object {
  if (!('type' in block) || block.type !== 'tool_use') return block;
  return 'input' in block && isObject(block.input) ? block : { ...block, input: {} };
}

function partToWire(part: ContentPart): object[] {
  if (part.type === 'text') return textToWire(part.text);
  return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }];
}

const textToWire = (text: string): object[] => (isVisible(text) ? [{ type: 'text', text }] : []);

/** The API refuses text blocks that are empty or blank. */
const isVisible = (text: string): boolean => text.trim() !== '';

const isObject = (value: unknown): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** After a fallback ids are another vendor's; here they must match ^[a-zA-Z0-9_-]+$. */
const wireId = (id: string): string => id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
