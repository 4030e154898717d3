import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { EngineError } from '#contract';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { anyJson, readJson } from '../../lib/json.ts';
import type { Pin, ServerPins } from './difference.ts';

/** Below the workspace, beside the list of its servers: it belongs into the same commit. */
export const LOCK_FILE = 'extensions/extensions.lock.json';

const VERSION = 1;
/** A hundred tools with all their texts are a twentieth of it. */
const MAX_BYTES = 32 * 1024 * 1024;

const sha = z.string().regex(/^[0-9a-f]{64}$/);
const pin = z.object({
  description_sha256: sha,
  schema_sha256: sha,
  only_reads: z.boolean(),
  destroys: z.boolean(),
  description: z.string(),
  schema: z.string(),
});

/** What else stands in it is another build's, and is left as it is. */
const lockSchema = z.looseObject({
  version: z.literal(VERSION),
  mcp: z.record(z.string(), z.looseObject({ tools: z.record(z.string(), pin) })).default({}),
});

type Lock = z.infer<typeof lockSchema>;

type LockRead =
  | { readonly state: 'read'; readonly servers: ReadonlyMap<string, ServerPins>; readonly lock: Lock }
  /** Nothing that it should have allowed is allowed; `why` says what to do. */
  | { readonly state: 'bad'; readonly why: string };

const EMPTY: Lock = { version: VERSION, mcp: {} };

/** The file as it is now; one that is not there allows nothing, and neither does one that cannot be read. */
export function readLock(root: string): LockRead {
  const path = join(root, LOCK_FILE);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return { state: 'read', servers: new Map(), lock: EMPTY };
    if (!found.isFile()) return bad('is no file');
    if (found.size > MAX_BYTES) return bad(`is larger than ${MAX_BYTES} bytes`);
    return lockIn(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an unknown error';
    return bad(`cannot be read (${code})`);
  }
}

const bad = (what: string): LockRead => ({
  state: 'bad',
  why: `${LOCK_FILE} ${what}, so no tool of an MCP server is used; bring it back from a copy, or remove it and run \`epistle extensions allow NAME\` for each server`,
});

/** Pure. Editors of Windows begin a file with a byte order mark. */
export function lockIn(text: string): LockRead {
  const parsed = readJson(anyJson, text.startsWith('\u{feff}') ? text.slice(1) : text);
  if (parsed === undefined) return bad('is no JSON');
  const read = lockSchema.safeParse(parsed);
  if (!read.success) {
    const version: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'version') : null;
    if (typeof version === 'number' && version > VERSION) return bad('was written by a newer version of Epistle');
    const [first] = read.error.issues;
    return bad(`is not as it was written (${first?.path.join('.') || 'at its root'})`);
  }
  const servers = Object.entries(read.data.mcp).map(([name, { tools }]): [string, ServerPins] => [
    name,
    new Map<string, Pin>(Object.entries(tools)),
  ]);
  return { state: 'read', servers: new Map(servers), lock: read.data };
}

/** Pure. The file with these tools of one server in place of those that were pinned. */
function withPins(lock: Lock, server: string, pins: ServerPins): string {
  const others = Object.entries(lock.mcp).filter(([name]) => name !== server);
  const before = Object.hasOwn(lock.mcp, server) ? lock.mcp[server] : {};
  // In one order, so that a difference of versions shows what has changed.
  const tools = Object.fromEntries([...pins].sort(([one], [other]) => (one < other ? -1 : 1)));
  const mcp = [...others, [server, { ...before, tools }] as const].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify({ ...lock, mcp: Object.fromEntries(mcp) }, null, 2)}\n`;
}

/** Writes them, atomically and durably. Throws `config_invalid` where the file cannot be read. */
export function writePins(root: string, server: string, pins: ServerPins): void {
  const read = readLock(root);
  if (read.state === 'bad') throw new EngineError('config_invalid', read.why);
  const bytes = Buffer.from(withPins(read.lock, server, pins));
  if (bytes.length > MAX_BYTES)
    throw new EngineError('config_invalid', `${LOCK_FILE} would be larger than ${MAX_BYTES} bytes`);
  const path = join(root, LOCK_FILE);
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
  writeDurably(dirname(path), path, bytes, { mode });
}
