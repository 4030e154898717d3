import { EngineError, type GenerateRequest, type ModelInfo, type Risk, type ToolCall } from '#contract';
import type { RegisteredTool } from '../../extensions/types.ts';
import { fingerprintOf } from '../../policy/approval.ts';
import { isAbout, membersOf, withFingerprints } from '../../policy/batch.ts';
import type { Executable, Prepared, Refused } from '../../policy/call.ts';
import { judge } from '../../policy/governor.ts';
import type { Permission } from '../../policy/permission.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import { argumentsOf } from '../../storage/types/approvals.ts';

import type { Executed } from '../../tools/observe/executed.ts';
import type { LoopRun } from '../loop/loop-run.ts';
import type { Claim, Event, Payload } from './record.ts';

/** The record ends here: what came next was never written, because the process died or somebody ended the run. */
export class RecordEnded extends Error {
  override readonly name = 'RecordEnded';
}

/** Codes of calls that never ran, where no permission was on record. */
const REFUSED: Readonly<Record<string, Refused['verdict']>> = {
  tool_unknown: 'unknown',
  tool_not_found: 'unknown',
  invalid_arguments: 'invalid',
  policy_denied: 'denied',
  policy_scope_missing: 'denied',
};

/**
 * Everything around the loop, played from the record: models say what they said, tools return what they returned, the
 * clock shows what it showed. What the loop makes of it is up to the code of today. `replayed` grows as the loop goes.
 */
