import { EngineError } from '#contract';
import { forgetReady } from '../../app/ready-file.ts';
import { runningGateway } from '../../queries/gateway/running.ts';
import { type Ended, waitForRun } from '../../queries/runs/wait-for-run.ts';
import type { Workspace } from '../../workspace.ts';

const LOCK_WAIT_MS = 10_000;
/** For what follows the end: its mail on its way out. */
const AFTERWARDS_MS = 5000;

/** Waits until a run is over; where no gateway runs, works it here. */
export const workUntilEnded = (workspace: Workspace, persona: string, runId: string, waitMs: number): Promise<Ended> =>
  workWhile(workspace, () => waitForRun(workspace, persona, runId, waitMs));

/** Waits for something that a gateway works on; where none runs, works meanwhile. */
export async function workWhile<Found>(workspace: Workspace, wait: () => Promise<Found>): Promise<Found> {
  const { clock, dataDir } = workspace;
  const worker = runningGateway(workspace)
    ? null
    : await (await import('../../app/worker.ts'))
        .startWorker(workspace, {
          lockWaitMs: LOCK_WAIT_MS,
          waitIsVain: () => runningGateway(workspace) !== null,
        })
        .catch((error: unknown) => {
          // One that has just been started works it as well.
          if (error instanceof EngineError && error.code === 'workspace_locked') return null;
          throw error;
        });
  if (!worker) return wait();
  forgetReady(dataDir);
  try {
    const found = await wait();
    const enough = new AbortController();
    await Promise.race([worker.dispatcher.idle(), clock.sleep(AFTERWARDS_MS, enough.signal).catch(() => {})]);
    enough.abort();
    return found;
  } finally {
    await worker.stop(2000);
  }
}
