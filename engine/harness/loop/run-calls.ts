import type { ToolCall } from '#contract';
import { withDefaults } from '../../learning/places.ts';
import {
  afterWhatItNeeds,
  failedOf,
  type IsAfterFailure,
  type MissedCall,
} from '../../policy/approval/after-failure.ts';
import { holdInOrder } from '../../policy/approval/plan.ts';
import { auditDenial } from '../../policy/audit.ts';
import { type CallError, type Executable, isExecutable, type Prepared, type RefusedCall } from '../../policy/call.ts';
import { AFTER_FAILURE, refusedByQuota, skipped, tooMany } from '../../policy/refusal.ts';
import type { Observation } from '../../record/codec/fields.ts';
import type { LoopEvent } from '../../record/decisions.ts';
import { ANSWER, readAnswer } from '../../record/declared.ts';
import { OWN_WORDS } from '../../record/own-words.ts';
import type { PinnedSettings } from '../../record/settings.ts';
import type { LoopState } from '../../record/state.ts';
import { isHeld } from '../../tools/held-calls.ts';
import type { Executed } from '../../tools/observe/executed.ts';
import { observe } from '../../tools/observe/observe.ts';
import type { LoopRun } from './loop-run.ts';
import { suspend } from './suspend.ts';
import { waitsFor } from './waits-for.ts';

/** Codes after which going on makes no sense: the run ends with a stated reply and the owner is told. */
const TERMINAL = new Set(['tool_not_found', 'unsupported_runtime_action', 'outbound_transport_not_configured']);

/**
 * Asks every question about a turn's calls; of those that say the same, once. Those that may not run get their
 * result now; those that need an owner are held, and with them what depends on them (`holdInOrder`).
 */
export async function prepareTurn(run: LoopRun, calls: readonly ToolCall[]): Promise<readonly Prepared[]> {
  const { settings, state } = run;
  const duplicates = state.pending?.duplicates;
  const left = settings.limits.max_tool_calls - state.toolCalls;
  const free = Math.min(settings.limits.max_calls_per_turn, left);
  const prepared: Prepared[] = [];
  for (const call of calls) {
    run.recorder.toolCall(call);
    if (duplicates?.has(call.id)) continue;
    if (call.name === ANSWER && calls.length > 1) {
      record(run, call, { ok: false, error: skipped(call, ALONE).error, ms: 0 });
      continue;
    }
    const room = prepared.length < free ? 'made' : prepared.length < left ? 'asked' : 'none';
    const next = await prepareWithin(run, call, room);
    if (next.permission) recordPermission(run, next);
    prepared.push(next);
  }
  const settled = await inOrder(run, prepared);
  for (const next of settled) {
    if (!isExecutable(next)) record(run, next.call, { ok: false, error: next.error, ms: 0 });
    else if (next.verdict === 'needs_approval') hold(run, next);
  }
  return settled;
}

/** Where all may run nothing is held, and nothing is shown to anybody before. */
const inOrder = async (run: LoopRun, prepared: readonly Prepared[]): Promise<readonly Prepared[]> =>
  prepared.every((next) => isExecutable(next) && next.verdict === 'run')
    ? prepared
    : Promise.all(holdInOrder(prepared, isAfterIn(run)).map((next) => withPreview(run, next)));

/** `asked`: over the limit of a turn a call is not made, but owners are asked about all that they have to decide at once. */
async function prepareWithin(run: LoopRun, call: ToolCall, room: 'made' | 'asked' | 'none'): Promise<Prepared> {
  // The tools were taken away for this answer, so nothing is asked about a call: nobody is to be bothered with it.
  if (run.state.lastCall !== null) return skipped(call, 'there are no tools for this answer');
  if (room === 'none') return tooMany(call);
  const prepared = await prepareOffered(run, call);
  if (room === 'asked' && !(isExecutable(prepared) && prepared.verdict === 'needs_approval')) return tooMany(call);
  const waiting = isExecutable(prepared) && run.state.waits.length > 0 ? waitsFor(run, prepared) : null;
  if (waiting !== null) return { verdict: 'skipped', call, error: waiting, permission: prepared.permission };
  return isExecutable(prepared) ? ((await overQuota(run, prepared, prepared.verdict === 'run')) ?? prepared) : prepared;
}

const isAfterIn =
  ({ settings }: Pick<LoopRun, 'settings'>): IsAfterFailure =>
  (next, failed) =>
    failed.length > 0 && (!settings.limits.by_needs || afterWhatItNeeds(settings.scopes)(next, failed));

