import { EngineError } from '#contract';
import { deepFreeze } from '../../config/live/freeze.ts';
import type { McpServerConfig } from '../../config/types.ts';
import type { RegisteredTool, ToolSource } from '../types.ts';
import { type ConnectionDeps, createConnection } from './connection.ts';
import { inOwnWords, TooManyTools } from './in-own-words.ts';
import { resultOf } from './result.ts';
import type { ListedTool, Session } from './session.ts';
import { hashOf, isWanted, type Owner, standIns, toolOf } from './tools.ts';

/** More would leave no room for the mail in what a model reads. */
const MAX_TOOLS = 100;
/** A run waits this long for a server that is started again; for the first start it waits until that is decided. */
const AGAIN_MS = 3000;

export interface McpServer extends ToolSource {
  readonly config: McpServerConfig;
  close(): Promise<void>;
}

/**
 * One MCP server as a source of tools. It is connected when the first run looks for tools, and again, with backoff,
 * after it has failed. Whatever it does costs its own tools: they are not ready, with a reason in our words.
 */
export function createServer(config: McpServerConfig, deps: ConnectionDeps, changed: () => void): McpServer {
  const state: {
    /** Null: its list was never seen. */
    tools: readonly RegisteredTool[] | null;
    /** By the server's names, as it was last listed. */
    hashes: ReadonlyMap<string, string>;
    isListOld: boolean;
    /** The first attempt; `isDecided` when it has ended. */
    first: Promise<void> | null;
    isDecided: boolean;
  } = { tools: null, hashes: new Map(), isListOld: false, first: null, isDecided: false };

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

  const owner: Owner = {
    config,
    trouble: connection.trouble,
    call: async (tool, args, { signal }) => {
      const session = await sessionFor(tool);
      try {
        const result = resultOf(await session.call(tool.name, args, { signal }));
        connection.worked();
        return result;
      } catch (error) {
        if (error instanceof EngineError) throw error;
        await connection.examine(session, error);
        throw new EngineError('tool_failed', `${config.name} did not do it: ${inOwnWords(error)}`, { cause: error });
      }
    },
  };

  async function takeList(session: Session): Promise<void> {
    state.isListOld = false;
    const listed = (await session.list()).filter((tool) => isWanted(config, tool));
    if (listed.length > MAX_TOOLS) throw new TooManyTools(listed.length, MAX_TOOLS);
    state.tools = await Promise.all(listed.map((tool) => toolOf(tool, owner)));
    state.hashes = new Map(listed.map((tool) => [tool.name, hashOf(tool)]));
  }

  async function listAgain(session: Session): Promise<void> {
    try {
      await takeList(session);
      changed();
    } catch (error) {
      connection.drop(session, error);
    }
  }

  /** The tool has to be what the model was shown: a description that changed meanwhile was read by nobody. */
  async function sessionFor(tool: ListedTool): Promise<Session> {
    connection.stayAwake();
    const refuse = (why: string) => new EngineError('tool_failed', why);
    const session = await connection.open().catch((error: unknown) => {
      throw refuse(connection.why() ?? inOwnWords(error));
    });
    if (state.isListOld) await listAgain(session);
    if (connection.session() !== session) throw refuse(connection.why() ?? `${config.name} cannot be reached`);
    if (state.hashes.get(tool.name) === hashOf(tool)) return session;
    throw refuse(`${config.name} has changed or removed this tool since it was shown; nothing was done`);
  }

  const settled = (attempt: Promise<unknown>): Promise<void> =>
    attempt.then(
      () => {},
      () => {},
    );

  return {
    id: `mcp:${config.name}`,
    config,
    list() {
      const why = connection.why();
      return state.tools ?? (why === null ? [] : standIns(owner, why));
    },
    prepare() {
      if (!config.enabled) return null;
      state.first ??= settled(connection.open()).finally(() => {
        state.isDecided = true;
      });
      if (!state.isDecided) return state.first;
      const session = connection.session();
      if (session) return state.isListOld ? listAgain(session) : null;
      if (connection.why() === null || connection.trouble() !== null) return null;
      return atMost(AGAIN_MS, settled(connection.open()));
    },
    record() {
      const why = connection.why();
      return deepFreeze({
        ...{ kind: 'mcp', name: config.name, source: 'workspace', path: null, version: null, replaces: null },
        state: !config.enabled ? 'disabled' : why === null ? 'loaded' : 'error',
        error: why === null ? null : { code: 'extension_failed', message: why, file: 'extensions/extensions.json' },
      });
    },
    close: connection.close,
  };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
