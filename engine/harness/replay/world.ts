import { EngineError, type GenerateRequest, type ModelInfo, type Risk, type ToolCall } from '#contract';
import { RISKS } from '../../lib/risks.ts';
import { fingerprintOf } from '../../policy/approval/fingerprint.ts';
import type { CallError, Executable, Prepared, RefusedCall } from '../../policy/call.ts';
import { judge } from '../../policy/judges.ts';
import type { Permission } from '../../policy/permission.ts';
import type { Observation } from '../../record/codec/fields.ts';
import { shownIn } from '../../record/codec/run-events.ts';
import { ANSWER } from '../../record/declared.ts';
import type { CallEventType, PayloadOf, RunEvent } from '../../record/events.ts';
import { isWhole } from '../../record/gone-on.ts';
import { logOf, type RunLog } from '../../record/run-log.ts';
import type { Target } from '../../record/settings.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import { argumentsOf } from '../../storage/types/approvals.ts';
import { askedKind, declaredAs } from '../../suspensions/kinds.ts';
import { isAbout, membersOf, stepsIn, withFingerprints } from '../../suspensions/members.ts';
import type { Wait } from '../../suspensions/outside.ts';

import type { Executed } from '../../tools/observe/executed.ts';
import type { LoopRun } from '../loop/loop-run.ts';
import type { PlayedResult, RecordedLease } from './record.ts';
import { stubOf } from './stub-tool.ts';

/** The record ends here: what came next was never written, because the process died or somebody ended the run. */
export class RecordEnded extends Error {
  override readonly name = 'RecordEnded';
}

/** Codes of calls that never ran, where no permission was on record. */
const REFUSED: Readonly<Record<string, RefusedCall['verdict']>> = {
  tool_unknown: 'unknown',
  tool_not_found: 'unknown',
  invalid_arguments: 'invalid',
  policy_denied: 'denied',
  policy_scope_missing: 'denied',
};

/** What a replay plays, in place of all that lies around the loop. */
type World = Pick<
  LoopRun,
  | 'prepareCall'
  | 'executeCall'
  | 'useTool'
  | 'models'
  | 'judge'
  | 'isInDoubt'
  | 'riskOf'
  | 'driftedSources'
  | 'settledSince'
  | 'checkByHooks'
  | 'store'
  | 'approvals'
  | 'suspensions'
  | 'further'
> & {
  /** Time of work, as it was at the next decision. */
  activeMs(): number;
  /** The hour at which an answer was judged; nothing else that lasts is told by the clock. */
  now(): number;
  /** Whether calls had to ask for money; the world knows what came of it. */
  readonly isLimited: boolean;
};

/**
 * Everything around the loop, played from the record: models say what they said, tools return what they returned, the
 * clock shows what it showed. What the loop makes of it is up to the code of today. `replayed` grows as the loop goes.
 */
