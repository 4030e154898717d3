import type { LoopState } from '../record/state.ts';
import type { Store } from '../storage/ports/store.ts';
import { APPROVED_STATES, type Approval, isChanged } from '../storage/types/approvals.ts';

/**
 * What has become of questions since the run was told which are open, in words for the model: an answer that says of something that it
 * waits must not leave after it was done. What the run itself has settled it knows.
 */
export async function settledSince(
  told: readonly string[],
  { outcomes }: Pick<LoopState, 'outcomes'>,
  store: Pick<Store, 'getApproval' | 'approvalsOfRun'>,
): Promise<readonly string[]> {
  const own = new Set(
    outcomes.flatMap(({ ok, tool, made }) => (ok && tool === CHANGE_WAITING ? [idIn(made?.call.arguments)] : [])),
  );
  const said: string[] = [];
  for (const id of told) {
    const asked = own.has(id) ? undefined : await store.getApproval(id);
    if (!asked || asked.state === 'pending') continue;
    const now = await inItsPlace(asked, store);
    if (now.state !== 'pending')
      said.push(`You were told that ${asked.tool} waits for an owner's yes. It does not any more: ${endOf(now)}.`);
  }
  return said;
}

const CHANGE_WAITING = 'change_waiting';
const idIn = (args: unknown): unknown => (typeof args === 'object' && args !== null ? Reflect.get(args, 'id') : null);

/** The newest form of a question; what was changed is asked about anew. */
async function inItsPlace(asked: Approval, store: Pick<Store, 'approvalsOfRun'>): Promise<Approval> {
  if (!isChanged(asked)) return asked;
  const rows = await store.approvalsOfRun(asked.run_id);
  return rows.findLast(({ call_id }) => call_id === asked.call_id) ?? asked;
}

function endOf({ state }: Approval): string {
  if (state === 'executed') return 'an owner has said yes, and it is done';
  if (state === 'failed') return 'an owner has said yes, and it failed';
  if (APPROVED_STATES.includes(state)) return 'an owner has said yes, and it is done by now or in a moment';
  if (state === 'rejected') return 'an owner has said no, and it is not done';
  return state === 'expired'
    ? 'nobody has answered in time, and it is not done'
    : 'nobody is asked any more, and it is not done';
}
