import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { HOUR_MS } from '../lib/time.ts';
import { type Blobs, createBlobs } from './blobs.ts';
import { personaFiles } from './persona-files.ts';
import type { GatewayStore } from './ports/gateway.ts';
import type { Stores } from './ports/store.ts';
import { moveRaw } from './raw-mail.ts';

interface SweepDeps {
  readonly dataDir: string;
  readonly stores: Stores;
  readonly gateway: Pick<GatewayStore, 'deadLetterFiles'>;
  readonly clock: Clock;
}

/** Mail is named by a row at once, the result of a tool when the step that it belongs to is committed. */
const NAMED_WITHIN_MS = { mail: HOUR_MS, artifacts: 24 * HOUR_MS };
/** Hashes that are looked for in one pass over a persona's rows. */
const PASS = 20_000;
/** Files that are looked at in one sweep: a large workspace is swept over several. */
const MAX_FILES = 200_000;
/** Between two pages of rows: what arrives meanwhile comes first. */
const BREATH_MS = 10;

/**
 * Makes files of the mail that a killed gateway left in rows, and removes the bytes that no row names: of a mail whose process died before its rows were committed, of mail that its
 * rows kept from being answered, and of what is named no longer. Begins at the persona that `from` (0 to 1) picks.
 * Returns how many there were; rejects when `signal` is aborted.
 */
export async function sweepUnnamed(deps: SweepDeps, from: number, signal: AbortSignal): Promise<number> {
  const personas = await namesIn(join(deps.dataDir, 'personas'));
  const first = Math.floor(from * personas.length);
  const left = { files: MAX_FILES };
  let removed = await sweepQuarantine(deps);
  for (const id of [...personas.slice(first), ...personas.slice(0, first)]) {
    if (left.files <= 0) break;
    // Bytes without a database may be all that somebody has left.
    if (!deps.stores.exists(id)) continue;
    await deps.stores.use(id, (store) => moveRaw(store, personaFiles(deps.dataDir, id)));
    for (const kind of ['mail', 'artifacts'] as const) removed += await sweepFolder(deps, { id, kind }, left, signal);
    await deps.clock.sleep(BREATH_MS, signal);
  }
  return removed;
}

async function sweepQuarantine({ dataDir, gateway, clock }: SweepDeps): Promise<number> {
  const folder = join(dataDir, 'quarantine');
  const hashes = hashesOf(await namesIn(folder));
  const named = await gateway.deadLetterFiles();
  const unnamed = hashes.filter((hash) => !named.has(`${hash}.eml`));
  return removeAll(createBlobs(folder, '.eml'), unnamed, clock.now() - HOUR_MS);
}

async function sweepFolder(
  { dataDir, stores, clock }: SweepDeps,
  { id, kind }: { id: string; kind: 'mail' | 'artifacts' },
  left: { files: number },
  signal: AbortSignal,
): Promise<number> {
  const { [kind]: blobs, artifacts } = personaFiles(dataDir, id);
  const hashes = hashesOf(await namesIn(join(dataDir, 'personas', id, kind)));
  const how = {
    contentOf: async (hash: string) =>
      artifacts.has(hash) ? Buffer.from(await artifacts.get(hash)).toString('latin1') : '',
    breathe: () => clock.sleep(BREATH_MS, signal),
  };
  let removed = 0;
  for (let start = 0; start < hashes.length && left.files > 0; start += PASS) {
    const some = hashes.slice(start, start + PASS);
    left.files -= some.length;
    const unnamed = await stores.use(id, (store) => store.unnamedBlobs(some, how));
    removed += removeAll(blobs, [...unnamed], clock.now() - NAMED_WITHIN_MS[kind]);
  }
  return removed;
}

const removeAll = (blobs: Blobs, hashes: readonly string[], before: number): number =>
  hashes.filter((hash) => blobs.removeUnnamed(hash, before)).length;

const hashesOf = (names: readonly string[]): string[] =>
  names.flatMap((name) => /^([0-9a-f]{64})(?:\.eml)?$/.exec(name)?.[1] ?? []);

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