export function worldOf(options: {
  claim: Claim;
  replayed: readonly Event[];
  resultOf(callId: string, nth: number): Payload;
  stop: AbortController;
  /** Hears what each model is asked. */
  requested(call: number, request: GenerateRequest): void;
}) {
  const { claim, replayed, resultOf, stop, requested } = options;
  const { written } = claim;
  const rest = () => written.slice(replayed.length);
  /** What is left of the turn under way: a vendor may give the ids of its calls again in a later one. */
  const turn = () => {
    const left = rest();
    const end = left.findIndex(({ type }) => type === 'model_call_ended');
    return end < 0 ? left : left.slice(0, end);
  };
  const nextOf = (type: Event['type']) => rest().find((event) => event.type === type)?.data;
  const ofCall = (type: Event['type'], callId: string) =>
    turn().find(({ type: of, data }) => of === type && data.call_id === callId)?.data;
  /** Also of earlier claims: on the way back from a restart nothing is asked a second time. */
  const lastOfCall = (type: Event['type'], callId: string): Payload => {
    const row = claim.before.findLast(
      (event) => event.type === type && JSON.parse(event.payload_json).call_id === callId,
    );
    return row === undefined ? undefined : JSON.parse(row.payload_json);
  };
  const ended = (): never => {
    const reason = new RecordEnded('the record ends here');
    stop.abort(reason);
    throw reason;
  };

  async function prepareCall(call: ToolCall): Promise<Prepared> {
    const asked = ofCall('permission', call.id);
    const seen = ofCall('observation', call.id);
    const permission = judgedAgain(asked);
    const began = ofCall('tool_call_intended', call.id) ?? lastOfCall('tool_call_intended', call.id);
    const without = permission === null && began === undefined ? REFUSED[seen?.code] : undefined;
    const verdict = permission?.verdict === 'deny' ? 'denied' : (asked?.refused ?? without);
    if (verdict !== undefined) return { verdict, call, error: errorOf(call, seen), permission };
    return executableOf(call, permission ?? lastOfCall('permission', call.id), began, seen);
  }

  /** Of what was not told whole, as it came out then. Limits of calls are asked after the governor (`useTool`). */
  function judgedAgain(told: Payload): Permission | null {
    if (!told?.asked) return told ?? null;
    const { quota: _asked, ...others } = told.asked;
    return judge(others);
  }

  /** Exactly the steps that were stored. */
  const stepsOf = (plan: ToolCall, args: Payload): readonly Executable[] =>
    args.steps.map((step: Payload, index: number): Executable => {
      const call = { id: `${plan.id}.${index + 1}`, name: step.tool, arguments: step.arguments };
      const began = ofCall('tool_call_intended', call.id) ?? lastOfCall('tool_call_intended', call.id);
      const told = judgedAgain(ofCall('permission', call.id)) ?? undefined;
      return executableOf(call, told, began, ofCall('observation', call.id));
    });

  function executableOf(call: ToolCall, known: Payload, began: Payload, seen: Payload): Executable {
    const row = askedNow(call.id) ?? claim.approvals.map((each) => asOwn(each, call.id)).findLast((each) => each);
    // As it was put before an owner; of a plan that is more than what the model's own call may do.
    const risk = askedNow(call.id)?.risk ?? began?.risk ?? known?.risk ?? row?.risk ?? 'read';
    const args = askedArguments(call.id) ?? call.arguments ?? {};
    const asks = row === undefined || row.kind === 'call' ? undefined : row.kind;
    return {
      verdict: known?.verdict === 'approve' || askedNow(call.id) ? 'needs_approval' : 'run',
      call,
      tool: stubOf(call.name, { risk, asks, isUnknown: seen?.code === 'side_effect_unknown' }),
      args,
      risk,
      permission: known ?? { verdict: 'allow', risk, by: 'record' },
      preview: row === undefined || row.basis === null ? null : { text: row.preview ?? '', basis: row.basis },
      targets: (ofCall('permission', call.id) ?? lastOfCall('permission', call.id))?.targets ?? began?.targets ?? [],
      ...(asks === 'plan' ? { steps: stepsOf(call, args) } : {}),
    };
  }

  /** What owners are asked about this call at the end of the turn under way. */
  const askedNow = (callId: string): Approval | undefined => {
    const items: readonly Payload[] = turn().find(({ type }) => type === 'approval_requested')?.data.items ?? [];
    const asked = items.find(({ call_id, calls = [call_id] }) => calls.includes(callId))?.approval_id;
    const row = claim.asked.find(({ id }) => id === asked);
    return row && asOwn(row, callId);
  };

  /** As an owner was asked about them: with whatever the tool's schema had filled in. */
  function askedArguments(callId: string): unknown {
    const row = askedNow(callId);
    return row === undefined ? undefined : argumentsOf(row);
  }

  /** How it was refused is the tool's or the policy's wording of that time. */
  function errorOf(call: ToolCall, seen: Payload) {
    const stored = resultOf(call.id, nthOf(call.id));
    return stored?.error ?? { code: seen?.code ?? 'policy_denied', message: '' };
  }

  const nthOf = (callId: string): number =>
    claim.before.filter(
      ({ type, payload_json }) => type === 'observation' && JSON.parse(payload_json).call_id === callId,
    ).length + replayed.filter(({ type, data }) => type === 'observation' && data.call_id === callId).length;

  async function executeCall({ call }: { readonly call: ToolCall }): Promise<Executed> {
    const seen = ofCall('observation', call.id);
    const stored = resultOf(call.id, nthOf(call.id));
    if (seen === undefined || stored === undefined) return ended();
    const { observed_at } = JSON.parse(seen.content);
    const when = { ms: 0, ...(observed_at === undefined ? {} : { at: Date.parse(observed_at) }) };
    const facts = seen.facts === undefined ? {} : { facts: seen.facts };
    return stored.ok
      ? { ok: true, result: stored.result, ...facts, ...when }
      : { ok: false, error: stored.error, ...when };
  }

  const models: LoopRun['models'] = {
    cooldowns: {
      rest: async () => {},
      // Which provider rested then is told by which one was asked.
      isResting: (provider) => provider !== (nextOf('model_call_started')?.provider ?? provider),
      list: () => [],
    },
    info: (target) => infoFrom(written, target),
    adapter: async () => ({
      async generate(request) {
        requested(replayed.findLast(({ type }) => type === 'model_call_started')?.data.call, request);
        const [answer] = rest();
        if (answer?.type !== 'model_call_ended') return ended();
        const { ok, response, code, message, retry_after_ms, cost_usd } = answer.data;
        if (ok) return { ...response, reportedCostUsd: cost_usd ?? null };
        const wait = retry_after_ms ?? null;
        throw new EngineError(code, message, { retry: wait === null ? 'never' : { afterMs: wait } });
      },
    }),
  };

  return {
    prepareCall,
    executeCall,
    /** A limit that stood in its way is part of what the governor was told. */
    useTool: async ({ id }: ToolCall) => ofCall('permission', id)?.asked?.quota ?? null,
    models,
    /** Of a tool that is not among the pinned ones: as the governor was told when it was called all the same. */
    riskOf: (tool: string): Risk | null => {
      const told = [
        ...claim.before.map(({ type, payload_json }) => ({ type, data: JSON.parse(payload_json) })),
        ...written,
      ];
      return told.findLast(({ type, data }) => type === 'permission' && data.tool === tool)?.data.risk ?? null;
    },
    /** Time of work, as it was at the next decision. */
    activeMs: (): number => nextOf('decision')?.active_ms ?? 0,
    /** The hour at which an answer was judged; nothing else that lasts is told by the clock. */
    now: (): number => nextOf('decision')?.judged_at ?? 0,
    driftedSources: async (): Promise<ReadonlySet<string>> => new Set(nextOf('decision')?.drifted ?? []),
    store: {
      /** Granted where the call was made then; a run that was put back to wait for others wrote nothing. */
      reserveBudget: async () => {
        const [next] = rest();
        if (next === undefined) return 'in_use' as const;
        if (next.type !== 'model_call_started') return { spent: 'usd_per_day' as const };
        const { max_output_tokens, reserved_usd, capped = null } = next.data;
        return { outputTokens: max_output_tokens, usd: reserved_usd, capped };
      },
    },
    /** Whether calls had to ask for money; the world knows what came of it. */
    isLimited:
      written.some(({ data }) => data.reserved_usd !== undefined || data.reason === 'budget') ||
      written.at(-1)?.data.decision === 'CONTINUE_MODEL_LOOP',
    approvals: claim.approvals.map((row): Approval => asThen(row, ofCall('observation', row.call_id))),
  };
}

