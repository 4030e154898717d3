import type { JsonObject, ToolCall } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { isFingerprintOf } from '../../policy/approval/fingerprint.ts';
import { dependsOn, isSameBasis } from '../../policy/approval/plan.ts';
import { type CallError, type Executable, isExecutable, type Prepared, type RefusedCall } from '../../policy/call.ts';
import { skipped } from '../../policy/refusal.ts';
import type { LoopEvent } from '../../record/decisions.ts';
import type { PendingTurn } from '../../record/state.ts';
import {
  ANSWERED_SINCE,
  type Approval,
  type ApprovalState,
  argumentsOf,
  isChanged,
} from '../../storage/types/approvals.ts';
import type { Suspension } from '../../storage/types/suspensions.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { isAbout, isReplaced, membersOf } from '../../suspensions/members.ts';
import { outcomeOf } from '../../suspensions/outside.ts';
import { isHeld } from '../../tools/held-calls.ts';
import type { Executed } from '../../tools/observe/executed.ts';
import { CHANGED_SINCE, closeSteps, GATEWAY_FAILED, isByItself, resumeBatch, runPlan } from './approved.ts';
import { MAX_CRASHES } from './decide.ts';
import type { LoopRun } from './loop-run.ts';
import {
  execute,
  holdAgain,
  intend,
  isRepeatable,
  type Observing,
  overQuota,
  prepareOffered,
  record,
  recordPermission,
  runCalls,
  UNKNOWN_EFFECT,
} from './run-calls.ts';
import { suspend } from './suspend.ts';

/**
 * Goes on with a turn whose calls do not all have results: after a crash, or after owners have decided. Reads are
 * made again; what may have changed something is never repeated silently, unless a repeat is harmless.
 */
export async function resumeTurn(run: LoopRun): Promise<LoopEvent> {
  const { pending } = run.state;
  const open = (pending?.calls ?? []).filter((call) => !pending?.results.has(call.id));
  const asked = (call: ToolCall) => approvalOf(run, pending, call);
  findFailed(run);
  const again: Executable[] = [];
  const batches = new Set<string>();
  // A call that says the same gets the result of the first, when that has one.
  const isSame = (call: ToolCall) => open.some(({ id }) => id === pending?.duplicates.get(call.id));
  for (const call of open.filter((one) => !isSame(one))) {
    const approval = asked(call);
    const suspension = suspensionOf(run, call);
    if (suspension) resumeSuspended(run, call, suspension, approval);
    else if (approval && membersOf(approval).length > 0) {
      if (batches.has(approval.id)) continue;
      batches.add(approval.id);
      const together = open.filter((one) => asked(one)?.id === approval.id);
      await resumeBatch(run, together, approval, (row) => notApproved(run, row));
    } else if (approval) await resumeApproved(run, call, approval);
    else if (run.crashes >= MAX_CRASHES) refuse(run, call, UNKNOWN_EFFECT);
    else await resumeUnasked(run, call, again);
  }
  const failed = open.filter((call) => pending?.results.get(call.id)?.isError && !asked(call)).map(({ id }) => id);
  const begun = new Set(again.filter((next) => mayBeDone(run, next)).map(({ call }) => call.id));
  const fresh = again.filter(({ call }) => !pending?.intended.has(call.id));
  // Allowed since, and not begun: said before it is done, as everywhere.
  for (const next of fresh) intend(run, next);
  if (fresh.length > 0) await run.recorder.commit();
  return runCalls(run, again, { failed, begun });
}

/** Its intent was committed, and its effect is not in the transaction of the result that it does not have. */
const mayBeDone = ({ state }: LoopRun, { call, tool }: Executable): boolean =>
  (state.pending?.intended.has(call.id) ?? false) && tool.definition.effect !== 'keyed';

/** Ends of an approved call that stop the ones after it. What an owner denied, or let expire, does not. */
const FAILED: ReadonlySet<ApprovalState> = new Set<ApprovalState>(['failed', 'side_effect_unknown', 'stale']);

