import { appendFileSync, readFileSync } from 'node:fs';

/** What an MCP server says: read anew for each message, so that a test can change it while the server runs. */
export interface McpScript {
  readonly tools: readonly object[];
  /** By tool: the result of a call, or what the server does in its place. */
  readonly calls?: Readonly<Record<string, object | 'hang' | 'die' | 'garbage' | 'long'>>;
  /** By the argument `word`: the result of a call, before all that is said by tool. */
  readonly byWord?: Readonly<Record<string, object>>;
  /** What it does in place of shaking hands. */
  readonly initialize?: 'hang' | 'die' | 'garbage';
  /** By method: the result or error in place of the usual one; of a list of them, that of the cursor. */
  readonly answers?: Readonly<Record<string, Answer | readonly Answer[]>>;
  /** In place of the usual ones. */
  readonly capabilities?: object;
  /** Messages that are said before each answer to a call. */
  readonly before?: readonly object[];
  /** Say after each call that the list of tools has changed. */
  readonly tellsChange?: boolean;
  /** It goes on after SIGTERM and the end of its input. */
  readonly stubborn?: boolean;
  /** It has started another process, which goes on after SIGTERM, too. */
  readonly hasChild?: boolean;
  /** So long until it reads anything, in ms. */
  readonly startsAfterMs?: number;
}

type Answer = { readonly result: unknown } | { readonly error: unknown } | 'hang';

export const readScript = (path: string): McpScript => JSON.parse(readFileSync(path, 'utf8')) as McpScript;

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly word?: unknown };
    readonly protocolVersion?: string;
    readonly cursor?: unknown;
  };
}

function givenAnswers({ answers, before = [] }: McpScript, { id, method = '', params }: Message) {
  const given = answers?.[method];
  if (given === undefined) return null;
  const answer = Array.isArray(given) ? given[Math.min(Number(params?.cursor ?? 0), given.length - 1)] : given;
  const first = method === 'tools/call' ? before : [];
  return answer === 'hang' ? first : [...first, { jsonrpc: '2.0', id, ...answer }];
}

/** What goes back for one message: none, several, or an act. What was called is written beside the script. */
export function answersTo(message: Message, path: string): readonly (object | 'die' | 'garbage' | 'long')[] {
  const script = readScript(path);
  const { id, method, params = {} } = message;
  const given = givenAnswers(script, message);
  if (given !== null) return given;
  const result = (value: object) => [{ jsonrpc: '2.0', id, result: value }];
  switch (method) {
    case 'initialize':
      if (script.initialize === 'hang') return [];
      if (script.initialize !== undefined) return [script.initialize];
      return result({
        protocolVersion: params.protocolVersion,
        capabilities: script.capabilities ?? { tools: { listChanged: true } },
        serverInfo: { name: 'scripted', version: '1.0' },
      });
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools: script.tools });
    case 'tools/call':
      return calledWith(script, message, path);
    default:
      return [];
  }
}

function calledWith(script: McpScript, { id, params = {} }: Message, path: string) {
  appendFileSync(`${path}.calls`, `${JSON.stringify(params)}\n`);
  const word = String(params.arguments?.word ?? '');
  const answer = script.byWord?.[word] ??
    script.calls?.[params.name ?? ''] ?? { content: [{ type: 'text', text: 'done' }] };
  if (answer === 'hang') return [];
  if (typeof answer === 'string') return [answer];
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
  return [...(script.before ?? []), ...(script.tellsChange ? [changed] : []), { jsonrpc: '2.0', id, result: answer }];
}
