import { isDeepStrictEqual } from 'node:util';
import type { McpServerConfig } from '../../config/types.ts';
import type { ServerPins } from '../pins/difference.ts';
import type { Allowed, ToolSource } from '../types.ts';
import { createServer, type McpServer, type McpServerDeps } from './server.ts';

/** The MCP servers of a workspace: one connection each, however often extensions are loaded again. */
export interface McpServers {
  /** The servers as sources of tools, in this order. One with unchanged settings stays; one that is not in the list is ended. */
  of(listed: readonly McpServerConfig[]): readonly ToolSource[];
  /** Called when tools came or went, or became ready or not. */
  onChange(listener: () => void): void;
  /** As `McpServer.allow`. Null: no server of that name is on. */
  allow(name: string, shown?: ServerPins): Promise<Allowed | null>;
  /** Ends the programs and connections of all. Never rejects. */
  close(): Promise<void>;
}

export function createMcpServers(deps: McpServerDeps): McpServers {
  const known: { servers: readonly McpServer[] } = { servers: [] };
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    of(listed) {
      const before = known.servers;
      known.servers = listed.map(
        (config) =>
          before.find((server) => isDeepStrictEqual(server.config, config)) ?? createServer(config, deps, changed),
      );
      for (const server of before) if (!known.servers.includes(server)) void server.close();
      return known.servers;
    },
    onChange: (listener) => void listeners.push(listener),
    async allow(name, shown) {
      const server = known.servers.find(({ config }) => config.name === name && config.enabled);
      return server ? server.allow(shown) : null;
    },
    close: () => Promise.all(known.servers.map((server) => server.close())).then(() => {}),
  };
}
