import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Json, Log, ToolContext } from '#contract';
import { extensionsSchema } from '../../../../engine/config/extension-schemas.ts';
import type { McpServerDeps } from '../../../../engine/extensions/mcp/server.ts';
import { createMcpServers } from '../../../../engine/extensions/mcp/servers.ts';
import { createToolPins } from '../../../../engine/extensions/pins/tool-pins.ts';
import { toolsFrom } from '../../../../engine/extensions/tool-sources.ts';
import type { ToolGrants } from '../../../../engine/extensions/types.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { createChildren, lookAt } from '../../../../engine/lib/processes/children.ts';
import type { McpScript } from '../../../fakes/mcp-script.ts';

const PROGRAM = fileURLToPath(new URL('../../../fakes/mcp-program.ts', import.meta.url));

export const READ = {
  name: 'look-up',
  description: 'Looks it up',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  annotations: { readOnlyHint: true },
};

interface RigOptions {
  readonly reviewed?: boolean;
  readonly loginOf?: McpServerDeps['loginOf'];
  readonly log?: Log;
}

/**
 * One server with a script, as the gateway keeps it; time stands still until somebody moves it. `reviewed`: its owner
 * allows what it shows as soon as it does.
 */
export function mcpRig(
  first: McpScript,
  server: object = {},
  { reviewed = true, loginOf = () => null, log = silentLog }: RigOptions = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-mcp-'));
  const path = join(folder, 'script.json');
  const write = (script: McpScript) => writeFileSync(path, JSON.stringify(script));
  write(first);
  const time = { now: 1_000_000 };
  const pins = createToolPins({
    root: folder,
    lock: () => ({ release() {} }),
    clock: { now: () => time.now, sleep: () => Promise.resolve() },
  });
  const children = createChildren({ folder: () => join(folder, 'processes'), id: 'of-the-test', log: silentLog });
  const servers = createMcpServers({
    pins,
    secretOf: (name) => (name === 'MCP_TOKEN' ? 'token-of-the-test' : undefined),
    loginOf,
    cwd: folder,
    clock: { now: () => time.now },
    random: () => 0.5,
    children,
    log,
  });
  const listing = (more: object = {}) =>
    extensionsSchema.parse({
      mcp: [{ name: 'wiki', command: process.execPath, args: [PROGRAM, path], start_timeout_s: 2, ...server, ...more }],
    }).mcp;
  const known = { sources: servers.of(listing()) };
  const lines = (file: string) =>
    existsSync(`${path}.${file}`) ? readFileSync(`${path}.${file}`, 'utf8').trimEnd().split('\n') : [];
  onTestFinished(async () => {
    await servers.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const rig = {
    path,
    time,
    write,
    servers,
    folder,
    children,
    pins,
    waiting: () => known.sources[0]?.waiting() ?? null,
    /** As a run finds its tools. */
    async tools(grants: ToolGrants | null = null) {
      await known.sources[0]?.prepare(grants);
      const waiting = known.sources[0]?.waiting();
      if (reviewed && waiting) {
        await pins.write('wiki', waiting.now);
        await known.sources[0]?.prepare(grants);
      }
      return toolsFrom(known.sources).tools;
    },
    /** What is said of tools that are left out. */
    problems: () => toolsFrom(known.sources).problems.map(({ message }) => message),
    record: () => known.sources[0]?.record(),
    reload(more: object) {
      known.sources = servers.of(listing(more));
    },
    async call(name: string, args: unknown = {}, signal = AbortSignal.timeout(20_000)): Promise<Json> {
      const tool = toolsFrom(known.sources).tools.get(name);
      if (!tool) throw new Error(`no tool ${name}`);
      return tool.call(args, { signal } as ToolContext);
    },
    /** Of the programs that were started, in order. */
    pids: () => lines('pids').map((line) => Number(line.split(' ', 1)[0])),
    environments: () => lines('pids').map((line) => line.replace(/^\d+ /, '')),
    calls: () => lines('calls').map((line): unknown => JSON.parse(line)),
  };
  return rig;
}

/** What has ended and was not yet looked at by its parent is not alive. */
export const isAlive = (pid: number): boolean => lookAt(pid)?.isDead === false;
