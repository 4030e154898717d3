import type { Log } from '#contract';
import { EngineError } from '#contract';
import type { McpServerConfig } from '../../config/types.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/error-message.ts';
import type { Children } from '../../lib/processes/children.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import type { Login } from '../../mailbox/login/login.ts';
import { NoLogin } from '../../mailbox/oauth/servers/bearer.ts';
import { inOwnWords, SessionEnded } from './listing.ts';
import { type McpSession, openSession } from './session.ts';

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;
/** A program that nobody calls is ended, and started again by the next call. */
const IDLE_MS = 15 * 60_000;

export interface ConnectionDeps {
  readonly secretOf: (name: string) => string | undefined;
  /** Null: the server wants no login. */
  readonly loginOf: (config: McpServerConfig) => Login | null;
  /** Working directory of its program. */
  readonly cwd: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: () => number;
  /** Holds the programs that are started. */
  readonly children: Children;
  readonly log: Log;
}

interface Listener {
  /** A session is there, not yet used; where this rejects, it is closed again and the attempt has failed. */
  opened(session: McpSession): Promise<void>;
  /** The server says that its list of tools is another one now. */
  listChanged(): void;
  /** It can be used now, or no longer. */
  changed(): void;
}

/** The one connection to an MCP server: opened when it is needed, again with backoff after it failed, closed when idle. */
interface Connection {
  /** Null: none stands. */
  session(): McpSession | null;
  /** Why it cannot be used; null while it can, and before it was tried. */
  why(): string | null;
  /** The same for an owner, with what helps. */
  whyForOwner(): string | null;
  /** The same, and it is too early for another attempt. */
  trouble(): string | null;
  /** One attempt at a time, however many ask. Rejects with what made it fail. */
  open(): Promise<McpSession>;
  /** A session that is of no use any more. */
  drop(session: McpSession, error: unknown): void;
  /** A session that the server does not know any more: the next one is opened at once, and nothing has failed. */
  forget(session: McpSession): void;
  /** After a call that failed: of a server that answers nothing else either, the session is given up. */
  examine(session: McpSession, error: unknown): Promise<void>;
  /** After a call that was answered: the next failure is the first one. */
  worked(): void;
  /** It is used, so it is not idle. */
  stayAwake(): void;
  close(): Promise<void>;
}

export function createConnection(config: McpServerConfig, deps: ConnectionDeps, listener: Listener): Connection {
  const { clock, log } = deps;
  const login = deps.loginOf(config);
  const closing = new AbortController();
  const state: {
    session: McpSession | null;
    opening: Promise<McpSession> | null;
    why: string | null;
    /** What an owner hears beside that. */
    more: string;
    /** Of the login with which it failed. */
    mark: string | null;
    failures: number;
    retryAt: number;
    idle: NodeJS.Timeout | null;
  } = { session: null, opening: null, why: null, more: '', mark: null, failures: 0, retryAt: 0, idle: null };

  function fail(error: unknown): void {
    if (closing.signal.aborted) return;
    state.failures += 1;
    const backoff = { attempt: state.failures, firstMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random: deps.random() };
    state.retryAt = clock.now() + backoffMs(backoff);
    state.why = `the MCP server ${config.name} cannot be used: ${inOwnWords(error)}`;
    const fault = error instanceof NoLogin ? error.fault : null;
    state.more = fault === null ? '' : ` (${fault.cause}; ${fault.cure})`;
    state.mark = login?.mark() ?? null;
    log.warn({ error: hideSecrets(messageOf(error)).slice(0, 500) }, state.why);
    listener.changed();
  }

  function drop(session: McpSession, error: unknown): void {
    if (state.session !== session) return;
    state.session = null;
    void session.close();
    fail(error);
  }

  async function connect(): Promise<McpSession> {
    const opened: { session: McpSession | null } = { session: null };
    try {
      opened.session = await openSession({
        config,
        secrets: secretsOf(config, deps.secretOf),
        login,
        cwd: deps.cwd,
        signal: closing.signal,
        children: deps.children,
        connectMs: config.start_timeout_s * 1000,
        log,
        onEnd: () => opened.session && drop(opened.session, new SessionEnded()),
        onListChanged: listener.listChanged,
      });
      await listener.opened(opened.session);
      closing.signal.throwIfAborted();
      state.session = opened.session;
      state.why = null;
      stayAwake();
      listener.changed();
      return opened.session;
    } catch (error) {
      await opened.session?.close();
      fail(error);
      throw error;
    }
  }

  function stayAwake(): void {
    if (state.idle) clearTimeout(state.idle);
    state.idle = setTimeout(() => {
      const { session } = state;
      state.session = null;
      void session?.close();
    }, IDLE_MS).unref();
  }

  return {
    session: () => state.session,
    why: () => state.why,
    whyForOwner: () => state.why && `${state.why}${state.more}`,
    // After another login it is not too early.
    trouble: () => (clock.now() < state.retryAt && state.mark === (login?.mark() ?? null) ? state.why : null),
    open() {
      if (state.session) return Promise.resolve(state.session);
      state.opening ??= connect().finally(() => {
        state.opening = null;
      });
      return state.opening;
    },
    drop,
    forget(session) {
      if (state.session !== session) return;
      state.session = null;
      void session.close();
    },
    async examine(session, error) {
      if (state.session === session && !(await session.isAlive())) drop(session, error);
    },
    worked() {
      state.failures = 0;
    },
    stayAwake,
    async close() {
      closing.abort();
      if (state.idle) clearTimeout(state.idle);
      const { session, opening } = state;
      state.session = null;
      await Promise.allSettled([session?.close(), opening]);
    },
  };
}

function secretsOf(config: McpServerConfig, secretOf: ConnectionDeps['secretOf']): Record<string, string> {
  const names = [...config.env, ...Object.values(config.headers)];
  return Object.fromEntries(
    names.map((name) => {
      const value = secretOf(name);
      if (value === undefined) throw new EngineError('extension_invalid', `${name} is not set`);
      return [name, value];
    }),
  );
}
