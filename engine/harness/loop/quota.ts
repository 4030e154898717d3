import type { Executable, Refused } from '../../policy/call.ts';
import { judge } from '../../policy/judges.ts';
import { quotaDenial } from '../../policy/refusal.ts';
import type { LoopRun } from './loop-run.ts';

/** Null: it may be made, and is counted where it is to be made now. A call that waits for an owner is only asked about. */
export async function overQuota(
  run: Pick<LoopRun, 'useTool'>,
  next: Executable,
  reserves: boolean,
): Promise<Refused | null> {
  const quota = await run.useTool(next.call, reserves);
  if (quota === null) return null;
  const { call, permission } = next;
  const error = quotaDenial(quota, call.name);
  const { asked } = permission;
  return { verdict: 'denied', call, error, permission: asked ? judge({ ...asked, quota }) : permission };
}
