import { isDeepStrictEqual } from 'node:util';
import type { McpServerConfig } from '../../config/types.ts';
import type { ToolSource } from '../types.ts';
import type { ConnectionDeps } from './connection.ts';
import { createServer, type McpServer } from './server.ts';

/** The MCP servers of a workspace: one connection each, however often extensions are loaded again. */
export interface McpServers {
  /** The servers as sources of tools, in this order. One with unchanged settings stays; one that is not in the list is ended. */
  of(listed: readonly McpServerConfig[]): readonly ToolSource[];
  /** Called when tools came or went, or became ready or not. */
  onChange(listener: () => void): void;
  /** Ends the programs and connections of all. Never rejects. */
  close(): Promise<void>;
}

export function createMcpServers(deps: ConnectionDeps): McpServers {
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
    close: () => Promise.all(known.servers.map((server) => server.close())).then(() => {}),
  };
}