/** Read from the rows: the process may have died between an item's failure and the next item. */
function findFailed(run: LoopRun): void {
  const { pending } = run.state;
  const approvals = (pending?.calls ?? []).flatMap((call) => approvalOf(run, pending, call) ?? []);
  if (approvals.some(({ state }) => FAILED.has(state))) run.recorder.found({ kind: 'approved_call_failed' });
}

/** What was asked about a call of this turn, in its newest form: an edit leaves the earlier one behind as stale. */
const approvalOf = ({ approvals }: LoopRun, pending: PendingTurn | null, { id }: ToolCall): Approval | undefined =>
  pending?.asked.has(id) ? approvals.findLast((row) => isAbout(row, id) && !isReplaced(row)) : undefined;

/** A call that nobody was asked about: it was running when the process stopped, or was about to be held. */
async function resumeUnasked(run: LoopRun, call: ToolCall, again: Executable[]): Promise<void> {
  const intended = run.state.pending?.intended.has(call.id) ?? false;
  const prepared = await prepareOffered(run, call);
  // What would become of it is told by its permission, which may have been lost with the process.
  if (!isExecutable(prepared)) isHeld(prepared) ? refuseAnew(run, prepared) : refuse(run, call, prepared.error);
  else if (!intended && (prepared.verdict === 'needs_approval' || waits(run, prepared))) holdAgain(run, prepared);
  else if (!intended) await pushWithin(run, prepared, again);
  else if (isRepeatable(prepared)) again.push(prepared);
  else refuse(run, call, UNKNOWN_EFFECT);
}

const waits = ({ held }: LoopRun, next: Executable): boolean => next.risk !== 'read' && dependsOn(next, held.values());

/** It was not begun, so it is counted now. */
async function pushWithin(run: LoopRun, next: Executable, again: Executable[]): Promise<void> {
  const refusal = await overQuota(run, next, true);
  if (refusal === null) again.push(next);
  else refuseAnew(run, refusal);
}

/** A refusal that comes after the turn was judged is on record like any other. */
function refuseAnew(run: LoopRun, refusal: RefusedCall): void {
  recordPermission(run, refusal);
  refuse(run, refusal.call, refusal.error);
}

/** What it was made for may have come meanwhile, or its time is over. */
const suspensionOf = ({ state, suspensions }: LoopRun, { id }: ToolCall): Suspension | undefined => {
  const suspended = state.pending?.suspended.get(id);
  return suspended && suspensions.find((row) => row.id === suspended.id);
};

/** Nothing is called again: what came is the result of the call that was made. */
function resumeSuspended(run: LoopRun, call: ToolCall, row: Suspension, approval: Approval | undefined): void {
  if (row.ended_at === null) return;
  const outcome = { ...outcomeOf(row), ms: row.ended_at - row.created_at, at: row.ended_at };
  const own = approval ? withChanges(outcome, changesBefore(run.approvals, approval)) : outcome;
  record(run, call, withWait(run, own, row.ended_at));
}

async function resumeApproved(run: LoopRun, call: ToolCall, approval: Approval): Promise<void> {
  switch (approval.state) {
    case 'pending':
      return;
    case 'approved':
      return resumeDecided(run, call, approval);
    case 'executing': {
      const prepared = await run.prepareCall(frozen(call, approval), 'never');
      if (isAsApproved(prepared, approval) && prepared.steps)
        return runPlan(run, call, approval, prepared.steps, isRepeatable);
      if (isAsApproved(prepared, approval) && isRepeatable(prepared) && run.crashes < MAX_CRASHES)
        return finish(run, call, approval, prepared);
      run.recorder.approval({ id: approval.id, from: 'executing', to: 'side_effect_unknown' });
      run.recorder.found({ kind: 'approved_call_failed' });
      closeSteps(run);
      return refuse(run, call, UNKNOWN_EFFECT);
    }
    default:
      return refuse(run, call, withBeside(run, approval, notApproved(run, approval)));
  }
}

