import type { ContentPart, GenerateRequest, Json, ModelMessage, ToolCall, ToolResult, ToolSpec } from '#contract';
import { wireCallId } from './call-ids.ts';
import type { GeminiConfig } from './config.ts';

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

/** Stands in for the signature of a call that another model made; without one Gemini 3 answers 400. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** The body of generateContent. The SDK writes `contents` last, so each mail's request extends the one before. */
export function toWire(request: GenerateRequest, options: { name: string; config: GeminiConfig }): object {
  return {
    generationConfig: {
      ...options.config.generation_config,
      ...(request.maxOutputTokens !== null && { maxOutputTokens: request.maxOutputTokens }),
      ...(request.temperature !== null && { temperature: request.temperature }),
    },
    ...toolsToWire(request),
    ...(request.system.length > 0 && { systemInstruction: { parts: request.system.map((text) => ({ text })) } }),
    contents: request.messages.flatMap((message) => messageToWire(message, options.name, request.model)),
  };
}

function toolsToWire({ tools, toolChoice }: GenerateRequest): object {
  if (tools.length === 0) return {};
  const forbidden = { toolConfig: { functionCallingConfig: { mode: 'NONE' } } };
  return { tools: [{ functionDeclarations: tools.map(toolToWire) }], ...(toolChoice === 'none' && forbidden) };
}

const toolToWire = ({ name, description, inputSchema }: ToolSpec): object => ({
  name,
  description,
  // `parameters` knows only a subset of OpenAPI; this one takes JSON Schema as it is.
  parametersJsonSchema: inputSchema,
});

function messageToWire(message: ModelMessage, provider: string, model: string): object[] {
  if (message.role === 'user') return contentOf('user', message.content.map(partToWire));
  // All results of a turn in one content: their number must equal that of the calls.
  if (message.role === 'tool') return contentOf('user', message.results.map(resultToWire));
  const { providerParts: own } = message;
  if (own?.provider === provider && own.model === model && isObject(own.data)) return [verbatim(own.data)];
  return contentOf('model', assistantToWire(message));
}

/** An empty list of parts is refused. */
const contentOf = (role: 'user' | 'model', parts: readonly object[]): object[] =>
  parts.length > 0 ? [{ role, parts }] : [];

function assistantToWire({ text, toolCalls }: AssistantMessage): object[] {
  const said = text === '' ? [] : [{ text }];
  return [...said, ...toolCalls.map(callToWire)];
}

function callToWire(call: ToolCall, index: number): object {
  const id = wireCallId(call.id);
  return {
    functionCall: { ...(id !== undefined && { id }), name: call.name, args: argsOf(call.arguments) },
    // Parallel calls share the signature of the first.
    ...(index === 0 && { thoughtSignature: FOREIGN_SIGNATURE }),
  };
}

function resultToWire({ callId, name, content }: ToolResult): object {
  const id = wireCallId(callId);
  return { functionResponse: { ...(id !== undefined && { id }), name, response: responseOf(content) } };
}

/** The vendor wants an object here. */
function responseOf(content: string): object {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) ? value : { result: value };
  } catch {
    return { result: content };
  }
}

/** The candidate's content with signatures and all; only arguments that are no object are emptied. */
function verbatim(content: { readonly [key: string]: Json }): object {
  if (!Array.isArray(content.parts)) return content;
  return { ...content, parts: content.parts.map(readablePart) };
}

function readablePart(part: Json): Json {
  if (!isObject(part) || !isObject(part.functionCall)) return part;
  const { args } = part.functionCall;
  if (args === undefined || isObject(args)) return part;
  // The signature was made for another call than this one.
  return { ...part, functionCall: { ...part.functionCall, args: {} }, thoughtSignature: FOREIGN_SIGNATURE };
}

function partToWire(part: ContentPart): object {
  if (part.type === 'text') return { text: part.text };
  return { inlineData: { mimeType: part.mediaType, data: part.data } };
}

const argsOf = (value: Json | undefined): object => (isObject(value) ? value : {});

const isObject = (value: unknown): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
