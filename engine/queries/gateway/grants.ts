import { shownText } from '../../config/writing/shown-value.ts';
import type { QueryPorts } from '../ports.ts';
import { listExtensions } from './extensions.ts';
import { runningGateway } from './running.ts';
import { readState } from './state.ts';

/** An extension, or an MCP server, with what it may do here. */
export interface Granted {
  readonly kind: string;
  readonly name: string;
  readonly source: string;
  readonly version: string | null;
  readonly state: 'loaded' | 'disabled' | 'error';
  readonly error: string | null;
  /** Of a tool, what it takes of the gateway; of a server, where it is and what it is given. */
  readonly uses: readonly string[];
  /** Its tools, each with its risk. */
  readonly tools: readonly { readonly name: string; readonly risk: string }[];
  /** What grants them to a persona. */
  readonly scope: string | null;
  /** Variables of the environment that it is given, by their names. */
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[];
  /** Names of tools of a server that no owner has allowed as they are. */
  readonly waiting: readonly string[];
}

export interface Grants {
  readonly granted: readonly Granted[];
  /** So many that came with the gateway are in force. */
  readonly bundled: number;
}

/** All of them that are no part of the gateway itself, what is wrong and the servers first. */
export async function grantsOf(ports: QueryPorts): Promise<Grants> {
  const records = await listExtensions(ports);
  const { tools } = ports.currentExtensions();
  const servers = ports.live.current().extensions.mcp;
  const running = runningGateway(ports);
  const waiting = (running && readState(ports.dataDir, running.pid)?.tools_waiting) ?? [];
  const variable = (name: string) => ({ name, isSet: ports.environment.secretOf(name) !== undefined });
  const granted = records.flatMap((record): readonly Granted[] => {
    const { kind, name, source, version, state, error } = record;
    if (kind !== 'mcp' && source === 'bundled' && state !== 'error') return [];
    const shape = { kind, name, source, version, state, error: error?.message ?? null };
    const server = kind === 'mcp' ? servers.find((one) => one.name === name) : undefined;
    if (server) {
      const own = tools.all().filter((tool) => tool.source.id === `mcp:${name}` && tool.away === undefined);
      const given = [...server.env, ...Object.values(server.headers)];
      return [
        {
          ...shape,
          uses: [shownText(server.command ?? server.url ?? '', ['url'])],
          tools: own.map((tool) => ({ name: tool.name, risk: tool.definition.risk })),
          scope: server.tools.scope,
          variables: given.map(variable),
          waiting: waiting.find((one) => one.server === name)?.tools ?? [],
        },
      ];
    }
    const tool = kind === 'tool' ? tools.get(name) : undefined;
    return [
      {
        ...shape,
        uses: tool?.manifest.capabilities ?? [],
        tools: tool ? [{ name, risk: tool.definition.risk }] : [],
        scope: tool?.definition.scope ?? null,
        variables: Object.values(tool?.manifest.secrets ?? {}).map(variable),
        waiting: [],
      },
    ];
  });
  const bundled = records.filter(
    ({ source, kind, state }) => source === 'bundled' && kind !== 'mcp' && state === 'loaded',
  );
  return { granted: granted.toSorted((one, other) => rank(one) - rank(other)), bundled: bundled.length };
}

const rank = ({ kind, state }: Granted): number => (state === 'error' ? 0 : kind === 'mcp' ? 1 : 2);
