import { chmodSync, closeSync, constants, lstatSync, opendirSync, openSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type HeldFolder, holdFolder } from '../../lib/files/held-folder.ts';

/** How much there is of files/. */
export interface Used {
  readonly bytes: number;
  /** Files, folders and links. */
  readonly entries: number;
}

/** Files, folders and links below one `files/`: each costs a system call whenever all is measured. */
export const MAX_ENTRIES = 100_000;
/** What is deeper counts as too much: each level costs an open folder while it is measured. */
const MAX_DEPTH = 64;
/** A few milliseconds of looking. */
const ENTRIES_AT_ONCE = 256;
/** Linux: opens a folder that must not be read, too, so that its rights can be mended. Node has no name for it. */
const O_PATH = 0o10000000;

/** What one entry takes of the disk. Space may be reserved beyond the end of a file, and a file may be full of holes. */
export const weightOf = ({ size, blocks }: Pick<Stats, 'size' | 'blocks'>): number => Math.max(size, blocks * 512);

export const isOver = ({ bytes, entries }: Used, maxBytes: number): boolean =>
  bytes > maxBytes || entries > MAX_ENTRIES;

/** All below `root`, a part at a time, so that nothing else waits for it. Nothing at all where there is no such folder. */
export async function measure(root: string): Promise<Used> {
  const walk = walkBelow(root);
  for (let step = walk.next(); ; step = walk.next()) {
    if (step.done) return step.value;
    await setImmediate();
  }
}

/**
 * What is swapped for a link meanwhile is not followed, what vanishes counts no more, and what is hidden by its rights
 * gets them back. Ends early where there is too much to count.
 */
function* walkBelow(root: string): Generator<undefined, Used> {
  const used = { bytes: 0, entries: 0 };
  const top = unlessGone(() => holdFolder(root));
  if (top) yield* within(top, 1, used);
  return used;
}

type Counted = { -readonly [Key in keyof Used]: Used[Key] };

function* within(folder: HeldFolder, depth: number, used: Counted): Generator<undefined> {
  try {
    if (depth > MAX_DEPTH) used.entries = MAX_ENTRIES + 1;
    else yield* countAll(folder, depth, used);
  } finally {
    folder.close();
  }
}

function* countAll(folder: HeldFolder, depth: number, used: Counted): Generator<undefined> {
  for (const name of namesIn(folder)) {
    used.entries += 1;
    if (used.entries > MAX_ENTRIES) return;
    if (used.entries % ENTRIES_AT_ONCE === 0) yield;
    const found = unlessGone(() => lstatSync(folder.at(name)));
    used.bytes += found ? weightOf(found) : 0;
    const inner = found?.isDirectory() ? unlessGone(() => holdReadable(folder, name, found.mode)) : undefined;
    if (inner) yield* within(inner, depth + 1, used);
  }
}

function* namesIn(folder: HeldFolder): Generator<string> {
  const entries = unlessGone(() => opendirSync(folder.at('.')));
  if (!entries) return;
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) yield entry.name;
  } finally {
    entries.closeSync();
  }
}

/** A shell may take the right to read a folder away, and with it the sight of all that lies in there. */
function holdReadable(parent: HeldFolder, name: string, mode: number): HeldFolder {
  const path = parent.at(name);
  if ((mode & 0o700) !== 0o700 && process.platform === 'linux') {
    const fd = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      chmodSync(`/proc/self/fd/${fd}`, 0o700);
    } finally {
      closeSync(fd);
    }
  }
  return holdFolder(path);
}

/** Whatever the reason: what cannot be looked at now is looked at when it is measured next. */
function unlessGone<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
