import type { Configs, Persona } from '../../config/types.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { factsOf } from '../../policy/surface.ts';
import { suspensionDue } from '../../record/jobs/job-kinds.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Suspension } from '../../storage/types/suspensions.ts';
import { outsideKind } from '../../suspensions/kinds.ts';
import type { OutsideOutcome, WakeDecision } from '../../suspensions/outside.ts';
import { executeCall } from '../execute.ts';
import { type ToolDeps, toolsForRun } from '../for-run.ts';
import type { Executed } from '../observe/executed.ts';
import { surfaceFor } from '../run-surface.ts';

/** No tool is asked more often. */
const LEAST_MS = 1000;
const OVER: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);

interface TimerDeps extends ToolDeps {
  configs(): Configs;
  readonly announce: Announce;
  readonly pass: PassCrashPoint;
}

/** When a suspended call is looked after again, or how it ends. */
type Next = Extract<WakeDecision, { do: 'end' }> | { readonly do: 'wait'; readonly until: number };

/**
 * Looks after one suspended call: asks its tool what came of it, and ends it with the result or when its time is over.
 * A crash in between asks once more; the result is taken once.
 */
export function createSuspensionTimer(deps: TimerDeps): JobHandler {
  return handleJobs(suspensionDue, async (persona, job, store, signal) => {
    const row = await store.getSuspension(job.payload.suspension_id);
    const run = row && (await store.getRun(row.run_id));
    if (row?.state !== 'open' || !run || OVER.has(run.status)) return store.endJob(job.id);
    const next = await nextOf(deps, { persona, store, signal, row });
    const now = deps.clock.now();
    if (next.do === 'wait') return store.delayJob(job.id, next.until);
    const { state, outcome } = next;
    const by = state === 'timed_out' ? 'timer' : 'check';
    const end = { id: row.id, state, result: { ...outcome }, by, now };
    // The run goes on: whoever works here, or in another process, is told.
    const isEnded = await deps.announce(persona.id, now, () => store.endSuspension(end, job.id));
    if (isEnded) deps.pass('run.event.resumed');
  });
}

interface Waiting {
  readonly persona: Persona;
  readonly store: Store;
  readonly signal: AbortSignal;
  readonly row: Suspension;
}

async function nextOf(deps: TimerDeps, waiting: Waiting): Promise<Next> {
  const { row, signal } = waiting;
  const wake = outsideKind(row)?.wakes(row, deps.clock.now()) ?? unknown(row, deps.clock.now());
  if (wake.do !== 'check') return wake;
  const executed = await check(deps, waiting, wake.id);
  // Stopped by us: it is asked again at the next start.
  signal.throwIfAborted();
  const now = deps.clock.now();
  const until = (at: number): Next => ({ do: 'wait', until: Math.min(row.due_at, Math.max(now + LEAST_MS, at)) });
  if (executed.ok && executed.wait) return until(executed.wait.wakeAt);
  if (!executed.ok && RETRIED.has(executed.error.code)) return until(now + wake.againMs);
  return { do: 'end', state: 'resolved', outcome: outcomeOf(executed) };
}

/** That nobody could be asked says nothing of what was begun. */
const RETRIED: ReadonlySet<string> = new Set(['tool_failed', 'tool_timeout', 'cancelled']);

const outcomeOf = (executed: Executed): OutsideOutcome => {
  if (!executed.ok) return { ok: false, error: { code: executed.error.code, message: executed.error.message } };
  const { result, facts } = executed;
  return { ok: true, result, ...(facts && { facts }) };
};

/** What a later version has left is nothing that can be asked about here. */
const unknown = ({ kind, due_at }: Suspension, now: number): Next => {
  if (now < due_at) return { do: 'wait', until: due_at };
  const message = `timed_out: nothing here knows what a call of the kind ${kind} waits for`;
  return { do: 'end', state: 'timed_out', outcome: { ok: false, error: { code: 'tool_timeout', message } } };
};

/** Like a call of the tool: under its deadline, with what it may use, and only while it may still be called. */
async function check(deps: TimerDeps, { persona, store, signal, row }: Waiting, id: string): Promise<Executed> {
  const tool = deps.tools().get(row.tool);
  const run = await store.getRun(row.run_id);
  const configs = deps.configs();
  const refused = (code: string, message: string): Executed => ({ ok: false, error: { code, message }, ms: 0 });
  if (!tool?.definition.check || !run) return refused('not_found', `${row.tool} is not installed any more`);
  const user = {
    persona,
    configs,
    run,
    store,
    signal,
    reading: null,
    toldBack: null,
    isTainted: () => true,
    stage: () => {},
    stageFact: () => {},
    stageJob: () => {},
    stageChild: () => {},
  };
  const { refusal } = surfaceFor({ tools: deps.tools(), hooks: deps.hooks() }, user);
  const off = refusal(factsOf(tool));
  if (off !== null) return refused(off.code, `${row.tool} may not be used any more`);
  const { contextFor } = await toolsForRun(deps, user, refusal);
  return executeCall(
    { tool, args: null },
    { contextFor, defaultTimeoutMs: configs.inference.tool_timeout_s * 1000, signal, now: deps.clock.now },
    async (context) => tool.definition.check?.(id, context) ?? null,
  );
}
