import type { JsonSchema, Log } from '#contract';
import type { McpServerConfig } from '../../config/types.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import { limitedFetch } from './limited-fetch.ts';
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
/** A program that was told to end has this long. */
const END_MS = 1000;
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
  const { transport, end } = await transportOf(options);
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
    await end(() => client.close().catch(() => {}));
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

async function transportOf({ config, secrets, cwd, log }: SessionOptions) {
  if (config.url !== undefined) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const headers = Object.entries(config.headers).map(([name, from]) => [name, secrets[from] ?? '']);
    const transport = new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit: { headers: Object.fromEntries(headers), redirect: 'error' },
      fetch: limitedFetch(MAX_MESSAGE_BYTES),
    });
    return { transport, end: (close: () => Promise<void>) => close() };
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    command: config.command ?? '',
    args: [...config.args],
    env: { ...secrets },
    cwd,
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  transport.stderr?.on('data', (bytes: Buffer) =>
    log.debug({ said: hideSecrets(bytes.subarray(0, 2000).toString()) }, 'MCP'),
  );
  return {
    transport,
    /** The SDK alone gives a program four seconds; a gateway that stops has not as many. */
    async end(close: () => Promise<void>) {
      const { pid } = transport;
      const closed = close();
      if (pid === null) return closed;
      signalTo(pid, 'SIGTERM');
      const timer = setTimeout(signalTo, END_MS, pid, 'SIGKILL');
      await closed;
      clearTimeout(timer);
    },
  };
}

function signalTo(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