/** A tool that had changed since it was asked about is one with another fingerprint. */
function asThen(row: Approval, seen: Payload): Approval {
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

function infoFrom(written: readonly Event[], target: { readonly provider: string; readonly model: string }): ModelInfo {
  const facts = written.find(
    ({ type, data }) =>
      type === 'model_call_started' && data.provider === target.provider && data.model === target.model,
  )?.data.model_info;
  const name = `${target.provider}/${target.model}`;
  const lacksTools = written.some(({ data }) => data.without_tools?.includes(name));
  return {
    context_tokens: facts?.context_tokens ?? 128_000,
    max_output_tokens: facts?.max_output_tokens ?? 4096,
    tools: facts?.tools ?? !lacksTools,
    images: false,
    usd_per_million_tokens: null,
  };
}

function stubOf(
  name: string,
  { risk, asks, isUnknown }: { risk: Risk; asks?: 'answer' | 'plan' | undefined; isUnknown: boolean },
): RegisteredTool {
  return {
    name,
    manifest: {
      name,
      kind: 'tool',
      api: 1,
      summary: name,
      entry: 'index.js',
      secrets: {},
      config: {},
      capabilities: [],
    },
    definition: {
      description: '',
      risk: 'read',
      scope: 'files:read',
      input: {},
      ...(asks === undefined ? {} : { asks }),
      effect: isUnknown ? 'unknown' : risk === 'read' ? 'none' : 'idempotent',
      run: () => null,
    },
    config: null,
    secrets: () => ({}),
    inputSchema: {},
    validate: (value) => ({ ok: true, value }),
    validateOutput: (value) => ({ ok: true, value }),
    ready: () => null,
  };
}