export function worldOf(options: {
  claim: RecordedLease;
  replayed: readonly RunEvent[];
  resultOf(callId: string, nth: number): PlayedResult | undefined;
  stop: AbortController;
  /** Hears what each model is asked. */
  requested(call: number, request: GenerateRequest): void;
}): World {
  const { claim, replayed, resultOf, stop, requested } = options;
  const { before } = claim;
  const written = claim.written.all;
  const rest = (): RunLog => logOf(written.slice(replayed.length));
  /** What is left of the turn under way: a vendor may give the ids of its calls again in a later one. */
  const turn = (): RunLog => {
    const left = rest();
    return left.between(0, left.first('model_call_ended')?.seq ?? left.nextSeq);
  };
  const ofCall = <Type extends CallEventType>(type: Type, callId: string) => turn().firstOfCall(type, callId)?.data;
  /** Also of earlier claims: on the way back from a restart nothing is asked a second time. */
  const beganAs = (callId: string) =>
    ofCall('tool_call_intended', callId) ?? before.lastOfCall('tool_call_intended', callId)?.data;
  const ended = (): never => {
    const reason = new RecordEnded('the record ends here');
    stop.abort(reason);
    throw reason;
  };

  async function prepareCall(call: ToolCall): Promise<Prepared> {
    const waited = turn().firstOfCall('call_waits', call.id)?.data.refused;
    if (waited !== undefined)
      return { verdict: 'denied', call, error: { code: waited, message: '' }, permission: null };
    const asked = ofCall('permission', call.id);
    const seen = ofCall('observation', call.id);
    const permission = judgedAgain(asked);
    const began = beganAs(call.id);
    const without = permission === null && began === undefined ? REFUSED[seen?.code ?? ''] : undefined;
    const verdict = permission?.verdict === 'deny' ? 'denied' : (asked?.refused ?? without);
    if (verdict !== undefined) return { verdict, call, error: errorOf(call, seen), permission };
    const earlier = before.lastOfCall('permission', call.id)?.data;
    return executableOf(call, permission ?? (earlier ? asTold(earlier) : null), seen);
  }

  /** The steps that were stored, exactly. */
  const stepsOf = (plan: ToolCall, args: unknown): readonly Executable[] =>
    stepsIn(args).map((step, index): Executable => {
      const call = { id: `${plan.id}.${index + 1}`, name: step.tool, arguments: step.arguments };
      return executableOf(call, judgedAgain(ofCall('permission', call.id)), ofCall('observation', call.id));
    });

  function executableOf(call: ToolCall, known: Permission | null, seen: Observation | undefined): Executable {
    const now = askedNow(call.id);
    const began = beganAs(call.id);
    const row = now ?? claim.approvals.map((each) => asOwn(each, call.id)).findLast((each) => each);
    const risk = riskIn(now) ?? began?.risk ?? known?.risk ?? riskIn(row) ?? 'read';
    const args = now === undefined ? (call.arguments ?? {}) : argumentsOf(now);
    return {
      verdict: known?.verdict === 'approve' || now ? 'needs_approval' : 'run',
      call,
      tool: stubOf(call.name, {
        risk,
        ...(row && declaredAs(row.kind)),
        isUnknown: seen?.code === 'side_effect_unknown',
      }),
      args,
      risk,
      permission: known ?? { verdict: 'allow', risk, by: 'record' },
      preview: previewIn(row),
      targets: targetsOf(call.id) ?? began?.targets ?? [],
      ...(row && askedKind(row).bySteps ? { steps: stepsOf(call, args) } : {}),
    };
  }

  const targetsOf = (callId: string) =>
    (ofCall('permission', callId) ?? before.lastOfCall('permission', callId)?.data)?.targets;

  /** What owners are asked about this call at the end of the turn under way: with what the tool's schema had filled in. */
  const askedNow = (callId: string): Approval | undefined => {
    const items = turn().first('approval_requested')?.data.items ?? [];
    const asked = items.find(({ call_id, calls = [call_id] }) => calls.includes(callId))?.approval_id;
    const row = claim.asked.find(({ id }) => id === asked);
    return row && asOwn(row, callId);
  };

  /** How it was refused is the tool's or the policy's wording of that time. */
  function errorOf(call: ToolCall, seen: Observation | undefined): CallError {
    const stored = resultOf(call.id, nthOf(call.id));
    const error = stored?.ok === false ? stored.error : undefined;
    return error ?? { code: seen?.code ?? 'policy_denied', message: '' };
  }

  const nthOf = (callId: string): number =>
    [...before.of('observation'), ...logOf(replayed).of('observation')].filter(({ data }) => data.call_id === callId)
      .length;

  async function executeCall({ call }: { readonly call: ToolCall }): Promise<Executed> {
    const suspended = ofCall('suspended', call.id);
    if (suspended) return { ok: true, result: null, wait: waitOf(suspended), ms: 0 };
    const seen = ofCall('observation', call.id);
    const stored = resultOf(call.id, nthOf(call.id));
    if (seen === undefined || stored === undefined) return ended();
    const { observed_at } = shownIn(seen.content);
    const when = { ms: 0, ...(typeof observed_at === 'string' ? { at: Date.parse(observed_at) } : {}) };
    const facts = seen.facts === undefined ? {} : { facts: seen.facts };
    if (stored.ok) return { ok: true, result: stored.result, ...facts, ...when };
    return { ok: false, error: stored.error ?? { code: seen.code ?? 'tool_failed', message: '' }, ...when };
  }

  const models: LoopRun['models'] = {
    cooldowns: {
      rest: async () => {},
      // Which provider rested then is told by which one was asked.
      isResting: (provider) => provider !== (rest().first('model_call_started')?.data.provider ?? provider),
      list: () => [],
    },
    info: (target) => infoFrom(claim.written, target),
    plainer: () => rest().first('model_call_ended')?.data.plain ?? null,
    adapter: async () => ({
      async generate(request) {
        const call = logOf(replayed).last('model_call_started')?.data.call;
        if (call !== undefined) requested(call, request);
        const [answer] = rest().all;
        if (answer?.type !== 'model_call_ended') return ended();
        const { ok, response, cost_usd, provider, model } = answer.data;
        if (ok && response) {
          const { providerParts = { provider, model, data: null } } = response;
          return { ...response, whole: isWhole(response), providerParts, reportedCostUsd: cost_usd ?? null };
        }
        throw failureFrom(answer.data);
      },
    }),
  };

  return {
    prepareCall,
    executeCall,
    /** As far as other mails had told it then. */
    judge: ({ whose }) => rest().first('model_call_ended')?.data.whose ?? whose,
    isInDoubt: () => rest().first('model_call_ended')?.data.next === 'exhausted',
    /** A limit that stood in its way is part of what the governor was told. */
    useTool: async ({ id }) => ofCall('permission', id)?.asked?.quota ?? null,
    models,
    /** Of a tool that is not among the pinned ones: as the governor was told when it was called all the same. */
    riskOf: (tool) =>
      [...before.of('permission'), ...claim.written.of('permission')].findLast(({ data }) => data.tool === tool)?.data
        .risk ?? null,
    activeMs: () => rest().first('decision')?.data.active_ms ?? 0,
    now: () => rest().first('decision')?.data.judged_at ?? 0,
    driftedSources: async () => new Set(rest().first('decision')?.data.drifted ?? []),
    settledSince: async () => rest().first('decision')?.data.settled ?? [],
    checkByHooks: async () => rest().first('decision')?.data.hooks ?? null,
    further: {
      hasCome: async () =>
        rest().all.find(({ data }) => !('tool' in data && data.tool === ANSWER))?.type === 'mail_taken_in',
      endsUnless: () => {},
    },
    store: {
      /** Granted where the call was made then; a run that was put back to wait for others wrote nothing. */
      reserveBudget: async () => {
        const [next] = rest().all;
        if (next === undefined) return 'in_use';
        if (next.type !== 'model_call_started') return { spent: 'usd_per_day' };
        const { max_output_tokens, reserved_usd, capped } = next.data;
        return { outputTokens: max_output_tokens ?? 0, usd: reserved_usd ?? 0, capped: capped ?? null };
      },
    },
    isLimited: isLimited(written),
    suspensions: claim.suspensions,
    approvals: claim.approvals.map((row): Approval => asThen(row, ofCall('observation', row.call_id))),
  };
}

