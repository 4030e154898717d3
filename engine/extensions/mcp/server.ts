import { EngineError, type Log } from '#contract';
import { deepFreeze } from '../../config/live/freeze.ts';
import type { McpServerConfig } from '../../config/types.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/error-message.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import type { RegisteredTool, ToolSource } from '../types.ts';
import { Ended, inOwnWords, TooManyTools } from './in-own-words.ts';
import { resultOf } from './result.ts';
import { type ListedTool, openSession, type Session } from './session.ts';
import { hashOf, isWanted, type Owner, standIns, toolOf } from './tools.ts';

/** More would leave no room for the mail in what a model reads. */
const MAX_TOOLS = 100;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;
/** A run waits this long for a server that is started again; for the first start it waits until that is decided. */
const AGAIN_MS = 3000;
/** A program that nobody calls is ended, and started again by the next call. */
const IDLE_MS = 15 * 60_000;

export interface McpServer extends ToolSource {
  readonly config: McpServerConfig;
  close(): Promise<void>;
}

export interface ServerDeps {
  readonly secretOf: (name: string) => string | undefined;
  /** Where its program runs. */
  readonly cwd: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: () => number;
  /** How long it may take until it can be asked, and for its list; default: 10 s. */
  readonly connectMs?: number;
  readonly log: Log;
}

/**
 * One MCP server as a source of tools. It is connected when the first run looks for tools, and again, with backoff,
 * after it has failed. Whatever it does costs its own tools: they are not ready, with a reason in our words.
 */
