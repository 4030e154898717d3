import type { Transport } from '@modelcontextprotocol/client';
import type { JsonSchema, Log } from '#contract';
import type { McpServerConfig } from '../../config/types.ts';
import type { Children } from '../../lib/processes/children.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import { limitedFetch } from './limited-fetch.ts';
import { Program } from './program.ts';
import type { Answered } from './result.ts';

/** A tool as a server describes it. All of it is the server's word. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly onlyReads: boolean;
  readonly destroys: boolean;
}

/** An open connection to one server. */
export interface Session {
  list(): Promise<readonly ListedTool[]>;
  call(name: string, args: unknown, options: { signal: AbortSignal }): Promise<Answered>;
  /** Whether it still answers. Never rejects. */
  isAlive(): Promise<boolean>;
  /** Ends the connection and the program behind it. Never rejects. */
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly config: McpServerConfig;
  /** By the variables that the configuration names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Working directory of the program. */
  readonly cwd: string;
  readonly children: Children;
  readonly signal: AbortSignal;
  /** How long it may take until it can be asked, and for its list. */
  readonly connectMs: number;
  readonly log: Log;
  /** The connection ended by itself. */
  onEnd(): void;
  /** The server says that it has other tools now. */
  onListChanged(): void;
}

const PING_MS = 2000;
/** Limit on one message; nobody could use a list of ten thousand tools. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const MAX_PAGES = 20;
/** A call ends by its own deadline, which the caller sets. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What a server sends back is checked nowhere by the schemas that it sent before: both are its own words. */
const unchecked = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data: data as never, errorMessage: undefined }),
};

/** Starts the program, or turns to the URL, and shakes hands. Rejects with whatever the SDK throws. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { signal, log, connectMs } = options;
  const { Client } = await import('@modelcontextprotocol/client');
  const transport = await transportOf(options);
  const client = new Client(
    { name: 'epistle', version: '1' },
    { capabilities: {}, jsonSchemaValidator: unchecked, listMaxPages: MAX_PAGES },
  );
  const state = { isClosed: false };
  client.onerror = (error) => log.debug({ error: hideSecrets(error.message).slice(0, 500) }, 'MCP');
  client.onclose = () => {
    if (!state.isClosed) options.onEnd();
    state.isClosed = true;
  };
  client.setNotificationHandler('notifications/tools/list_changed', () => options.onListChanged());
  const close = async () => {
    state.isClosed = true;
    await client.close().catch(() => {});
  };
  try {
    await client.connect(transport, { timeout: connectMs, signal });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async list() {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const { tools } = await client.listTools(undefined, { timeout: connectMs, signal, cacheMode: 'bypass' });
      return tools.map(({ name, description = '', inputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        onlyReads: annotations?.readOnlyHint === true,
        destroys: annotations?.destructiveHint === true,
      }));
    },
    call: (name, args, { signal: own }) =>
      client.callTool(
        { name, arguments: Object.fromEntries(Object.entries(args ?? {})) },
        { signal: own, timeout: NO_TIMEOUT_MS },
      ),
    isAlive: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        () => false,
      ),
    close,
  };
}

async function transportOf({ config, secrets, cwd, children, log }: SessionOptions): Promise<Transport> {
  const { StreamableHTTPClientTransport, ReadBuffer, serializeMessage } = await import('@modelcontextprotocol/client');
  if (config.url !== undefined) {
    const headers = Object.entries(config.headers).map(([name, from]) => [name, secrets[from] ?? '']);
    return new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit: { headers: Object.fromEntries(headers), redirect: 'error' },
      fetch: limitedFetch(MAX_MESSAGE_BYTES),
    });
  }
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  return new Program({
    command: config.command ?? '',
    args: config.args,
    environment: { ...getDefaultEnvironment(), ...children.environment, ...secrets },
    cwd,
    name: `mcp ${config.name}`,
    children,
    buffer: new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES }),
    serialize: serializeMessage,
    onSaid: (bytes) => log.debug({ said: hideSecrets(bytes.subarray(0, 2000).toString()) }, 'MCP'),
  });
}
