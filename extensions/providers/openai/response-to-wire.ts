import type { ContentPart, GenerateRequest, Json, ModelMessage, ToolCall } from '#contract';
import { isJsonText } from '#contract/http';
import type { OpenAIConfig } from './config.ts';
import { wireId } from './to-wire.ts';

/**
 * The body of a Responses call, stateless: nothing is stored at the vendor, and the model's reasoning travels in
 * encrypted items that go back as they came. `input` comes last, so each mail's request extends the one before.
 */
export function responseToWire(request: GenerateRequest, options: { name: string; config: OpenAIConfig }): object {
  const { config } = options;
  return {
    ...config.extra_body,
    model: request.model,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(request.maxOutputTokens !== null && { max_output_tokens: request.maxOutputTokens }),
    ...(request.temperature !== null && { temperature: request.temperature }),
    ...(config.prompt_cache_key && { prompt_cache_key: request.cacheKey }),
    ...toolsToWire(request),
    ...(request.system.length > 0 && { instructions: request.system.join('\n\n') }),
    input: request.messages.flatMap((message) => itemsOf(message, options.name, request.model)),
  };
}

function toolsToWire({ tools, toolChoice }: GenerateRequest): object {
  if (tools.length === 0) return {};
  const listed = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    // Left out it means strict here, which optional properties do not pass.
    strict: false,
  }));
  return { tools: listed, ...(toolChoice === 'none' && { tool_choice: 'none' }) };
}

function itemsOf(message: ModelMessage, provider: string, model: string): readonly object[] {
  if (message.role === 'user') return [{ role: 'user', content: message.content.map(partToWire) }];
  if (message.role === 'tool') {
    return message.results.map(({ callId, content }) => ({
      type: 'function_call_output',
      call_id: wireId(callId),
      output: content,
    }));
  }
  const { providerParts: own, text, toolCalls } = message;
  if (own?.provider === provider && own.model === model && Array.isArray(own.data)) {
    return own.data.filter(isObject).map(readableItem);
  }
  const said = { role: 'assistant', content: [{ type: 'output_text', text }] };
  return [...(text === '' ? [] : [said]), ...toolCalls.map(callToWire)];
}

const callToWire = (call: ToolCall): object => ({
  type: 'function_call',
  call_id: wireId(call.id),
  name: call.name,
  arguments: call.arguments === undefined ? '{}' : JSON.stringify(call.arguments),
});

/** Arguments that are no JSON become `{}`: what the model got wrong is in the result of the call. */
function readableItem(item: { readonly [key: string]: Json }): object {
  const { type, arguments: text } = item;
  return type !== 'function_call' || (typeof text === 'string' && isJsonText(text))
    ? item
    : { ...item, arguments: '{}' };
}

const partToWire = (part: ContentPart): object =>
  part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', detail: 'auto', image_url: `data:${part.mediaType};base64,${part.data}` };

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
