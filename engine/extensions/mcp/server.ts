import { EngineError, type Json } from '#contract';
import { deepFreeze } from '../../config/live/freeze.ts';
import type { McpServerConfig } from '../../config/types.ts';
import { messageOf } from '../../lib/error-message.ts';
import { NoLogin } from '../../mailbox/oauth/servers/bearer.ts';
import { awayOf, differenceOf, hashOfPins, pinOf, pinsOf, type ServerPins } from '../pins/difference.ts';
import { LOCK_FILE } from '../pins/lock-file.ts';
import type { PinsNow, ToolPins } from '../pins/tool-pins.ts';
import type { Allowed, RegisteredTool, ToolGrants, ToolSource } from '../types.ts';
import { type ConnectionDeps, createConnection } from './connection.ts';
import { inOwnWords, type ListedTool, TooManyTools } from './listing.ts';
import { resultOf, saidInError } from './result.ts';
import type { McpSession } from './session.ts';
import { AWAY, awayTool, hashOf, isWanted, standIns, type ToolServer, toolName, toolOf } from './tools.ts';

/** More would leave no room for the mail in what a model reads. */
const MAX_TOOLS = 100;
/** A run waits this long for a server that is started again; for the first start it waits until that is decided. */
const AGAIN_MS = 3000;

export interface McpServer extends ToolSource {
  readonly config: McpServerConfig;
  /**
   * Pins what it shows now, or what an owner was `shown` before: only where it still shows the same, or cannot be asked.
   * Throws `extension_invalid` where nothing is known of it, `config_invalid` where the lock file is broken.
   */
  allow(shown?: ServerPins): Promise<Allowed>;
  close(): Promise<void>;
}

export type McpServerDeps = ConnectionDeps & { readonly pins: ToolPins };

/**
 * One MCP server as a source of tools. It is connected when the first run looks for tools, and again, with backoff,
 * after it has failed. Whatever it does costs its own tools: they are not ready, with a reason in our words. Of a tool that
 * its owner has not seen as it is, nothing but the name gets any further.
 */
