import { EngineError, type Json } from '#contract';
import { anyJson, parseJson } from '../../lib/json.ts';

/** The parts of a server's answer to a call that are read. */
export interface Answered {
  readonly isError?: boolean | undefined;
  readonly content?: readonly { readonly type: string; readonly text?: unknown; readonly mimeType?: unknown }[];
  readonly structuredContent?: unknown;
}

const MAX_CHARACTERS = 1_000_000;
const MAX_ERROR_CHARACTERS = 1000;

/**
 * An answer as a result: what the server has put into fields, else its text. Pictures and the like are named and left
 * out. Throws `tool_failed` where the server says that the call failed, and where the answer is too long.
 */
export function resultOf({ isError, content = [], structuredContent }: Answered): Json {
  const text = content.flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n');
  if (isError) throw failed(text.slice(0, MAX_ERROR_CHARACTERS) || 'the server says that the call failed');
  const left = content
    .filter((part) => typeof part.text !== 'string')
    .map((part) => String(part.mimeType ?? part.type));
  const result =
    structuredContent === undefined ? { text, ...(left.length === 0 ? {} : { left_out: left }) } : structuredContent;
  const json = JSON.stringify(result) ?? 'null';
  if (json.length > MAX_CHARACTERS)
    throw failed(`the server answered with ${json.length} characters; at most ${MAX_CHARACTERS} can be taken`);
  return parseJson(anyJson, json);
}

const failed = (message: string): EngineError => new EngineError('tool_failed', message);
