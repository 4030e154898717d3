import { EngineError, type JsonSchema } from '#contract';
import { certificateFault, fieldOf, innermostCode } from '#contract/http';
import { anyJson, parseJson } from '../../lib/json.ts';
import { KEY_OF_AUTHORITY } from '../../mailbox/faults/fault.ts';

/** A tool as a server describes it. All of it is the server's word. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly onlyReads: boolean;
  readonly destroys: boolean;
  /** Why it cannot be used as it is described, in our words. Absent: it can, as far as can be seen here. */
  readonly wrong?: string;
}

export interface Listing {
  readonly tools: readonly ListedTool[];
  /** What was left out and has no name to call it by, in our words. */
  readonly left: readonly string[];
}

/** One page of `tools/list` as it came; rejects where it could not be had. */
export type AskPage = (cursor: string | undefined) => Promise<Readonly<Record<string, unknown>>>;

const MAX_PAGES = 20;

/**
 * The list of a server, tool by tool: what is wrong with one is said of that one. Of a list that breaks off, that has no
 * end or that begins again the tools so far are taken. Rejects where there is no list at all.
 */
export async function readList(ask: AskPage): Promise<Listing> {
  const { raw, ending } = await readPages(ask);
  const tools: ListedTool[] = [];
  const left: string[] = [];
  const names = new Set<string>();
  for (const [index, one] of raw.entries()) {
    const tool = readTool(one);
    if (tool === null) left.push(`tool ${index + 1} of its list has no name`);
    else if (names.has(tool.name)) left.push(`tool ${index + 1} of its list has the name of an earlier one`);
    else tools.push(tool);
    if (tool !== null) names.add(tool.name);
  }
  return { tools, left: ending === null ? left : [...left, ending] };
}

/** `ending`: how it ended where that is not its end. */
async function readPages(ask: AskPage): Promise<{ readonly raw: readonly unknown[]; readonly ending: string | null }> {
  const first = await ask(undefined);
  if (!Array.isArray(first.tools)) throw new NoList();
  const raw: unknown[] = [...first.tools];
  const seen = new Set<string>();
  let cursor = cursorOf(first);
  // The same once more would be read for ever.
  while (cursor !== null && !seen.has(cursor)) {
    if (seen.size + 1 >= MAX_PAGES) return { raw, ending: `its list has no end: what comes after tool ${raw.length}` };
    seen.add(cursor);
    const answer = await ask(cursor).catch((): Awaited<ReturnType<AskPage>> => ({}));
    if (!Array.isArray(answer.tools)) return { raw, ending: `its list breaks off after tool ${raw.length}` };
    for (const one of answer.tools) raw.push(one);
    cursor = cursorOf(answer);
  }
  return { raw, ending: null };
}

/** Some write null, or an empty text, at the end. */
const cursorOf = ({ nextCursor }: Awaited<ReturnType<AskPage>>): string | null =>
  typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : null;

/** What it answered is no list of tools. */
class NoList extends Error {}

function readTool(raw: unknown): ListedTool | null {
  if (!isObject(raw) || typeof raw.name !== 'string' || raw.name.trim() === '') return null;
  const { name, description, inputSchema, annotations } = raw;
  const hints = isObject(annotations) ? annotations : {};
  const schema = readSchema(inputSchema);
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema: schema ?? NO_ARGUMENTS,
    onlyReads: hints.readOnlyHint === true,
    destroys: hints.destructiveHint === true,
    ...(schema === null ? { wrong: NO_USABLE_ARGUMENTS } : {}),
  };
}

const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {} };

/** Arguments are an object, whatever a server leaves unsaid; null where it says that they are something else. */
function readSchema(raw: unknown): JsonSchema | null {
  if (raw === undefined || raw === null) return NO_ARGUMENTS;
  if (!isObject(raw)) return null;
  if (raw.type === undefined || raw.type === null) return { ...raw, type: 'object' };
  return raw.type === 'object' ? raw : null;
}

const SAID: Readonly<Record<string, string>> = {
  REQUEST_TIMEOUT: 'it did not answer in time',
  CONNECTION_CLOSED: 'it ended',
  NOT_CONNECTED: 'it is not connected',
  INVALID_RESULT: 'its answer could not be read',
  ENOENT: 'its command does not exist',
  // Also of one that is nowhere, where PATH has a folder that this account may not look into.
  EACCES: 'its command may not be run, or a folder of PATH may not be searched for it',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'its host does not exist',
  MOVED_ELSEWHERE: 'it sends to another address; put that one into url',
};

/**
 * Why a server is of no use, for a model and for owners. Never in the server's own words: they would stand in the
 * prompt where the gateway speaks.
 */
export function inOwnWords(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  if (error instanceof TooManyTools)
    return `it lists ${error.count} tools, more than ${error.most}; name some in tools.allow`;
  if (error instanceof SessionEnded) return 'it ended';
  if (error instanceof NoList) return 'what it answers is no list of tools';
  // Of the client's error for HTTP 403 with `insufficient_scope`; what it says beside that is the server's own.
  if (error instanceof Error && Object.hasOwn(error, 'requiredScope'))
    return 'its login has too few permissions for that; an owner can add one to oauth.scopes and log in anew';
  const status = numberIn(error, 'status');
  if (status !== null && status >= 300 && status < 400)
    return `it sends to another address (HTTP ${status}); put that one into url`;
  if (status !== null) return `it answered with HTTP ${status}`;
  const code = numberIn(error, 'code');
  if (code !== null) return `it answered with the error ${code}`;
  const doubt = certificateFault(innermostCode(error), KEY_OF_AUTHORITY);
  if (doubt) return `${doubt.cause}; ${doubt.cure}`;
  for (const one of [error, fieldOf(error, 'cause')]) {
    const said = SAID[String(fieldOf(one, 'code'))];
    if (said !== undefined) return said;
  }
  return 'it does not keep to the protocol';
}

/** It ended by itself. */
export class SessionEnded extends Error {}

export class TooManyTools extends Error {
  readonly count: number;
  readonly most: number;
  constructor(count: number, most: number) {
    super(`${count} tools are more than ${most}`);
    this.count = count;
    this.most = most;
  }
}

export function numberIn(error: unknown, name: string): number | null {
  const value = fieldOf(error, name);
  return typeof value === 'number' ? value : null;
}

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const NO_USABLE_ARGUMENTS = 'the MCP server describes its arguments in a way that cannot be used';
