import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { LOOK_MS, recordOf, STILL_MS } from './record.ts';

/**
 * Resolves when a gateway has died where it was to die (`EPISTLE_CRASH_AT`). As long as anything happens on its record,
 * that is waited for; where nothing does any more, or it ends in another way, it has not come there: it is ended, and this
 * rejects with what its record says.
 */
export async function deathOf(
  { process: child, log }: { readonly process: ChildProcess; log(): string },
  { root, at, stillMs = STILL_MS }: { readonly root: string; readonly at: string; readonly stillMs?: number },
): Promise<void> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const seen = { record: recordOf(root), since: performance.now() };
  while (!hasEnded() && performance.now() - seen.since < stillMs) {
    await pause(LOOK_MS);
    const record = recordOf(root);
    if (record !== seen.record) Object.assign(seen, { record, since: performance.now() });
  }
  if (child.signalCode === 'SIGKILL') return;
  const how = hasEnded() ? `ended with ${child.exitCode ?? child.signalCode}` : 'did nothing any more';
  if (!hasEnded()) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  throw new Error(`the gateway ${how} and did not come to ${at}: ${seen.record}\n${log()}`);
}