/** What became of the words beside a question that nobody has answered: the model has to know what its sender has read. */
function withBeside(run: LoopRun, { kind }: Approval, error: CallError): CallError {
  const beside = kind === 'answer' ? besideIn(run) : null;
  return beside === null ? error : { ...error, message: `${error.message}; ${beside}` };
}

/** Null where there were none, and where the model was not told that they are mailed. */
function besideIn({ state, settings }: LoopRun): string | null {
  const turn = state.messages.at(-1);
  if (settings.limits.mails_beside === undefined || turn?.role !== 'assistant' || turn.text.trim() === '') return null;
  return state.saidBeside
    ? 'your text beside this question was mailed to the sender: write only what follows it'
    : 'your text beside this question was not mailed: say in your answer what still holds of it';
}

/** The tool that hands words on, too; another that asks owners does not. */
const ASK_OWNER = 'ask_owner';

/** An owner answers one question and says two more things in one mail: what nobody takes up would be lost. */
const PASSED_ON =
  'if a part of it is about something else than your question, leave that part, and once call ask_owner with ' +
  '{"question": "none", "words": that part, copied exactly}: it is worked on as a mail of its own';

/** What an owner said is the result, and nothing is done; or the call is made. */
async function resumeDecided(run: LoopRun, call: ToolCall, approval: Approval): Promise<void> {
  const result = askedKind(approval).result(approval);
  // Its turn comes when what goes before it is decided anew.
  if (result === null) return run.held.size > 0 && !isByItself(run) ? undefined : executeApproved(run, call, approval);
  run.recorder.approval({ id: approval.id, from: 'approved', to: 'executed' });
  const beside = besideIn(run);
  const passes = run.settings.limits.passes_on === true && call.name === ASK_OWNER;
  const told = {
    ...result,
    ...(beside === null ? {} : { beside }),
    ...(passes ? { about_something_else: PASSED_ON } : {}),
  };
  const at = approval.decided_at ?? run.clock.now();
  record(run, call, withWait(run, { ok: true, result: told, ms: 0, at }, approval.decided_at));
}

/** A model that was away for hours goes by the clock of the prompt, which was put together before. */
function withWait({ recorder, settings, decided }: LoopRun, outcome: Executed, at: number | null): Executed {
  const asked = decided === undefined ? recorder.log.last('model_call_ended')?.at : undefined;
  if (!outcome.ok || !settings.limits.looks_again || asked === undefined || at === null) return outcome;
  const hours = Math.floor((at - asked) / HOUR_MS);
  if (hours < 1) return outcome;
  const waited = `${hours} ${hours === 1 ? 'hour' : 'hours'}: what you were told above of the time, of rules and of what waits was so then, and may have changed`;
  return withFields(outcome, { waited });
}

/** Runs exactly what was frozen, once: the claim is committed before anything is done. */
async function executeApproved(run: LoopRun, call: ToolCall, approval: Approval): Promise<void> {
  if (run.crashes >= MAX_CRASHES) return goStale(run, call, approval, GATEWAY_FAILED);
  // A failed item stops the ones after it; a denied one was the owner's choice and does not.
  if (run.state.approvedFailed && !isByItself(run)) {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'failed', reason: 'skipped' });
    return refuse(run, call, skipped(call, 'an earlier approved call failed').error);
  }
  const now = await recheckApproval(run, call, approval);
  if (now.kind === 'impossible') return goStale(run, call, approval, now.reason);
  if (now.kind === 'changed') {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'stale', reason: now.reason });
    return holdAgain(run, now.instead);
  }
  const refusal = await overQuota(run, now.executable, true);
  if (refusal) {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'failed', reason: refusal.error.message });
    run.recorder.found({ kind: 'approved_call_failed' });
    return refuseAnew(run, refusal);
  }
  run.recorder.approval({ id: approval.id, from: 'approved', to: 'executing' });
  intend(run, now.executable);
  await run.recorder.commit();
  run.pass('run.step_intended');
  const { steps } = now.executable;
  if (steps) return runPlan(run, call, approval, steps, isRepeatable);
  return finish(run, call, approval, now.executable);
}

