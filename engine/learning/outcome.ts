import type { RunLog } from '../record/run-log.ts';
import type { PlaybookOutcome } from '../storage/types/learning/playbooks.ts';
import type { StoredRun } from '../storage/types/runs.ts';

/** Ends of a mail: it is there, it is not, or nobody knows yet. */
export type Delivery = 'delivered' | 'not_delivered' | 'open';

/** A refusal by policy is no failure of a tool, and a call that was not made is none. */
const NO_FAILURE = /^(?:policy_|skipped$)/;
const ANSWERED: ReadonlySet<string> = new Set(['final', 'clarification']);

/**
 * How a run went, by nothing but what is on record of it. Null: nothing was to be learned of it. `advised`: the tools of
 * the steps that its playbook advises.
 */
export function outcomeOf(
  run: StoredRun,
  log: RunLog,
  of: { readonly isDelivered: boolean; readonly advised: readonly string[]; readonly at: number },
): PlaybookOutcome | null {
  const selected = log.last('playbook_selected')?.data;
  if (!selected) return null;
  const { mode } = selected;
  const observed = log.of('observation').map(({ data }) => data);
  const isBroken = observed.some(({ ok, code }) => !ok && !NO_FAILURE.test(code ?? ''));
  const left = log.has('playbook_left');
  const ended = log.last('run_ended')?.data;
  const steps = new Set(log.of('playbook_step').map(({ data }) => data.call.id));
  const byModel = observed.filter(({ call_id, same_as }) => same_as === undefined && !steps.has(call_id));
  const delegated = mode === 'policy' && (left || byModel.length > 0);
  const isDone = mode === 'policy' ? steps.size > 0 && !delegated : follows(observed, of.advised);
  const wasStopped = observed.some(({ code, call_id }) => code === 'policy_denied' && deniedByPlaybook(log, call_id));
  // Nothing was done since the playbook forbids it: that is what it is for, and no failure of its own.
  const isKeptFrom = wasStopped && log.last('receipt')?.data.in_vain === true;
  return {
    run_id: run.id,
    thread_id: run.thread_id,
    kind: selected.kind,
    version_id: selected.version_id ?? null,
    mode,
    succeeded: flag((ANSWERED.has(ended?.outcome ?? '') || isKeptFrom) && of.isDelivered),
    failed: flag(isBroken || ended?.status === 'failed' || run.crashes > 0 || hasBroken(log)),
    used: flag(mode !== 'none'),
    delegated: flag(delegated),
    followed: flag(mode !== 'none' && isDone && !wasStopped),
    model_calls: run.model_calls,
    tokens: run.input_tokens + run.output_tokens,
    at: of.at,
  };
}

const flag = (is: boolean): 0 | 1 => (is ? 1 : 0);

/** A playbook that stands aside has not failed; one whose step does not bring what it is to bring has. */
const hasBroken = (log: RunLog): boolean => log.of('playbook_left').some(({ data }) => data.reason === 'unexpected');

const deniedByPlaybook = (log: RunLog, callId: string): boolean =>
  log.lastOfCall('permission', callId)?.data.by.startsWith('playbook ') ?? false;

/** Whether all that was advised was done, in its order, with whatever else between. */
function follows(
  observed: readonly { readonly tool: string; readonly ok: boolean }[],
  advised: readonly string[],
): boolean {
  if (advised.length === 0) return false;
  let next = 0;
  for (const { tool, ok } of observed) if (ok && tool === advised[next]) next += 1;
  return next === advised.length;
}
