import type { GenerateRequest, ToolCall } from '#contract';
import { parseArguments } from './tool-arguments.ts';

const LINE = /^\/([a-z0-9_]{1,64})(?:[ \t]+([^\r\n]*))?\r?$/gm;
/** Far beyond any limit on the calls of a turn; keeps a mail of a million such lines from becoming a million objects. */
const MAX_CALLS = 256;

/** The lines `/<tool_name> {json}` of the mail, in order. Prose that begins with a slash is no call. */
export function spokenCalls(request: Pick<GenerateRequest, 'input' | 'tools'>): ToolCall[] {
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
