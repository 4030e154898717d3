import { anyJson, parseJson } from '../../lib/json.ts';

const LINE_END = 10;

/** Lines out of chunks; throws where one is longer than `maxBytes`: the rest of it would be read as lines of its own. */
export function createLines(maxBytes: number): (chunk: Buffer) => readonly string[] {
  let rest: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      lines.push(Buffer.concat([...rest, chunk.subarray(from, end)]).toString());
      rest = [];
      bytes = 0;
      from = end + 1;
    }
    rest.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxBytes) throw new Error(`a message is longer than ${maxBytes} bytes`);
    return lines;
  };
}

const INTERNAL_ERROR = -32_603;
const MAX_CHARACTERS = 1000;

/**
 * A message as the protocol wants it. What answers a question in another form than a result or an error becomes an error, in
 * its own words as far as it has any: dropped, it would let the question wait until its time is up. Throws on what is no JSON.
 */
export function mended(line: string): unknown {
  const value: unknown = parseJson(anyJson, line);
  if (typeof value !== 'object' || value === null || Reflect.has(value, 'method')) return value;
  const { id, result, error } = value as { id?: unknown; result?: unknown; error?: unknown };
  if (typeof id !== 'number' && typeof id !== 'string') return value;
  if (isObject(result)) return { jsonrpc: '2.0', id, result };
  return { jsonrpc: '2.0', id, error: errorOf(error ?? undefined) };
}

function errorOf(error: unknown): object {
  const { code, message, data } = isObject(error) ? error : {};
  if (typeof code === 'number' && typeof message === 'string')
    return { code, message, ...(data === undefined ? {} : { data }) };
  const words = typeof message === 'string' ? message : typeof error === 'string' ? error : JSON.stringify(error);
  return {
    code: INTERNAL_ERROR,
    message: (words ?? 'the answer is neither a result nor an error').slice(0, MAX_CHARACTERS),
  };
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
