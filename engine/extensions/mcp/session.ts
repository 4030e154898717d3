import type { Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Log } from '#contract';
import type { McpServerConfig } from '../../config/types.ts';
import { limitedFetch } from '../../lib/http/limited-fetch.ts';
import type { Children } from '../../lib/processes/children.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import type { Login } from '../../mailbox/login/login.ts';
import { bearerOf } from '../../mailbox/oauth/servers/bearer.ts';
import { type AskPage, type ListedTool, type Listing, numberIn, readList } from './listing.ts';
import { Program } from './program.ts';
import type { ServerResult } from './result.ts';

/** An open connection to one server. */
export interface McpSession {
  list(): Promise<Listing>;
  call(name: string, args: unknown, options: { signal: AbortSignal }): Promise<ServerResult>;
  /** Whether the server has forgotten this session, and so has done nothing: a new one has to be opened. */
  isLost(error: unknown): boolean;
  /** Whether it still answers. Never rejects. */
  isAlive(): Promise<boolean>;
  /** Ends the connection and the program behind it. Never rejects. */
  close(): Promise<void>;
}

interface SessionOptions {
  readonly config: McpServerConfig;
  /** By the variables that the configuration names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Null: it wants none. */
  readonly login: Login | null;
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
/** A call ends by its own deadline, which the caller sets. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Starts the program, or turns to the URL, and shakes hands. Rejects with whatever the SDK throws. */
export async function openSession(options: SessionOptions): Promise<McpSession> {
  const { config } = options;
  try {
    return await openBy(options, await transportOf(options));
  } catch (error) {
    if (config.url === undefined || !mayBeOld(error)) throw error;
    // Servers of before 2025 know only this; what the first way said is what counts where it fails as well.
    const { SSEClientTransport } = await import('@modelcontextprotocol/client');
    return openBy(options, new SSEClientTransport(new URL(config.url), httpOptions(options))).catch(() => {
      throw error;
    });
  }
}

/** As the specification says of servers that do not know the newer way. */
const mayBeOld = (error: unknown): boolean => [400, 404, 405].includes(numberIn(error, 'status') ?? 0);

/** Whatever it answers: what is wrong with a part of it is said of that part. */
const anything = z.looseObject({});

async function openBy(options: SessionOptions, transport: Transport): Promise<McpSession> {
  const { config, signal, log, connectMs } = options;
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'epistle', version: '1' }, { capabilities: {} });
  const state = { isClosed: false, readsResources: false };
  client.onerror = (error) => log.debug({ error: hideSecrets(error.message).slice(0, 500) }, 'MCP');
  client.onclose = () => {
    if (!state.isClosed) options.onEnd();
    state.isClosed = true;
  };
  // Without a look at its parameters: nothing of them is used.
  client.setNotificationHandler('notifications/tools/list_changed', { params: z.unknown() }, () =>
    options.onListChanged(),
  );
  const close = async () => {
    state.isClosed = true;
    await client.close().catch(() => {});
  };
  try {
    await inTime(client.connect(transport, { timeout: connectMs, signal }), connectMs, signal);
  } catch (error) {
    await close();
    throw error;
  }
  const askFor =
    (within: { signal: AbortSignal; timeout: number }): Ask =>
    (method, params) =>
      client.request({ method, params }, anything, within);
  return {
    async list() {
      const ask = askFor({ timeout: connectMs, signal });
      const { tools, resources } = client.getServerCapabilities() ?? {};
      const page: AskPage = (cursor) => ask('tools/list', cursor === undefined ? {} : { cursor });
      const { tools: listed, left } = await readList(page).catch((error: unknown) => {
        // It has not said that it has any.
        if (tools === undefined) return { tools: [], left: [] };
        throw error;
      });
      const isOffered = config.tools.resources && resources !== undefined;
      const isTaken = listed.some(({ name }) => name === READ_RESOURCE);
      state.readsResources = isOffered && !isTaken;
      return { tools: state.readsResources ? [...listed, resourceTool] : listed, left };
    },
    call(name, args, { signal: own }) {
      const ask = askFor({ signal: own, timeout: NO_TIMEOUT_MS });
      if (state.readsResources && name === READ_RESOURCE) return readResource(ask, args);
      return ask('tools/call', { name, arguments: Object.fromEntries(Object.entries(args ?? {})) });
    },
    isLost(error) {
      const status = numberIn(error, 'status');
      return status === 404 || (status === 400 && transport.sessionId !== undefined);
    },
    isAlive: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        () => false,
      ),
    close,
  };
}