/** As the vendor said it: what other mails told of it is found out again. */
function failureFrom(ended: PayloadOf<'model_call_ended'>): EngineError {
  const { code = 'unavailable', message = '', retry_after_ms: wait = null, whose, was_unclear } = ended;
  const retry = wait === null ? 'never' : { afterMs: wait };
  if (was_unclear)
    return new EngineError(code === 'content_refused' ? 'auth' : code, message, { retry, whose: 'unclear' });
  return new EngineError(code, message, { retry, ...(whose === undefined ? {} : { whose }) });
}

function isLimited(written: readonly RunEvent[]): boolean {
  const last = written.at(-1);
  if (last?.type === 'decision' && last.data.decision === 'CONTINUE_MODEL_LOOP') return true;
  return written.some(
    (event) =>
      (event.type === 'model_call_started' && event.data.reserved_usd !== undefined) ||
      (event.type === 'decision' && event.data.reason === 'budget'),
  );
}

/** A record that does not tell all that was asked gives the answer as it came out then. */
const asTold = ({ verdict, code, risk, by, asked }: PayloadOf<'permission'>): Permission => {
  const told = { risk, by, ...(asked ? { asked } : {}) };
  return verdict === 'deny' ? { ...told, verdict, code: code ?? 'policy_denied' } : { ...told, verdict };
};

/** Limits of calls are asked after the governor (`useTool`). */
function judgedAgain(told: PayloadOf<'permission'> | undefined): Permission | null {
  if (told?.asked === undefined) return told ? asTold(told) : null;
  const { quota: _asked, ...others } = told.asked;
  return judge(others);
}

const waitOf = ({ kind, payload, wake_at, due_at }: PayloadOf<'suspended'>): Wait => ({
  kind,
  payload,
  wakeAt: wake_at,
  dueAt: due_at,
});

/** As it was put before an owner; of a plan that is more than what the model's own call may do. */
const riskIn = (row: Approval | undefined): Risk | undefined => RISKS.find((risk) => risk === row?.risk);

const previewIn = (row: Approval | undefined): Executable['preview'] =>
  row === undefined || row.basis === null ? null : { text: row.preview ?? '', basis: row.basis };

/** A tool that had changed since it was asked about is one with another fingerprint. */
function asThen(row: Approval, seen: Observation | undefined): Approval {
  const changed = row.state === 'approved' && seen?.code === 'policy_denied';
  const fingerprintFor = (tool: string) =>
    changed ? 'changed' : fingerprintOf(stubOf(tool, { risk: 'read', isUnknown: false }));
  return { ...withFingerprints(row, fingerprintFor), fingerprint: fingerprintFor(row.tool) };
}

/** What an approval says of this call: the call's own part where several were put together; undefined: nothing. */
function asOwn(row: Approval, callId: string): Approval | undefined {
  const member = membersOf(row).find((each) => each.callId === callId);
  if (!member) return isAbout(row, callId) ? row : undefined;
  const { tool, risk, basis, argumentsJson } = member;
  return { ...row, kind: 'call', call_id: callId, tool, risk, basis, arguments_json: argumentsJson };
}

function infoFrom(written: RunLog, target: Target): ModelInfo {
  const facts = written
    .of('model_call_started')
    .find(({ data }) => data.provider === target.provider && data.model === target.model)?.data.model_info;
  const name = `${target.provider}/${target.model}`;
  const lacksTools = written.of('model_call_ended').some(({ data }) => data.without_tools?.includes(name));
  return {
    context_tokens: facts?.context_tokens ?? 128_000,
    max_output_tokens: facts?.max_output_tokens ?? 4096,
    tools: facts?.tools ?? !lacksTools,
    images: false,
    usd_per_million_tokens: null,
  };
}
