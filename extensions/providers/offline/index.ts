import { z } from 'zod';
import {
  defineProvider,
  type GenerateRequest,
  type GenerateResponse,
  type ModelMessage,
  type ToolCall,
  type ToolResult,
} from '#contract';
import { parseArguments } from '#contract/http';

const NO_USAGE = { input: 0, output: 0, cached: 0, cacheWrite: 0, unknown: [] };

/**
 * No model: the tool calls that the mail spells out, then a report of their results. What makes the whole engine
 * usable and testable without a key; the same input always gives the same bytes.
 */
export default defineProvider({
  // Every bundled provider has `base_url`; here nothing is ever contacted.
  config: z.strictObject({ base_url: z.string().optional() }),
  create: ({ name }) => ({ generate: async (request) => answer(request, name) }),
});

function answer(request: GenerateRequest, name: string): GenerateResponse {
  const results = resultsOfRun(request.messages, name);
  const mayCall = results === undefined && request.tools.length > 0 && request.toolChoice === 'auto';
  const toolCalls = mayCall ? spokenCalls(request) : [];
  const calling = toolCalls.length > 0;
  return {
    text: calling ? '' : finalText(request.input.text, results ?? []),
    toolCalls,
    finish: calling ? 'tool_calls' : 'stop',
    usage: NO_USAGE,
    providerParts: { provider: name, model: request.model, data: calling ? 'calls' : 'final' },
    reportedCostUsd: null,
  };
}

const QUOTED_CHARACTERS = 500;
const RESULT_CHARACTERS = 200;

/** Says that no model read the mail, quotes its beginning and lists what became of each call. */
function finalText(mail: string, results: readonly ToolResult[]): string {
  const intro =
    'No model read this mail: the offline provider only runs the tool calls that a mail spells out. To have a model read your mail, run setup.';
  const begin = `Your mail begins:\n\n${first(mail, QUOTED_CHARACTERS)}`;
  return [intro, begin, results.map(lineOf).join('\n')].filter((part) => part !== '').join('\n\n');
}

function lineOf({ name, content, isError }: ToolResult): string {
  const { code, detail } = read(content, isError);
  // One line each, whatever the tool returned.
  const text = first(detail.replaceAll(/\s+/g, ' ').trim(), RESULT_CHARACTERS);
  return `${name}: ${code === undefined ? 'ok' : `error ${code}`} ${text}`.trimEnd();
}

/** Results are `{ok: true, result}` or `{ok: false, error: {code, message}}`; anything else is shown as it is. */
function read(content: string, isError: boolean): { code: string | undefined; detail: string } {
  const parsed = parse(content);
  const error = field(parsed, 'error');
  if (field(parsed, 'ok') === false || isError) {
    return { code: asText(field(error, 'code') ?? 'tool_failed'), detail: asText(field(error, 'message') ?? content) };
  }
  return { code: undefined, detail: asText(field(parsed, 'result') ?? content) };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Counts characters, not UTF-16 halves: a cut emoji would not survive the mail's encoding. */
const first = (text: string, characters: number): string =>
  [...text.slice(0, characters * 2)].slice(0, characters).join('');

/**
 * The results of the calls of this run; undefined while it has not made any. Our own mark on an assistant message
 * tells this run from history; calls that another provider made before it failed stand after the last mail.
 */
function resultsOfRun(messages: readonly ModelMessage[], provider: string): ToolResult[] | undefined {
  const ours = messages.findIndex(
    (message) => message.role === 'assistant' && message.providerParts?.provider === provider,
  );
  const lastMail = messages.findLastIndex((message) => message.role === 'user' && !isNote(message));
  const run = messages.slice(ours >= 0 ? ours : lastMail + 1);
  const results = run.flatMap((message) => (message.role === 'tool' ? message.results : []));
  return ours >= 0 || results.length > 0 ? results : undefined;
}

/** The gateway's word on an answer of another provider that it held back: no mail, so what came before it still counts. */
const isNote = ({ content }: Extract<ModelMessage, { role: 'user' }>): boolean =>
  content.some((part) => part.type === 'text' && part.text.startsWith('[note of the mail gateway'));

const LINE = /^\/([a-z0-9_]{1,64})(?:[ \t]+([^\r\n]*))?\r?$/gm;
/** Far beyond any limit on the calls of a turn; keeps a mail of a million such lines from becoming a million objects. */
const MAX_CALLS = 256;

/** The lines `/<tool_name> {json}` of the mail, in order. Prose that begins with a slash is no call. */
function spokenCalls(request: Pick<GenerateRequest, 'input' | 'tools'>): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const [, name = '', rest = ''] of request.input.text.matchAll(LINE)) {
    const text = rest.trim();
    const meant = text === '' || text.startsWith('{') || request.tools.some((tool) => tool.name === name);
    if (meant) calls.push(callOf(`call_${calls.length + 1}`, name, text));
    if (calls.length === MAX_CALLS) break;
  }
  return calls;
}

function callOf(id: string, name: string, text: string): ToolCall {
  const parsed = parseArguments(text);
  return parsed === undefined
    ? { id, name, arguments: undefined, rawArguments: text }
    : { id, name, arguments: parsed };
}
