import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, ENDED_FILE, kill, processesOf, type Running } from './processes.ts';

// A process beside a run of tests, which outlives it by a moment. It ends what has lost the one who started it (a worker of
// the tests that was killed), and when the run itself has ended, by whatever way, all that is left of it and its folder.
// Ctrl-C reaches everybody in a terminal, and this one has work to do then.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const { GUARDED_FOLDER: folder = '', GUARDED_RUN: run = '' } = process.env;
const LOOK_MS = 2000;

/** Those whose parent is gone: somebody else is the parent now. */
function orphans(): readonly Running[] {
  const all = processesOf(folder);
  const known = new Set([...all.map(({ pid }) => pid), Number(run)]);
  return all.filter(({ pid, parent }) => pid !== Number(run) && !known.has(parent));
}

const seen = { orphans: orphans() };
setInterval(() => {
  const now = orphans();
  // Twice in a row: a program may be between its parent's end and its own.
  for (const each of now.filter(({ pid }) => seen.orphans.some((other) => other.pid === pid))) {
    appendFileSync(join(folder, ENDED_FILE), `${describe(each)}\n`);
    kill(each);
  }
  seen.orphans = now;
}, LOOK_MS);

/** One that is ended may just have begun another. */
async function endAll(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet += 1) {
    const left = processesOf(folder);
    if (left.length > 0) quiet = 0;
    for (const each of left) kill(each);
    await pause(50);
  }
}

// Nothing is ever written there: it ends with the process that holds the other end.
process.stdin.on('end', async () => {
  await endAll();
  if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.exit();
});
process.stdin.resume();
