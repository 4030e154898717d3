import type { Executable } from '../../policy/call.ts';
import type { LoopState } from '../../record/state.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { suspensionId } from '../../suspensions/outside.ts';
import type { Executed } from '../observe/executed.ts';

/** So many calls of one persona may have work under way elsewhere. */
const MAX_OUTSIDE = 3;

/**
 * Makes a call whose result may come later, only while its persona has fewer of them under way than it may. The place is
 * taken before the call is made, and kept over a restart.
 */
export function withinOutsideWork({
  store,
  run,
  state,
  now,
}: {
  readonly store: Pick<Store, 'beginSuspension' | 'dropBegun'>;
  readonly run: Pick<StoredRun, 'id'>;
  readonly state: Pick<LoopState, 'modelCalls'>;
  now(): number;
}) {
  return async ({ call, tool }: Executable, make: () => Promise<Executed>): Promise<Executed> => {
    const at = now();
    const id = suspensionId(run.id, state.modelCalls, call.id);
    const begun = { id, run_id: run.id, call_id: call.id, tool: tool.name, kind: 'external', state: 'begun' } as const;
    const row = { ...begun, payload: null, due_at: at, result: null, created_at: at, ended_at: null };
    if (!(await store.beginSuspension(row, MAX_OUTSIDE))) return { ok: false, error: TOO_MANY, ms: 0, at };
    const executed = await make();
    if (!executed.ok || !executed.wait) await store.dropBegun(id);
    return executed;
  };
}

const TOO_MANY = {
  code: 'policy_quota_exceeded',
  message: `${MAX_OUTSIDE} calls wait for results from elsewhere, and no more may at a time; it was not begun`,
  hint: 'say that it was not begun, and that it can be asked for again when one of the others is done',
  retryable: true,
};