function goStale(run: LoopRun, call: ToolCall, approval: Approval, reason: string): void {
  run.recorder.approval({ id: approval.id, from: 'approved', to: 'stale', reason });
  run.recorder.found({ kind: 'approved_call_failed' });
  refuse(run, call, notApproved(run, { state: 'stale', reason: null }));
}

async function finish(run: LoopRun, call: ToolCall, approval: Approval, executable: Executable): Promise<void> {
  const done = await execute(run, { ...executable, approved: { basis: approval.basis } });
  if (done.ok && done.wait) {
    run.recorder.approval({ id: approval.id, from: 'executing', to: 'executed' });
    suspend(run, call, done.wait, done);
    return run.recorder.commit();
  }
  const changed = withChanges(done, changesBefore(run.approvals, approval));
  const outcome = withWait(run, changed, approval.decided_at);
  if (!outcome.ok && outcome.isStale) return askAnew(run, call, approval, outcome.error);
  if (!outcome.ok) run.recorder.found({ kind: 'approved_call_failed' });
  run.recorder.approval({ id: approval.id, from: 'executing', to: outcome.ok ? 'executed' : 'failed' });
  record(run, call, outcome);
  // An effect of its own is worth a transaction of its own: the next item must not take this one's record with it.
  await run.recorder.commit();
  run.pass('run.tool_executed');
}

/** What an owner put in the place of the call's own arguments; null where nobody changed anything. */
function changesBefore(approvals: readonly Approval[], approved: Approval): JsonObject | null {
  const until = approvals.slice(
    0,
    approvals.findIndex(({ id }) => id === approved.id),
  );
  // Back to the last that was no edit: a vendor may have given the id to a call of an earlier turn.
  let first: Approval | undefined;
  for (const row of until.filter(({ call_id }) => call_id === approved.call_id).toReversed()) {
    if (!isChanged(row)) break;
    first = row;
  }
  if (!first) return null;
  const [before, after] = [first, approved].map(argumentsOf);
  const keys = differingKeys(before, after);
  return keys.length === 0 ? null : Object.fromEntries(keys.map((key) => [key, after?.[key] ?? null]));
}

/** Without it a model reports the mail that it wrote and not the one that was sent. */
function withChanges(outcome: Executed, changes: JsonObject | null): Executed {
  return !outcome.ok || changes === null ? outcome : withFields(outcome, { approved_with_changes: changes });
}

function withFields(outcome: Extract<Executed, { ok: true }>, fields: JsonObject): Executed {
  const { result } = outcome;
  const own = typeof result === 'object' && result !== null && !Array.isArray(result) ? result : { result };
  return { ...outcome, result: { ...own, ...fields } };
}

/** It changed at the last moment, after it was compared: nothing was done, and the owner is asked about what is there now. */
async function askAnew(run: LoopRun, call: ToolCall, approval: Approval, error: CallError): Promise<void> {
  run.recorder.approval({ id: approval.id, from: 'executing', to: 'stale', reason: error.message });
  const now = await run.prepareCall(frozen(call, approval), 'always');
  if (isExecutable(now)) return holdAgain(run, now);
  run.recorder.found({ kind: 'approved_call_failed' });
  refuse(run, call, now.error);
}