/** What is held only to keep the order is put before an owner as well, who has to see what it would do. */
async function withPreview(run: LoopRun, next: Prepared): Promise<Prepared> {
  const isShown = !isExecutable(next) || next.verdict === 'run' || next.permission.verdict === 'approve';
  if (isShown || !next.tool.definition.preview) return next;
  const again = await run.prepareCall(next.call, 'always');
  return isExecutable(again) ? { ...again, verdict: 'needs_approval' } : next;
}

const ALONE = 'answer comes alone, when the results of the other calls are known; it was not sent';

/** `plan`: the call whose step it is. */
export function recordPermission(run: LoopRun, next: Prepared, plan?: string): void {
  const { call, permission } = next;
  // On the way back through a replay a step may stand without what the governor was asked.
  if (!permission || (plan !== undefined && permission.asked === undefined)) return;
  const { verdict, risk, by, asked } = permission;
  const code = permission.verdict === 'deny' ? permission.code : null;
  // What the governor had no say in: a plan that nobody needs, a preview that cannot be made.
  const refused = isExecutable(next) || verdict === 'deny' ? {} : { refused: next.verdict };
  const targets = isExecutable(next) && next.targets.length > 0 ? { targets: next.targets } : {};
  const step = plan === undefined ? {} : { step_of: plan };
  const filled = filledIn(run, call);
  const { id: call_id, name: tool } = call;
  run.recorder.event('permission', {
    call_id,
    tool,
    ...step,
    verdict,
    code,
    risk,
    by,
    asked,
    ...filled,
    ...targets,
    ...refused,
  });
  if (verdict === 'allow' && by === OWN_WORDS && asked?.ownWords?.verdict === 'counts' && !isHeld(next)) {
    const { kind, words } = asked.ownWords;
    const detail = { call_id, kind, words, risk, arguments: call.arguments ?? call.rawArguments ?? null };
    run.recorder.audit({ actor: 'policy', event: 'own_words_counted', tool, decision: 'allowed', detail });
  }
  if (permission.verdict !== 'deny') return;
  run.recorder.audit(auditDenial(call, permission));
}

/** Arguments of a call that the model did not give, and the playbook of the run did. */
function filledIn({ state }: LoopRun, call: ToolCall): { readonly filled?: readonly string[] } {
  const given = state.pending?.calls.find(({ id }) => id === call.id);
  if (given === undefined || given.arguments === call.arguments) return {};
  const filled = Object.keys(call.arguments ?? {}).filter((name) => !Object.hasOwn(Object(given.arguments), name));
  return filled.length === 0 ? {} : { filled };
}

export function intend(run: LoopRun, { call, risk, targets }: Pick<Executable, 'call' | 'risk' | 'targets'>): void {
  const touched = targetsOnRecord(risk, targets);
  run.recorder.event('tool_call_intended', { call_id: call.id, tool: call.name, risk, ...touched });
}

/** What a call that changes something touches; the receipt names it, also where its tool is gone by then. */
export const targetsOnRecord = (risk: string, targets: readonly string[]): { targets?: readonly string[] } =>
  risk === 'read' || targets.length === 0 ? {} : { targets: targets.slice(0, MAX_TARGETS) };

const MAX_TARGETS = 100;

/** Says of every call that is about to be made that it is; to be committed before the first of them. */
export function intendAll(run: LoopRun, prepared: readonly Prepared[]): void {
  for (const next of prepared) {
    if (isExecutable(next) && next.verdict === 'run') intend(run, next);
  }
}

/** On the way back from a restart: the call was never put before anybody, so it is held now. */
export function holdAgain(run: LoopRun, next: Executable): void {
  hold(run, { ...next, verdict: 'needs_approval' });
}

function hold(run: LoopRun, next: Executable): void {
  run.held.set(next.call.id, next);
}

/** A tool that the model was shown but that has left the registry since ends the run; an invented one does not. */
export async function prepareOffered(run: LoopRun, call: ToolCall): Promise<Prepared> {
  // Where it can be read it has ended the run; what is left is one that cannot, or that a model was not shown.
  if (call.name === ANSWER) {
    const read = readAnswer(call);
    const message = read.ok ? 'write your answer as plain text' : read.message;
    return { verdict: 'invalid', call, error: { code: 'invalid_arguments', message }, permission: null };
  }
  const { tools, pinned = tools, playbook } = run.settings;
  const prepared = await run.prepareCall(playbook ? withDefaults(playbook, call) : call);
  const offered = (pinned ?? tools).some(({ name }) => name === call.name);
  if (isExecutable(prepared) || prepared.verdict !== 'unknown' || !offered) return prepared;
  return { ...prepared, error: { code: 'tool_not_found', message: `${call.name} is no longer installed` } };
}

