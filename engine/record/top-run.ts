import type { Store } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

/** The run at the top of a tree of child runs: whoever wrote its mail is waiting, and owners are asked about that mail. */
export async function topRunOf(store: Pick<Store, 'getRun'>, run: StoredRun): Promise<StoredRun> {
  const parent = run.parent_run_id === null ? undefined : await store.getRun(run.parent_run_id);
  return parent ? topRunOf(store, parent) : run;
}