/** A model writes what it was shown into its answer: whoever is no owner would read there what the owner said to the persona alone. */
function notApproved(
  { settings, mailScope, decided }: Pick<LoopRun, 'settings' | 'mailScope' | 'decided'>,
  { state, reason }: Pick<Approval, 'state' | 'reason'>,
): CallError {
  // A run that only carries out what was decided asks no model.
  const isTold = decided !== undefined || settings.reasons === undefined || mailScope().mail.tier === 'owner';
  const because = reason === null || !isTold ? '' : `: ${reason}`;
  const messages: Partial<Record<Approval['state'], string>> = {
    rejected: `the owner said no${because}`,
    expired: 'nobody answered in time, so it was not done',
    stale:
      reason === ANSWERED_SINCE
        ? 'an owner has answered a later question of this conversation, and the run that asked it answers with that'
        : 'the call could not be done as it was approved, so it was not done',
  };
  return { code: 'policy_denied', message: messages[state] ?? `it was not done (${state})` };
}

/**
 * For a run that ends over a turn that another has begun: of what was to change something nobody knows whether it
 * did, the rest was not done.
 */
export function closeTurn(run: Observing): void {
  const { pending } = run.state;
  closeSteps(run);
  for (const call of pending?.calls ?? []) {
    if (pending?.results.has(call.id)) continue;
    const isBegun = (pending?.intended.get(call.id) ?? 'read') !== 'read';
    refuse(run, call, isBegun ? UNKNOWN_EFFECT : skipped(call, 'the run was cancelled').error);
  }
}

function refuse(run: Observing, call: ToolCall, error: CallError): void {
  record(run, call, { ok: false, error, ms: 0 });
}

/** What has become of a call between an owner's yes and its being done. */
type Rechecked =
  | { readonly kind: 'unchanged'; readonly executable: Executable }
  /** Something else than what was approved: the yes is worth nothing, and the owner is asked about `instead`. */
  | { readonly kind: 'changed'; readonly instead: Executable; readonly reason: string }
  /** It cannot be done any more, and not be asked about either. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** The call with the arguments that were approved, which an owner may have edited. */
const frozen = (call: ToolCall, approval: Approval): ToolCall => ({
  id: call.id,
  name: call.name,
  arguments: argumentsOf(approval),
});

const CHANGED_TOOL = 'the tool, or the right to use it, has changed';

/** Holds the call against what the owner was shown: its arguments, its tool, and what it would change. */
async function recheckApproval(run: LoopRun, call: ToolCall, approval: Approval): Promise<Rechecked> {
  if (sha256(approval.arguments_json) !== approval.arguments_hash) {
    const own = await run.prepareCall(call, 'always');
    if (!isExecutable(own)) return { kind: 'impossible', reason: 'its arguments are not those that were approved' };
    const fields = differingKeys(argumentsOf(approval), own.args).join(', ');
    return { kind: 'changed', instead: own, reason: `its arguments are not those that were approved: ${fields}` };
  }
  // Also where policy would let it run by now: the yes was to what the owner saw.
  const executable = await run.prepareCall(frozen(call, approval), 'always');
  if (!isAsApproved(executable, approval)) {
    const isImpossible = executable.verdict === 'invalid' && approval.basis !== null;
    const reason = isImpossible ? 'what it would change is not there any more' : CHANGED_TOOL;
    return { kind: 'impossible', reason };
  }
  if (!isSameBasis(executable, approval.basis)) {
    return { kind: 'changed', instead: executable, reason: CHANGED_SINCE };
  }
  return { kind: 'unchanged', executable };
}

/** The very call that an owner was shown: same tool, same arguments, and still allowed. */
const isAsApproved = (prepared: Prepared, approval: Approval): prepared is Executable =>
  isExecutable(prepared) &&
  sha256(approval.arguments_json) === approval.arguments_hash &&
  isFingerprintOf(prepared.tool, approval.fingerprint);

function differingKeys(found: unknown, own: unknown): string[] {
  const keys = new Set([...Object.keys(found ?? {}), ...Object.keys(own ?? {})]);
  const partOf = (args: unknown, key: string) =>
    canonicalJson(Object.entries(args ?? {}).find(([name]) => name === key));
  return [...keys].filter((key) => partOf(found, key) !== partOf(own, key)).sort();
}
