import { startWorker, type Worker } from '../../engine/app/worker.ts';
import { processSettings } from '../../engine/config/environment.ts';
import { silentLog } from '../../engine/lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../engine/workspace.ts';

/** The real gateway inside this process, without a listener. */
export async function openWorker(root: string, work: boolean): Promise<{ workspace: Workspace; worker: Worker }> {
  const workspace = openWorkspace({ root, settings: processSettings({}), makeLog: () => silentLog });
  return { workspace, worker: await startWorker(workspace, { work }) };
}