/**
 * Runs the prepared calls: neighbouring reads side by side, everything else in order. What would change something and
 * builds on a call that failed is skipped, but for what a life before this one may have made already: "skipped" would
 * be untrue of it. Results are committed by the caller.
 */
export async function runCalls(
  run: LoopRun,
  prepared: readonly Prepared[],
  before: { failed: readonly string[]; begun: ReadonlySet<string> } = { failed: [], begun: new Set() },
): Promise<LoopEvent> {
  const calls = run.state.pending?.calls ?? [];
  const order = calls.map(({ id }) => id);
  const isAfter = isAfterIn(run);
  const failures: MissedCall[] = calls
    .filter(({ id }) => before.failed.includes(id))
    .map((call) => ({ call, targets: [], isUnclear: true }));
  let group: Executable[] = [];
  const flush = async () => {
    const outcomes = await Promise.all(group.map((next) => execute(run, next)));
    for (const [index, outcome] of outcomes.entries()) {
      const next = group[index];
      if (!next) continue;
      if (outcome.ok && outcome.wait) suspend(run, next.call, outcome.wait, outcome);
      else record(run, next.call, outcome);
      if (!outcome.ok) failures.push(failedOf(next));
    }
    group = [];
  };
  for (const next of prepared) {
    if (isExecutable(next) && next.verdict === 'needs_approval') continue;
    if (!isExecutable(next)) {
      failures.push(...failureIn(next));
      continue;
    }
    if (next.risk !== 'read' && group.length > 0) await flush();
    if (next.risk !== 'read' && isAfter(next, failures) && !before.begun.has(next.call.id)) {
      record(run, next.call, {
        ok: false,
        error: skipped(next.call, AFTER_FAILURE).error,
        ms: 0,
      });
      failures.push(failedOf(next));
      continue;
    }
    group.push(next);
    if (next.risk !== 'read') await flush();
  }
  await flush();
  releaseHeld(run, order, failures);
  run.pass('run.tool_executed');
  return terminalOf(run) ?? { type: 'observed' };
}

/** What is done anyway stops nothing that comes after it. */
const failureIn = (next: RefusedCall): readonly MissedCall[] => (next.verdict === 'needless' ? [] : [failedOf(next)]);

/** What was to be asked for builds on a call that failed, so nobody is asked; about what goes before it, owners are. */
function releaseHeld(run: LoopRun, order: readonly string[], failures: readonly MissedCall[]): void {
  const isAfter = isAfterIn(run);
  for (const next of [...run.held.values()]) {
    const at = order.indexOf(next.call.id);
    const before = failures.filter(({ call: { id } }) => order.includes(id) && order.indexOf(id) < at);
    if (!isAfter(next, before)) continue;
    record(run, next.call, { ok: false, error: skipped(next.call, AFTER_FAILURE).error, ms: 0 });
    run.held.delete(next.call.id);
  }
}

/** Throws when the gateway is stopping: what was cut off has no result yet, and the next start decides about it. */
export async function execute(run: LoopRun, next: Executable): Promise<Executed> {
  const { recorder } = run;
  const [mails, facts] = [recorder.outgoingCount(), recorder.factCount()];
  const executed = await run.executeCall(next);
  run.signal.throwIfAborted();
  // A tool that failed after it had handed over a mail must not have it sent beside its error.
  if (!executed.ok) {
    recorder.keepOutgoing(mails);
    recorder.keepFacts(facts);
  } else if (next.tool.definition.undo && !executed.wait) recorder.undoable(next.call, next.args, executed.result);
  return executed;
}

/** What it takes to put a result on record; without settings nobody goes on with the run. */
export type Observing = Pick<LoopRun, 'state' | 'recorder' | 'artifacts' | 'clock'> & {
  readonly settings?: LoopRun['settings'];
};

/** Whether its model is told how old and how whole the data of its results are. */
export const tellsData = ({ settings }: Pick<Observing, 'settings'>): boolean => settings?.limits.tells_data === true;

/** Stages a call's end, its observation and its trace row, for each call that said the same as well. */
export function record(run: Observing, call: ToolCall, outcome: Executed): void {
  const { pending } = run.state;
  const seen = observe(call, outcome, run.artifacts, outcome.at ?? run.clock.now(), tellsData(run));
  stage(run, call, outcome, seen);
  for (const duplicate of pending?.calls ?? []) {
    if (pending?.duplicates.get(duplicate.id) !== call.id || pending.results.has(duplicate.id)) continue;
    stage(run, duplicate, { ...outcome, ms: 0 }, { ...seen, call_id: duplicate.id, same_as: call.id });
  }
}

