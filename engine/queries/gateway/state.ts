import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ExtensionRecord } from '../../extensions/types.ts';
import { parseJson } from '../../lib/json.ts';
import type { QueryPorts } from '../ports.ts';

/** What only the running process knows, left where `status` can read it. */
const stateSchema = z.object({
  pid: z.int(),
  mailboxes: z.array(
    z.object({
      id: z.string(),
      state: z.enum(['connected', 'retrying', 'auth_failed', 'needs_login', 'disabled']),
      error: z.string().nullable(),
      /** When its server last answered a look at the folder. */
      looked_at: z.number().nullable().default(null),
    }),
  ),
  cooldowns: z.array(z.object({ provider: z.string(), until: z.number() })),
  /** Personas whose mail waits because their files are wrong; of the others the last good version is in force. */
  persona_errors: z.array(z.string()),
  /** Extensions that failed since they were loaded, and are switched off. */
  extension_errors: z
    .array(
      z.object({
        kind: z.enum(['provider', 'tool', 'resolver', 'hook', 'mcp']),
        name: z.string(),
        error: z.object({ code: z.literal('extension_failed'), message: z.string(), file: z.string() }),
      }),
    )
    .default([]),
  /** Tools of MCP servers that no owner has allowed as they are now. */
  tools_waiting: z.array(z.object({ server: z.string(), tools: z.array(z.string()) })).default([]),
  unhandled_rejections: z.int().default(0),
});

export type GatewayState = z.infer<typeof stateSchema>;

/** What the running gateway publishes; it is about one process, and believed of that one alone. */
export const statePath = (dataDir: string): string => join(dataDir, 'state.json');

/** Extensions as this process finds them, with what only the running gateway knows of them. */
export function extensionsNow(found: readonly ExtensionRecord[], state: GatewayState | null): ExtensionRecord[] {
  return found.map((record) => {
    const failed = state?.extension_errors.find(({ kind, name }) => kind === record.kind && name === record.name);
    return failed && record.state === 'loaded' ? { ...record, state: 'error', error: failed.error } : record;
  });
}

/** The same with the logins that are missing: nobody has to have come to a server for that to be known. */
export const withLogins = (
  found: readonly ExtensionRecord[],
  { live, serverLogins }: Pick<QueryPorts, 'live' | 'serverLogins'>,
): ExtensionRecord[] =>
  found.map((record) => {
    const server = live.current().extensions.mcp.find(({ name }) => record.kind === 'mcp' && name === record.name);
    const wrong = record.state === 'loaded' && server ? serverLogins.state(server)?.wrong : null;
    if (!wrong) return record;
    const message = `${wrong.fault.cause}; ${wrong.fault.cure}`;
    return {
      ...record,
      state: 'error',
      error: { code: 'extension_failed', message, file: 'extensions/extensions.json' },
    };
  });

/** What the gateway with this pid wrote last; null when there is nothing of it. */
export function readState(dataDir: string, pid: number): GatewayState | null {
  try {
    const state = parseJson(stateSchema, readFileSync(statePath(dataDir), 'utf8'));
    return state.pid === pid ? state : null;
  } catch {
    return null;
  }
}