export function createServer(config: McpServerConfig, deps: McpServerDeps, changed: () => void): McpServer {
  const { pins } = deps;
  const state: {
    /** What it lists of what its owner wants; null: its list was never seen. */
    listed: readonly ListedTool[] | null;
    tools: readonly RegisteredTool[] | null;
    /** By what these were told apart from others. */
    judgedBy: PinsNow | null;
    turn: Promise<void>;
    /** By the server's names, as it was last listed. */
    hashes: ReadonlyMap<string, string>;
    isListOld: boolean;
    /** What was left out of its list by its place, in our words. */
    left: readonly string[];
    /** The first attempt; `isDecided` when it has ended. */
    first: Promise<void> | null;
    isDecided: boolean;
  } = {
    listed: null,
    tools: null,
    judgedBy: null,
    turn: Promise.resolve(),
    hashes: new Map(),
    isListOld: false,
    left: [],
    first: null,
    isDecided: false,
  };

  const connection = createConnection(
    config,
    { ...deps, log: deps.log.child({ mcp: config.name }) },
    {
      opened: takeList,
      listChanged() {
        state.isListOld = true;
      },
      changed,
    },
  );

  const owner: ToolServer = {
    config,
    trouble: connection.trouble,
    refusal(tool) {
      const { broken, of } = pins.now();
      const away = broken === null ? awayOf(tool.name, pinOf(tool), of(config.name)) : 'lock';
      return away && AWAY[away](config.name);
    },
    call: async (tool, args, { signal }) => {
      const session = await sessionFor(tool);
      const called = await attempt(session, tool, args, signal);
      if (called.kind === 'done') return called.result;
      if (!session.isLost(called.error)) throw called.why;
      // It was restarted, and knows nothing of the call: what was not done is done in a session of its own.
      connection.forget(session);
      const again = await attempt(await sessionFor(tool), tool, args, signal);
      if (again.kind === 'done') return again.result;
      throw again.why;
    },
  };

  /** What a server says of why it did not do a call is what a model can mend the call by. */
  async function attempt(
    session: McpSession,
    tool: ListedTool,
    args: unknown,
    signal: AbortSignal,
  ): Promise<Attempted> {
    try {
      const result = resultOf(await session.call(tool.name, args, { signal }));
      connection.worked();
      return { kind: 'done', result };
    } catch (error) {
      if (error instanceof NoLogin) connection.drop(session, error);
      if (error instanceof EngineError) return { kind: 'failed', error, why: error };
      if (!session.isLost(error)) await connection.examine(session, error);
      const said = saidInError(error);
      const message = `${config.name} did not do it: ${inOwnWords(error)}${said === null ? '' : `: ${said}`}`;
      return { kind: 'failed', error, why: new EngineError('tool_failed', message, { cause: error }) };
    }
  }

  async function takeList(session: McpSession): Promise<void> {
    state.isListOld = false;
    const { tools, left } = await session.list();
    const listed = tools.filter((tool) => isWanted(config, tool));
    // Whoever names the tools that they want misses nothing that has no name.
    state.left = config.tools.allow.includes('*') ? left : [];
    if (listed.length > MAX_TOOLS) throw new TooManyTools(listed.length, MAX_TOOLS);
    if (pins.isTakenOver(config.name)) await takeOver(listed);
    await inTurn(() => judge(listed));
  }

  /** Where it cannot be written, its tools wait for an owner as those of any other. */
  const takeOver = (listed: readonly ListedTool[]): Promise<void> =>
    pins
      .write(config.name, pinsOf(listed))
      .catch((error: unknown) =>
        deps.log.error({ mcp: config.name, error: messageOf(error) }, 'its tools could not be pinned'),
      );

  /** One after the other, or an old list could come to stand after a new one. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = state.turn.then(work);
    state.turn = settled(done);
    return done;
  }

  /** Those that may be used first: another one whose name comes out the same takes the place of none of them. */
  async function judge(listed: readonly ListedTool[]): Promise<void> {
    const now = pins.now();
    const pinned = now.of(config.name);
    const judged = await Promise.all(
      listed.map(async (tool) => {
        const why = now.broken === null ? awayOf(tool.name, pinOf(tool), pinned) : 'lock';
        if (why === null) return { isAway: false, tool: await toolOf(tool, owner) };
        return { isAway: true, tool: awayTool(tool.name, { owner, why, known: pinned?.has(tool.name) ?? false }) };
      }),
    );
    const gone = [...(pinned?.keys() ?? [])].filter(
      (name) => isWanted(config, { name }) && !listed.some((tool) => tool.name === name),
    );
    state.listed = listed;
    state.judgedBy = now;
    state.tools = [
      ...judged.filter(({ isAway }) => !isAway).map(({ tool }) => tool),
      ...judged.filter(({ isAway }) => isAway).map(({ tool }) => tool),
      ...gone.map((name) => awayTool(name, { owner, why: 'removed', known: true })),
    ];
    state.hashes = new Map(listed.map((tool) => [tool.name, hashOf(tool)]));
  }

  /** What owners have allowed was changed, by them or by another process. */
  const judgeAgain = (): Promise<void> =>
    inTurn(async () => {
      if (state.listed === null || state.judgedBy === pins.now()) return;
      await judge(state.listed);
      changed();
    });

  async function listAgain(session: McpSession): Promise<void> {
    try {
      await takeList(session);
      changed();
    } catch (error) {
      if (session.isLost(error)) connection.forget(session);
      else connection.drop(session, error);
    }
  }

  /** The tool has to be what the model was shown: a description that changed meanwhile was read by nobody. */
  async function sessionFor(tool: ListedTool): Promise<McpSession> {
    connection.stayAwake();
    const refuse = (why: string) => new EngineError('tool_failed', why);
    const session = await connection.open().catch((error: unknown) => {
      throw refuse(connection.why() ?? inOwnWords(error));
    });
    if (state.isListOld) await listAgain(session);
    if (connection.session() === null && connection.why() === null) return sessionFor(tool);
    if (connection.session() !== session) throw refuse(connection.why() ?? `${config.name} cannot be reached`);
    if (state.hashes.get(tool.name) !== hashOf(tool))
      throw refuse(`${config.name} has changed or removed this tool since it was shown; nothing was done`);
    // Last of all: until here an owner, or another process, may have taken it away.
    const refusal = owner.refusal(tool);
    if (refusal !== null) throw refuse(`${refusal}; nothing was done`);
    return session;
  }

  const wantedOf = (pinned: ServerPins | null): ServerPins | null =>
    pinned && new Map([...pinned].filter(([name]) => isWanted(config, { name })));

  /** What has to be waited for until its list is known, or is known to be missing; null: nothing. */
  function connected(): Promise<void> | null {
    state.first ??= settled(connection.open()).finally(() => {
      state.isDecided = true;
    });
    if (!state.isDecided) return state.first;
    const session = connection.session();
    if (session) return state.isListOld ? listAgain(session) : null;
    if (connection.why() === null || connection.trouble() !== null) return null;
    return atMost(AGAIN_MS, settled(connection.open()));
  }

  return {
    id: `mcp:${config.name}`,
    config,
    list() {
      const why = connection.why();
      return state.tools ?? (why === null ? [] : standIns(owner, why));
    },
    prepare(grants) {
      const isWanted = grants === null || mayUse(grants, config, () => pins.now().of(config.name));
      if (!config.enabled || !isWanted) return null;
      const connecting = connected();
      // Of a server of which nothing is allowed yet, nobody has a tool to wait for.
      const isAllowed = grants === null || pins.isTakenOver(config.name) || (pins.now().of(config.name)?.size ?? 0) > 0;
      if (connecting !== null)
        return isAllowed ? connecting.then(judgeAgain) : atMost(AGAIN_MS, connecting.then(judgeAgain));
      return state.listed === null || state.judgedBy === pins.now() ? null : judgeAgain();
    },
    waiting() {
      if (!config.enabled || state.listed === null) return null;
      const { broken, of } = pins.now();
      // Of a file that cannot be read its line of the list tells.
      if (broken !== null) return null;
      const now = pinsOf(state.listed);
      const changes = differenceOf(now, wantedOf(of(config.name)));
      return changes.length === 0 ? null : { server: config.name, changes, now, isNew: of(config.name) === null };
    },
    async allow(shown) {
      const session = await connection.open().catch((error: unknown) => {
        if (shown !== undefined) return null;
        throw new EngineError('extension_invalid', connection.whyForOwner() ?? inOwnWords(error));
      });
      // Asked anew: nobody's yes is to fall on a list that was another one a moment ago.
      if (session) await listAgain(session);
      const known = session && connection.session() === session ? state.listed : null;
      if (known === null && shown === undefined)
        throw new EngineError('extension_invalid', connection.whyForOwner() ?? `nothing is known of ${config.name}`);
      const now = known && pinsOf(known);
      if (shown !== undefined && now !== null && hashOfPins(now) !== hashOfPins(shown)) return { kind: 'changed' };
      const pinning = shown ?? now ?? new Map();
      const before = pins.now().of(config.name);
      await pins.write(config.name, pinning);
      await judgeAgain();
      return {
        kind: 'pinned',
        pinned: pinning.size,
        changes: differenceOf(pinning, before),
        isReached: now !== null,
      };
    },
    left: () => state.left,
    record() {
      const trouble = connection.whyForOwner();
      const broken = trouble === null && config.enabled && state.listed ? pins.now().broken : null;
      const why = trouble ?? broken;
      const file = broken === null ? 'extensions/extensions.json' : LOCK_FILE;
      return deepFreeze({
        kind: 'mcp',
        name: config.name,
        source: 'workspace',
        path: null,
        version: null,
        replaces: null,
        state: !config.enabled ? 'disabled' : why === null ? 'loaded' : 'error',
        error: why === null ? null : { code: 'extension_failed', message: why, file },
      });
    },
    close: connection.close,
  };
}

