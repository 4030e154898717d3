import { lstatSync, readdirSync, realpathSync, rmdirSync, unlinkSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#contract';
import type { Clock } from '../lib/clock.ts';
import { type HeldFolder, holdFolder } from '../lib/files/held-folder.ts';
import { DAY_MS } from '../lib/time.ts';
import type { GatewayStore } from './ports/gateway.ts';
import type { Stores } from './ports/store.ts';
import { sweepUnnamed } from './sweep-unnamed.ts';

const PRUNE_EVERY_MS = 10_000;
/** What is left in `seen` of mail that nobody answers and whose sender is nobody's. */
const SEEN = { days: 30, rows: 20_000, batch: 500 };
/** Mail that was taken in and stopped is kept for at least so long, also where no refused mail is. */
const TAKEN_DAYS = 14;
/** Fewer new rows are not looked after before an hour is over. */
const NEW_ROWS = 500;
const BREATH_MS = 20;

export interface Upkeep {
  /** Resolves when nothing of it is under way. */
  stop(): Promise<void>;
}

/**
 * Removes what nobody needs any more, away from all mail: what killed writers left, bytes that no row names (after the
 * start and once a day), and rows about strangers' mail that are too old or too many.
 */
export function startUpkeep(deps: {
  readonly dataDir: string;
  readonly stores: Stores;
  readonly gateway: GatewayStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** What else is done after the start and once a day. */
  daily(signal: AbortSignal): Promise<void>;
  /** How long refused mail is kept, in days. */
  quarantineDays(): number;
}): Upkeep {
  const { gateway, clock, log, random } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const swallow = (what: string) => (error: unknown) => {
    if (!signal.aborted) log.warn({ error: String(error).slice(0, 500) }, what);
  };

  const sweep = async () => {
    await sweepHalfWritten(deps.dataDir, clock.now(), random());
    await sweepUnnamed(deps, random(), signal);
  };

  const looked = { id: -NEW_ROWS, at: 0 };
  const prune = async () => {
    const now = clock.now();
    const newest = await gateway.newestSeen();
    if (newest - looked.id < NEW_ROWS && now - looked.at < 3_600_000) return;
    const kept = deps.quarantineDays();
    // Without its row, a mail that is kept would be found by nobody.
    const limits = { olderThan: now - Math.max(SEEN.days, kept) * DAY_MS, rows: SEEN.rows, batch: SEEN.batch };
    while ((await gateway.pruneSeen(limits)) >= SEEN.batch) await clock.sleep(BREATH_MS, signal);
    await gateway.pruneRefused({ refused: now - kept * DAY_MS, taken: now - Math.max(TAKEN_DAYS, kept) * DAY_MS });
    Object.assign(looked, { id: newest, at: now });
  };

  const every = async (ms: number, work: () => Promise<void>, what: string) => {
    while (!signal.aborted) {
      await work().catch(swallow(what));
      await clock.sleep(ms, signal).catch(() => {});
    }
  };
  const under = Promise.all([
    every(PRUNE_EVERY_MS, prune, 'old rows about refused mail could not be removed'),
    every(DAY_MS, () => deps.daily(signal), 'what is done once a day could not be done'),
    every(DAY_MS, sweep, 'files that nobody needs could not be looked for'),
  ]);
  return {
    async stop() {
      ending.abort();
      await under;
    },
  };
}

/** Younger ones may be a living writer's, such as a command's beside the gateway. */
const OLD_MS = 3_600_000;
/** Names that are looked at in one start: a large workspace is swept over several. */
const MAX_NAMES = 200_000;
/** Each level of files/ costs an open folder. */
const MAX_DEPTH = 64;

/** What `writeDurably` writes under before it renames. */
const HALF_WRITTEN = /\.[0-9a-f]{8}\.tmp$/;
/** What is made of a persona's files in `tmp/`. */
const UNFINISHED = /^[0-9a-f]{16}$/;
/** The same in `files/` itself: where that is a disk of its own, and folders of earlier versions. */
const ASIDE = /^\.epistle-/;

/**
 * Removes what killed writers left half-written, one folder after the other, from a persona on that `from` (0 to 1)
 * picks. Returns how many there were. Never throws: what cannot be looked at stays.
 *
 * A shell may work in files/ meanwhile, and swap a folder for a link. So all there is done from the open folder, one
 * name at a time, and nothing with all that is in it.
 */
export async function sweepHalfWritten(dataDir: string, now: number, from: number): Promise<number> {
  const left = { names: MAX_NAMES, removed: 0 };

  /** Looks at each name of a folder, which it closes, and of those in it, as `of` says. */
  async function sweepHeld(folder: HeldFolder, of: Wanted): Promise<void> {
    try {
      for await (const { name } of await opendir(folder.at('.'))) {
        left.names -= 1;
        if (left.names < 0) return;
        if (of.isLeft.test(name)) left.removed += removeOld(folder, name, now) ? 1 : 0;
        else if (of.levels > 1) await sweepIn(folder, name, { ...of, levels: of.levels - 1 });
      }
    } catch {
      // It vanished, or the disk failed: the next start looks again.
    } finally {
      folder.close();
    }
  }
  async function sweepIn(parent: HeldFolder, name: string, of: Wanted): Promise<void> {
    // What is no folder, or a link, cannot be held.
    const folder = unlessFails(() => holdFolder(parent.at(name)));
    if (folder) await sweepHeld(folder, of);
  }
  /** By way of links that an owner made: no shell reaches what is above. */
  async function sweep(path: string, of: Wanted): Promise<void> {
    const folder = unlessFails(() => holdFolder(realpathSync(path)));
    if (folder) await sweepHeld(folder, of);
  }

  const personas = await namesIn(join(dataDir, 'personas'));
  const first = Math.floor(from * personas.length);
  const halves = { isLeft: HALF_WRITTEN, levels: 1 };
  for (const folder of ['.', 'outgoing', 'quarantine']) await sweep(join(dataDir, folder), halves);
  for (const id of [...personas.slice(first), ...personas.slice(0, first)]) {
    if (left.names <= 0) break;
    const folder = join(dataDir, 'personas', id);
    for (const blobs of ['mail', 'artifacts', 'undo']) await sweep(join(folder, blobs), halves);
    await sweep(join(folder, 'tmp'), { isLeft: UNFINISHED, levels: 1 });
    await sweep(join(folder, 'files'), { isLeft: ASIDE, levels: MAX_DEPTH });
  }
  return left.removed;
}

interface Wanted {
  readonly isLeft: RegExp;
  /** 1: the names of the folder alone. */
  readonly levels: number;
}

/** A file, or a folder with nothing but files in it; of any other the rest stays. */
function removeOld(folder: HeldFolder, name: string, now: number): boolean {
  return (
    unlessFails(() => {
      const found = lstatSync(folder.at(name));
      if (now - found.mtimeMs < OLD_MS) return false;
      if (found.isDirectory()) removeFolder(folder, name);
      else unlinkSync(folder.at(name));
      return true;
    }) ?? false
  );
}

function removeFolder(parent: HeldFolder, name: string): void {
  const folder = holdFolder(parent.at(name));
  try {
    for (const file of readdirSync(folder.at('.'))) unlinkSync(folder.at(file));
  } finally {
    folder.close();
  }
  rmdirSync(parent.at(name));
}

function unlessFails<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  const entries = await opendir(folder).catch(() => null);
  if (entries) for await (const { name } of entries) names.push(name);
  return names;
}