function stage(run: Observing, call: ToolCall, outcome: Executed, observed: Observation): void {
  const seen = withLimit(run, observed);
  const { call_id, tool, ok, code, same_as } = seen;
  const sensed = same_as === undefined ? outcome.sensed : undefined;
  run.recorder.event('tool_call_ended', { call_id, tool, ok, code, ms: outcome.ms, ...(sensed && { sensed }) });
  run.recorder.event('observation', seen);
  run.recorder.toolResult(call, { ...resultRow(outcome, seen), ...(same_as === undefined ? {} : { same_as }) });
}

/** The last result of a turn says what little is left of turns and calls, as it will be when it is counted. */
function withLimit({ state, settings }: Observing, seen: Observation): Observation {
  const { pending } = state;
  const isLast = pending !== null && pending.results.size === pending.calls.length - 1;
  if (!settings?.limits.tells_near || !isLast) return seen;
  const counts = seen.same_as === undefined && seen.code !== 'skipped';
  const near = nearLimit({ ...state, toolCalls: state.toolCalls + (counts ? 1 : 0) }, settings.limits);
  if (near === null) return seen;
  return { ...seen, content: `${seen.content.slice(0, -1)},"limit":${JSON.stringify(near)}}` };
}

/** A result that is an artifact already is not stored a second time inside the row's own artifact. */
export const resultRow = (outcome: Executed, { artifact }: Observation) =>
  outcome.ok
    ? { ok: true, ...(artifact === null ? { result: outcome.result } : {}), artifact }
    : { ok: false, error: { ...outcome.error }, artifact: null };

export const UNKNOWN_EFFECT: CallError = {
  code: 'side_effect_unknown',
  message:
    'the process stopped during this call; it may or may not have taken effect. Say so, or look before trying again',
};

/** The call that was the answer gets its result, too: that it was sent, or why it was not. */
export function closeAnswer(run: LoopRun, unsent: string | null, at = run.clock.now()): void {
  const [call] = run.state.pending?.calls ?? [];
  if (call?.name !== ANSWER || run.state.declared === null) return;
  run.recorder.toolCall(call);
  const outcome =
    unsent === null
      ? { ok: true as const, result: { sent: true } }
      : { ok: false as const, error: { code: 'contract', message: unsent } };
  record(run, call, { ...outcome, ms: 0, at });
}

/** Calls that are not made get a result that says why: vendors want one for each, readers of the trace pair them up. */
export function skipOpenCalls(run: LoopRun, why: string): void {
  const { pending } = run.state;
  for (const call of pending?.calls ?? []) {
    if (pending?.results.has(call.id)) continue;
    record(run, call, { ok: false, error: skipped(call, why).error, ms: 0 });
  }
  run.held.clear();
}

/** Reads, and what a second time leaves as the first time did. `keyed`: its effect is in the result's transaction. */
export const isRepeatable = ({ risk, tool }: Executable): boolean =>
  risk === 'read' || ['none', 'idempotent', 'keyed'].includes(tool.definition.effect ?? 'unknown');

/** The first terminal failure of the run, if any: the run ends with it. */
export function terminalOf(run: LoopRun): LoopEvent | null {
  const code = run.state.outcomes.find((outcome) => outcome.code !== null && TERMINAL.has(outcome.code))?.code;
  return code ? { type: 'terminal', code } : null;
}

const NEAR_TURNS = 2;
const NEAR_CALLS = 3;

/**
 * What the model is told with the last result of a turn when little is left to it; null before that. It stands in the
 * result, where it stays as it is: anything that changed from call to call would cost the vendor's prompt cache.
 */
export function nearLimit(
  { toolTurns, toolSteps, toolCalls }: Pick<LoopState, 'toolTurns' | 'toolSteps' | 'toolCalls'>,
  limits: PinnedSettings['limits'],
): string | null {
  const { max_tool_turns, max_tool_steps, max_tool_calls } = limits;
  const turns = Math.min(max_tool_turns - toolTurns, (max_tool_steps ?? Number.POSITIVE_INFINITY) - toolSteps);
  const calls = max_tool_calls - toolCalls;
  if (turns <= 0 || calls <= 0) return 'no more tools for this mail: answer now with what there is';
  if (calls <= NEAR_CALLS) return `${counted(calls, 'more call')} for this mail, then answer with what there is`;
  if (turns > NEAR_TURNS) return null;
  return `${counted(turns, 'more turn')} with tools for this mail, then answer with what there is`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Null: it may be made, and is counted where it is to be made now. A call that waits for an owner is only asked about. */
export async function overQuota(
  run: Pick<LoopRun, 'useTool'>,
  next: Executable,
  reserves: boolean,
): Promise<RefusedCall | null> {
  const quota = await run.useTool(next.call, reserves);
  return quota === null ? null : refusedByQuota(next, quota);
}