type Attempted =
  | { readonly kind: 'done'; readonly result: Json }
  | { readonly kind: 'failed'; readonly error: unknown; readonly why: EngineError };

const settled = (attempt: Promise<unknown>): Promise<void> =>
  attempt.then(
    () => {},
    () => {},
  );

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}

/**
 * Whether somebody with these grants may have a tool of the server, as far as its tools are known: those that its owner
 * names, and those that an owner has allowed. In doubt, yes. Pure.
 */
function mayUse(
  { allow, deny }: ToolGrants,
  config: Pick<McpServerConfig, 'name' | 'tools'>,
  pinned: () => ServerPins | null,
): boolean {
  if (deny.includes('*')) return false;
  const own = `${config.name}_`;
  const named = allow.filter((grant) => grant === config.name || grant.startsWith(own));
  if (named.some((grant) => !deny.includes(grant))) return true;
  // What risk a tool has, and so its whole scope, is known when its server was asked.
  if (!allow.includes('*') && !allow.some((grant) => grant.startsWith(`${config.tools.scope}:`))) return false;
  const names = [...config.tools.allow, ...(pinned()?.keys() ?? [])].filter((name) => name !== '*');
  const known = names.filter((name) => isWanted(config, { name })).map((name) => toolName(config.name, name));
  return known.length === 0 || known.some((name) => !deny.includes(name));
}
