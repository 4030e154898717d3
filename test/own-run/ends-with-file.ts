import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { describe, processesOf } from './processes.ts';

/** What a file of tests starts ends with it; who leaves something running fails. */
const started = new Set<ChildProcess>();
const note = (message: unknown): void => {
  if (typeof message !== 'object' || message === null || !('process' in message)) return;
  if (message.process instanceof ChildProcess) started.add(message.process);
};
subscribe('child_process', note);

/** One that talks with this process ends with it, and may serve file after file. */
const runs = (child: ChildProcess): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null && !child.connected;
const left = () => [...started].filter(runs);

// Registered first, it comes after all that the file itself does in its end.
afterAll(async () => {
  // Whoever is about to end may need a moment, and on a busy machine more than one.
  const [soon, late] = [performance.now() + 2000, performance.now() + 15_000];
  const mayEnd = ({ killed }: ChildProcess) => performance.now() < (killed ? late : soon);
  while (left().some(mayEnd)) await pause(20);
  const told = left().map(nameOf);
  // A test that is out of time goes on where it waited for one of these, and starts the next.
  for (let quiet = 0; quiet < 3; quiet += 1) {
    if (left().length > 0) quiet = 0;
    for (const child of left()) child.kill('SIGKILL');
    await pause(20);
  }
  unsubscribe('child_process', note);
  if (told.length > 0) throw new Error(`still running at the end of its file: ${told.join('; ')}`);
});

function nameOf({ pid, spawnargs }: ChildProcess): string {
  const known = processesOf(process.env.TMPDIR_OF_TESTS ?? '').find((each) => each.pid === pid);
  return known ? describe(known) : spawnargs.join(' ');
}
