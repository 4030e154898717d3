import type { ContentPart, GenerateRequest, ModelMessage, ToolCall, ToolSpec } from '#contract';
import { isJsonText } from '#contract/http';
import type { OpenAIConfig } from './config.ts';

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

/**
 * Writes the body of a chat completion. `messages` comes last and nothing in it depends on what follows, so that the
 * request of the next mail begins with the bytes of this one (prompt caches go by prefix). What a list of tools, a
 * system prompt and a message read as is kept as long as they are: a run sends most of them again with each of its calls.
 */
export function createWriter({ name, config }: { name: string; config: OpenAIConfig }) {
  const systemTexts = new WeakMap<readonly string[], string>();
  const toolTexts = new WeakMap<readonly ToolSpec[], string>();
  const messageTexts = new WeakMap<ModelMessage, { readonly model: string; readonly text: string }>();

  const systemOf = (system: readonly string[]): string => {
    const text =
      systemTexts.get(system) ??
      systemToWire(system)
        .map((one) => JSON.stringify(one))
        .join();
    systemTexts.set(system, text);
    return text;
  };
  const toolsOf = ({ tools, toolChoice }: GenerateRequest): string => {
    if (tools.length === 0) return '';
    const text = toolTexts.get(tools) ?? JSON.stringify(tools.map(toolToWire));
    toolTexts.set(tools, text);
    // Tools stay listed where none may be called: the prompt cache begins with them.
    return `,"tools":${text}${toolChoice === 'none' ? ',"tool_choice":"none"' : ''}`;
  };
  const messageOf = (message: ModelMessage, model: string): string => {
    const known = messageTexts.get(message);
    if (known?.model === model) return known.text;
    const text = messageToWire(message, name, model)
      .map((one) => JSON.stringify(one))
      .join();
    messageTexts.set(message, { model, text });
    return text;
  };

  return (request: GenerateRequest): string => {
    const { model, tools, maxOutputTokens, temperature } = request;
    const effort = effortOf(model, config.chat_reasoning_effort);
    const head = {
      ...config.extra_body,
      model,
      ...(effort !== undefined && { reasoning_effort: effort }),
      ...(maxOutputTokens !== null && { [config.max_tokens_field]: maxOutputTokens }),
      ...(temperature !== null && { temperature }),
      ...(config.prompt_cache_key && { prompt_cache_key: request.cacheKey }),
      ...(tools.length > 0 && { tools: undefined }),
      messages: undefined,
    };
    const messages = [systemOf(request.system), ...request.messages.map((message) => messageOf(message, model))];
    // No system prompt reads as nothing, nor does a message of tools that holds no result.
    return `${JSON.stringify(head).slice(0, -1)}${toolsOf(request)},"messages":[${messages.filter(Boolean).join()}]}`;
  };
}

/** One message: several local chat templates refuse a second system message. */
function systemToWire(system: readonly string[]): object[] {
  return system.length > 0 ? [{ role: 'system', content: system.join('\n\n') }] : [];
}

function messageToWire(message: ModelMessage, provider: string, model: string): object[] {
  if (message.role === 'user') return [{ role: 'user', content: contentToWire(message.content) }];
  if (message.role === 'tool') {
    return message.results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: wireId(callId), content }));
  }
  const { providerParts } = message;
  const own = providerParts?.provider === provider && providerParts.model === model ? providerParts.data : undefined;
  return [own === undefined ? assistantToWire(message) : verbatim(own)];
}

function assistantToWire({ text, toolCalls }: AssistantMessage): object {
  if (toolCalls.length === 0) return { role: 'assistant', content: text };
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: toolCalls.map(callToWire) };
}

const callToWire = (call: ToolCall): object => ({
  id: wireId(call.id),
  type: 'function',
  function: { name: call.name, arguments: call.arguments === undefined ? '{}' : JSON.stringify(call.arguments) },
});

/**
 * The vendor's own message with all its fields (reasoning_content, reasoning_details). Left out are nulls, which
 * some servers send but refuse to read; arguments that are no JSON become `{}`, because servers that render
 * them through a chat template answer 500 to anything else.
 */
function verbatim(data: unknown): object {
  const kept = Object.entries(typeof data === 'object' && data !== null ? data : {}).filter(
    ([key, value]) => value !== null || key === 'content',
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'tool_calls' && Array.isArray(value) ? value.map(readableCall) : value]),
  );
}

function readableCall(call: { function?: { arguments?: unknown } }): object {
  const text = call.function?.arguments;
  if (typeof text === 'string' && isJsonText(text)) return call;
  return { ...call, function: { ...call.function, arguments: '{}' } };
}

function contentToWire(content: readonly ContentPart[]): string | object[] {
  // A plain string wherever it can be one: not every compatible server reads lists of parts.
  if (content.every((part) => part.type === 'text')) return content.map((part) => part.text).join('\n\n');
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
  );
}

const toolToWire = ({ name, description, inputSchema }: ToolSpec): object => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

/** OpenAI refuses ids over 40 characters, and after a fallback the ids are another vendor's. */
export const wireId = (id: string): string => id.slice(-40);

/** OpenAI's newer models answer 400 to tools in a chat completion unless `reasoning_effort` is `none`. */
function effortOf(model: string, efforts: Readonly<Record<string, string>>): string | undefined {
  const [best] = Object.keys(efforts)
    .filter((prefix) => model.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  return best === undefined ? undefined : efforts[best];
}
