import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, ENDED_FILE, isOnItsOwn, kill, parentOf, processesOf, type Running } from './processes.ts';

// A process beside a run of tests, which outlives it by a moment. It ends what has lost the one who started it (a worker of
// the tests that was killed), and when the run itself has ended, by whatever way, all that is left of it and its folder.
// Ctrl-C reaches everybody in a terminal, and this one has work to do then.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const { GUARDED_FOLDER: folder = '', GUARDED_RUN: run = '' } = process.env;
const LOOK_MS = 2000;
/** How often in a row somebody is seen alone before it is ended: on a busy machine a worker needs seconds to end by itself. */
const LOOKS = 5;

/** Everybody who was ever there. */
const known = new Set<number>();

function everybody(): readonly Running[] {
  const all = processesOf(folder);
  for (const { pid } of all) known.add(pid);
  return all;
}

/**
 * Those who have lost the one who started them, or who started that one: somebody else is their parent now. A service of a
 * test, as `setup` starts one, has nobody from its first moment; it ends with the run at the latest. So has what a browser
 * starts to note its crashes, which ends with the browser.
 */
function orphans(): readonly Running[] {
  const all = everybody();
  const ours = new Set([...all.map(({ pid }) => pid), Number(run)]);
  const isHeld = (pid: number): boolean => ours.has(pid) || (pid > 1 && isHeld(parentOf(pid)));
  return all.filter(
    ({ pid, parent, command }) =>
      pid !== Number(run) && !isHeld(parent) && !isOnItsOwn(pid) && !NOTES_CRASHES.test(command),
  );
}

const NOTES_CRASHES = /^\S*\/chrome_crashpad_handler\s/;

/** By process, how often in a row it was seen alone. */
const alone = new Map<number, number>();
setInterval(() => {
  const now = orphans();
  for (const pid of alone.keys()) if (!now.some((each) => each.pid === pid)) alone.delete(pid);
  for (const each of now) {
    const looks = (alone.get(each.pid) ?? 0) + 1;
    alone.set(each.pid, looks);
    if (looks < LOOKS) continue;
    appendFileSync(join(folder, ENDED_FILE), `${describe(each)}\n`);
    kill(each);
  }
}, LOOK_MS);

/** One that is ended may just have begun another. */
async function endAll(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet += 1) {
    const left = everybody();
    if (left.length > 0) quiet = 0;
    for (const each of left) kill(each);
    await pause(50);
  }
}

// Nothing is ever written there: it ends with the process that holds the other end.
process.stdin.on('end', async () => {
  await endAll();
  // What libfaketime keeps for a process (`scripts/test --at`), it does not remove where that is killed.
  for (const pid of known)
    for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
      rmSync(join('/dev/shm', name), { force: true });
  if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.exit();
});
process.stdin.resume();