/** A stream that is opened and says nothing is waited for by nobody else. */
async function inTime(connected: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(Object.assign(new Error('it did not answer in time'), { code: 'REQUEST_TIMEOUT' }));
  const timer = setTimeout(giveUp, ms);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await Promise.race([connected, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    connected.catch(() => {});
  }
}

function httpOptions({ config, secrets, login }: SessionOptions) {
  const headers = Object.entries(config.headers).map(([name, from]) => [name, secrets[from] ?? '']);
  const requestInit = { headers: Object.fromEntries(headers) };
  const fetch = limitedFetch(MAX_MESSAGE_BYTES, config.ca_file);
  if (login === null) return { requestInit, fetch };
  const bearer = bearerOf(login);
  return { requestInit, fetch: bearer.fetch(fetch), authProvider: bearer.authProvider };
}

async function transportOf(options: SessionOptions): Promise<Transport> {
  const { config, secrets, cwd, children, log } = options;
  const { StreamableHTTPClientTransport, deserializeMessage, serializeMessage } = await import(
    '@modelcontextprotocol/client'
  );
  if (config.url !== undefined) return new StreamableHTTPClientTransport(new URL(config.url), httpOptions(options));
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  return new Program({
    command: config.command ?? '',
    args: config.args,
    environment: { ...getDefaultEnvironment(), ...children.environment, ...secrets },
    cwd,
    name: `mcp ${config.name}`,
    children,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    deserialize: deserializeMessage,
    serialize: serializeMessage,
    onSaid: (bytes) => log.debug({ said: hideSecrets(bytes.subarray(0, 2000).toString()) }, 'MCP'),
  });
}

/** Asks the server and hands on what it answers, unread. */
type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<ServerResult>;

const READ_RESOURCE = 'read_resource';

/** The resources of a server as a tool, with words of ours: what there is changes, and what an owner allowed must not. */
const resourceTool: ListedTool = {
  name: READ_RESOURCE,
  description:
    'Reads one of the resources (files, records) of this server by its uri. Without a uri it lists those that there are.',
  inputSchema: {
    type: 'object',
    properties: { uri: { type: 'string', description: 'As it is listed, or filled into a listed template' } },
  },
  onlyReads: true,
  destroys: false,
};

/** The answer as that of a tool. */
async function readResource(ask: Ask, args: unknown): Promise<ServerResult> {
  const uri = typeof args === 'object' && args !== null ? Reflect.get(args, 'uri') : undefined;
  if (typeof uri === 'string' && uri !== '') {
    const { contents } = await ask('resources/read', { uri });
    return { content: listOf(contents).map((resource) => ({ type: 'resource', resource })) };
  }
  const { resources, nextCursor } = await ask('resources/list', {});
  // Many have none and do not know the question.
  const { resourceTemplates } = await ask('resources/templates/list', {}).catch((): ServerResult => ({}));
  const [links, templates] = [listOf(resources), listOf(resourceTemplates)];
  return {
    content: links.map((link) => ({ ...(typeof link === 'object' ? link : {}), type: 'resource_link' })),
    structuredContent: {
      listed: links.length,
      ...(typeof nextCursor === 'string' ? { more: true } : {}),
      ...(templates.length === 0 ? {} : { templates }),
    },
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
