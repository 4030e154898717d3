import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../random.ts';

/**
 * A process that does to `files/` the worst that a shell there could do, as fast as it can: folders and files are
 * swapped for links to `outside` and back, and so is whatever looks like something unfinished. There is only one of
 * it: two would lead each other outside. Says when it has begun, and how often it swapped something when its parent wants
 * it to end.
 */

const [, , files = '', outside = '', seed = '1'] = process.argv;
const random = seededRandom(Number(seed));
const counts = { swaps: 0, junk: 0 };

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    // Somebody was faster.
    return false;
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const junk = (): string => {
  counts.junk += 1;
  return join(files, `.junk-${counts.junk}`);
};

/** For a moment a link to something outside stands there. */
function swap(path: string, target: string, moments: number): void {
  const away = junk();
  if (!attempt(() => renameSync(path, away))) return;
  if (attempt(() => symlinkSync(target, path))) counts.swaps += 1;
  for (let moment = 0; moment < moments; moment += 1) hunt();
  attempt(() => unlinkSync(path));
  // A tool has made another meanwhile: that goes away instead.
  if (!attempt(() => renameSync(away, path))) attempt(() => rmSync(away, { recursive: true, force: true }));
}

/** What is unfinished: the whole of it becomes a link, or a folder in it that is removed with all that is in it. */
function hunt(): void {
  for (const name of readdirSync(files)) {
    if (!name.startsWith('.epistle-')) continue;
    const path = join(files, name);
    // One of its own links: what it did below would be done outside, by itself.
    if (!isFolder(path)) continue;
    if (random.chance(0.5)) swapWithin(path);
    else if (attempt(() => renameSync(path, junk())) && attempt(() => symlinkSync(outside, path))) counts.swaps += 1;
  }
}

function swapWithin(folder: string): void {
  const inner = join(folder, 'inner');
  attempt(() => mkdirSync(inner));
  for (let round = 0; round < 20; round += 1) {
    attempt(() => renameSync(inner, `${inner}-${round}`));
    if (attempt(() => symlinkSync(outside, inner))) counts.swaps += 1;
    attempt(() => unlinkSync(inner));
    attempt(() => mkdirSync(inner));
  }
}

function clean(): void {
  for (const name of readdirSync(files)) {
    if (name.startsWith('.junk-')) attempt(() => rmSync(join(files, name), { recursive: true, force: true }));
  }
}

function round(): void {
  hunt();
  swap(join(files, 'dir'), outside, random.between(0, 30));
  // Nobody else makes links, so what is a folder now cannot lead this process outside.
  if (isFolder(join(files, 'dir'))) {
    swap(join(files, 'dir/sub'), join(outside, 'sub'), random.between(0, 10));
    swap(join(files, 'dir/a.txt'), join(outside, 'a.txt'), random.between(0, 10));
  }
  swap(join(files, 'a.txt'), '../../../outside/a.txt', 1);
  swap(join(files, 'other'), '../../../outside', random.between(0, 10));
  clean();
}

const soon = (): void => {
  round();
  setImmediate(soon);
};
round();
process.send?.('begun');
process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.(counts.swaps, () => process.exit(0)));
soon();