export function createServer(config: McpServerConfig, deps: ServerDeps, changed: () => void): McpServer {
  const { clock } = deps;
  const log = deps.log.child({ mcp: config.name });
  const closing = new AbortController();
  const state: {
    /** Null: its list was never seen. */
    tools: readonly RegisteredTool[] | null;
    /** By the server's names, as it was last listed. */
    hashes: ReadonlyMap<string, string>;
    session: Session | null;
    opening: Promise<Session> | null;
    /** The first attempt; `isDecided` when it has ended. */
    first: Promise<void> | null;
    isDecided: boolean;
    isListOld: boolean;
    /** Why it cannot be used; null while it can, and before it was tried. */
    why: string | null;
    failures: number;
    retryAt: number;
    idle: NodeJS.Timeout | null;
  } = {
    tools: null,
    hashes: new Map(),
    session: null,
    opening: null,
    first: null,
    isDecided: false,
    isListOld: false,
    why: null,
    failures: 0,
    retryAt: 0,
    idle: null,
  };

  const owner: Owner = {
    config,
    trouble: () => (state.why !== null && clock.now() < state.retryAt ? state.why : null),
    call: async (tool, args, { signal }) => {
      const session = await sessionFor(tool);
      try {
        const result = resultOf(await session.call(tool.name, args, { signal }));
        state.failures = 0;
        return result;
      } catch (error) {
        if (error instanceof EngineError) throw error;
        await examine(session, error);
        throw new EngineError('tool_failed', `${config.name} did not do it: ${inOwnWords(error)}`, { cause: error });
      }
    },
  };

  function fail(error: unknown): void {
    if (closing.signal.aborted) return;
    state.failures += 1;
    const backoff = { attempt: state.failures, firstMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random: deps.random() };
    state.retryAt = clock.now() + backoffMs(backoff);
    state.why = `the MCP server ${config.name} cannot be used: ${inOwnWords(error)}`;
    log.warn({ error: hideSecrets(messageOf(error)).slice(0, 500) }, state.why);
    changed();
  }

  /** A connection that is of no use any more. */
  function drop(session: Session, error: unknown): void {
    if (state.session !== session) return;
    state.session = null;
    void session.close();
    fail(error);
  }

  /** After a call that failed: of a server that answers nothing else either, the connection is given up. */
  async function examine(session: Session, error: unknown): Promise<void> {
    if (state.session === session && !(await session.isAlive())) drop(session, error);
  }

  async function connect(): Promise<Session> {
    const opened: { session: Session | null } = { session: null };
    try {
      opened.session = await openSession({
        config,
        secrets: secretsOf(config, deps.secretOf),
        cwd: deps.cwd,
        signal: closing.signal,
        connectMs: deps.connectMs ?? 10_000,
        log,
        onEnd: () => opened.session && drop(opened.session, new Ended()),
        onListChanged: () => {
          state.isListOld = true;
        },
      });
      await takeList(opened.session);
      closing.signal.throwIfAborted();
      state.session = opened.session;
      state.why = null;
      stayAwake();
      changed();
      return opened.session;
    } catch (error) {
      await opened.session?.close();
      fail(error);
      throw error;
    }
  }

  async function takeList(session: Session): Promise<void> {
    state.isListOld = false;
    const listed = (await session.list()).filter((tool) => isWanted(config, tool));
    if (listed.length > MAX_TOOLS) throw new TooManyTools(listed.length, MAX_TOOLS);
    state.tools = await Promise.all(listed.map((tool) => toolOf(tool, owner)));
    state.hashes = new Map(listed.map((tool) => [tool.name, hashOf(tool)]));
  }

  /** One attempt at a time, however many ask. */
  function open(): Promise<Session> {
    if (state.session) return Promise.resolve(state.session);
    state.opening ??= connect().finally(() => {
      state.opening = null;
    });
    return state.opening;
  }

  async function listAgain(session: Session): Promise<void> {
    try {
      await takeList(session);
      changed();
    } catch (error) {
      drop(session, error);
    }
  }

  /** The tool has to be what the model was shown: a description that changed meanwhile was read by nobody. */
  async function sessionFor(tool: ListedTool): Promise<Session> {
    stayAwake();
    const refuse = (why: string) => new EngineError('tool_failed', why);
    const session = await open().catch((error: unknown) => {
      throw refuse(state.why ?? inOwnWords(error));
    });
    if (state.isListOld) await listAgain(session);
    if (state.session !== session) throw refuse(state.why ?? `${config.name} cannot be reached`);
    if (state.hashes.get(tool.name) === hashOf(tool)) return session;
    throw refuse(`${config.name} has changed or removed this tool since it was shown; nothing was done`);
  }

  function stayAwake(): void {
    if (state.idle) clearTimeout(state.idle);
    state.idle = setTimeout(() => {
      const { session } = state;
      state.session = null;
      void session?.close();
    }, IDLE_MS).unref();
  }

  const settled = (attempt: Promise<unknown>): Promise<void> =>
    attempt.then(
      () => {},
      () => {},
    );

  return {
    id: `mcp:${config.name}`,
    config,
    list: () => state.tools ?? (state.why === null ? [] : standIns(owner, state.why)),
    prepare() {
      if (!config.enabled) return null;
      state.first ??= settled(open()).finally(() => {
        state.isDecided = true;
      });
      if (!state.isDecided) return state.first;
      if (state.session) return state.isListOld ? listAgain(state.session) : null;
      if (state.why === null || clock.now() < state.retryAt) return null;
      return atMost(AGAIN_MS, settled(open()));
    },
    record: () =>
      deepFreeze({
        ...{ kind: 'mcp', name: config.name, source: 'workspace', path: null, version: null, replaces: null },
        state: !config.enabled ? 'disabled' : state.why === null ? 'loaded' : 'error',
        error:
          state.why === null
            ? null
            : { code: 'extension_failed', message: state.why, file: 'extensions/extensions.json' },
      }),
    async close() {
      closing.abort();
      if (state.idle) clearTimeout(state.idle);
      const { session } = state;
      state.session = null;
      await Promise.all([session?.close(), state.opening && settled(state.opening)]);
    },
  };
}

function secretsOf(config: McpServerConfig, secretOf: ServerDeps['secretOf']): Record<string, string> {
  const names = [...config.env, ...Object.values(config.headers)];
  return Object.fromEntries(
    names.map((name) => {
      const value = secretOf(name);
      if (value === undefined) throw new EngineError('extension_invalid', `${name} is not set`);
      return [name, value];
    }),
  );
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
