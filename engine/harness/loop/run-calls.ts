import type { ToolCall } from '#contract';
import { observe } from '../observe/observe.ts';
import { type Executed, executeCall } from '../tools/execute.ts';
import { type CallError, type Prepared, prepareCall } from '../tools/prepare.ts';
import { type LoopEvent, MAX_CRASHES } from './decide.ts';
import { resultOf } from './fold.ts';
import type { LoopRun } from './loop-run.ts';
import { addResult } from './state.ts';

type Runnable = Extract<Prepared, { verdict: 'run' }>;

/** Codes after which going on makes no sense: the run ends with a stated reply and the owner is told. */
const TERMINAL = new Set(['tool_not_found', 'unsupported_runtime_action', 'outbound_transport_not_configured']);

/** Asks every question about a turn's calls and stages the answers; those that may not run get their result now. */
export async function prepareTurn(run: LoopRun, calls: readonly ToolCall[]): Promise<readonly Prepared[]> {
  const { settings, state } = run;
  const free = Math.min(settings.limits.max_calls_per_turn, settings.limits.max_tool_calls - state.toolCalls);
  const prepared: Prepared[] = [];
  for (const [index, call] of calls.entries()) {
    const next =
      index < free ? await prepareOffered(run, call) : skipped(call, 'too many calls at once; ask again for this one');
    prepared.push(next);
    run.recorder.toolCall(call);
    if (next.permission) {
      const { verdict, risk, by } = next.permission;
      const code = next.permission.verdict === 'deny' ? next.permission.code : null;
      run.recorder.event('permission', { call_id: call.id, tool: call.name, verdict, code, risk, by });
    }
  }
  for (const next of prepared) {
    if (next.verdict === 'run') {
      run.recorder.event('tool_call_intended', { call_id: next.call.id, tool: next.call.name, risk: next.risk });
      run.state.pending?.intended.add(next.call.id);
    } else record(run, next.call, { ok: false, error: next.error, ms: 0 });
  }
  return prepared;
}

/** A tool that the model was shown but that has left the registry since ends the run; an invented one does not. */
async function prepareOffered(run: LoopRun, call: ToolCall): Promise<Prepared> {
  const prepared = await prepareCall(call, run.prepare);
  const offered = (run.settings.shown ?? run.settings.tools.map(({ name }) => name)).includes(call.name);
  if (prepared.verdict !== 'unknown' || !offered) return prepared;
  return { ...prepared, error: { code: 'tool_not_found', message: `${call.name} is no longer installed` } };
}

/**
 * Runs the prepared calls: neighbouring reads side by side, everything else in order. After a failure the
 * remaining calls that would change something are skipped. Results are committed by the caller.
 */
export async function runCalls(run: LoopRun, prepared: readonly Prepared[]): Promise<LoopEvent> {
  let failed = false;
  let group: Runnable[] = [];
  const flush = async () => {
    const outcomes = await Promise.all(group.map((next) => execute(run, next)));
    for (const [index, outcome] of outcomes.entries()) {
      const next = group[index];
      if (!next) continue;
      record(run, next.call, outcome);
      failed ||= !outcome.ok;
    }
    group = [];
  };
  for (const next of prepared) {
    if (next.verdict !== 'run') {
      failed = true;
      continue;
    }
    if (next.risk !== 'read' && group.length > 0) await flush();
    if (next.risk !== 'read' && failed) {
      record(run, next.call, {
        ok: false,
        error: skipped(next.call, 'an earlier call of this turn failed').error,
        ms: 0,
      });
      continue;
    }
    group.push(next);
    if (next.risk !== 'read') await flush();
  }
  await flush();
  run.pass('run.tool_executed');
  return terminalOf(run) ?? { type: 'observed' };
}

/**
 * After a restart: calls whose intent was committed and whose result was not. Reads are made again; what may
 * have changed something is not repeated silently, unless a repeat is harmless.
 */
export async function resumeTurn(run: LoopRun): Promise<LoopEvent> {
  const { pending } = run.state;
  const open = (pending?.calls ?? []).filter((call) => !pending?.results.has(call.id));
  const again: Prepared[] = [];
  for (const call of open) {
    // What the process died of three times is not tried a fourth time; its row still gets a result.
    if (run.crashes >= MAX_CRASHES) {
      record(run, call, { ok: false, error: UNKNOWN_EFFECT, ms: 0 });
      continue;
    }
    const prepared = await prepareOffered(run, call);
    if (prepared.verdict !== 'run') {
      record(run, call, { ok: false, error: prepared.error, ms: 0 });
      continue;
    }
    const { effect } = prepared.tool.definition;
    if (prepared.risk === 'read' || effect === 'none' || effect === 'idempotent') again.push(prepared);
    else record(run, call, { ok: false, error: UNKNOWN_EFFECT, ms: 0 });
  }
  return runCalls(run, again);
}

const UNKNOWN_EFFECT: CallError = {
  code: 'side_effect_unknown',
  message:
    'the process stopped during this call; it may or may not have taken effect. Say so, or look before trying again',
};

/** Throws when the gateway is stopping: what was cut off has no result yet, and the next start decides about it. */
async function execute(run: LoopRun, next: Runnable): Promise<Executed> {
  const executed = await executeCall(next, {
    contextFor: run.contextFor,
    defaultTimeoutMs: run.settings.limits.tool_timeout_s * 1000,
    signal: run.signal,
    now: run.clock.now,
  });
  run.signal.throwIfAborted();
  return executed;
}

/** Stages a call's end, its observation and its trace row, and hands it to the loop's state. */
function record(run: LoopRun, call: ToolCall, outcome: Executed): void {
  const seen = observe(call, outcome, run.artifacts);
  run.recorder.event('tool_call_ended', {
    call_id: call.id,
    tool: call.name,
    ok: seen.ok,
    code: seen.code,
    ms: outcome.ms,
  });
  run.recorder.event('observation', seen);
  run.recorder.toolResult(
    call,
    // A result that is an artifact already is not stored a second time inside the row's own artifact.
    outcome.ok
      ? { ok: true, ...(seen.artifact === null ? { result: outcome.result } : {}), artifact: seen.artifact }
      : { ok: false, error: { ...outcome.error }, artifact: null },
  );
  addResult(run.state, resultOf(seen), seen.code);
}

function skipped(call: ToolCall, message: string): Exclude<Prepared, Runnable> {
  return { verdict: 'skipped', call, error: { code: 'skipped', message }, permission: null };
}

/** A run that ends over its calls leaves none without a result: readers of the trace pair them up. */
export function skipOpenCalls(run: LoopRun): void {
  const { pending } = run.state;
  for (const call of pending?.calls ?? []) {
    if (pending?.results.has(call.id)) continue;
    record(run, call, { ok: false, error: skipped(call, 'the run ended before this call').error, ms: 0 });
  }
}

/** The newest terminal failure of this turn, if any. */
export function terminalOf(run: LoopRun): LoopEvent | null {
  const code = run.state.outcomes.find((outcome) => outcome.code !== null && TERMINAL.has(outcome.code))?.code;
  return code ? { type: 'terminal', code } : null;
}
