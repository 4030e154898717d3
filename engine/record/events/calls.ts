import { z } from 'zod';
import type { ToolResult } from '#contract';
import { anyJson } from '../../lib/json.ts';
import { HELD, WAITING } from '../../storage/types/runs.ts';
import type { Observation } from '../codec/fields.ts';
import { asked, list, observation, risk, sensed } from '../codec/fields.ts';
import { ANSWER } from '../declared.ts';
import { OWN_WORDS } from '../own-words.ts';
import type { CallOnRecord, Folding, FoldingTurn } from '../state.ts';
import { event } from './define.ts';

// What becomes of calls of tools.

export const callEvents = {
  permission: event(
    {
      call_id: z.string(),
      tool: z.string(),
      /** The plan that it is a step of. */
      step_of: z.string().optional(),
      verdict: z.enum(['allow', 'approve', 'deny']),
      code: z
        .enum([
          'policy_denied',
          'policy_requires_approval',
          'policy_rate_limited',
          'policy_scope_missing',
          'policy_quota_exceeded',
        ])
        .nullish(),
      risk,
      by: z.string(),
      asked: asked.optional(),
      targets: list(z.string()).optional(),
      /** Arguments that the playbook of the run has put in. */
      filled: list(z.string()).optional(),
      /** What stood in its way besides the governor. */
      refused: z.enum(['invalid', 'unknown', 'denied', 'skipped', 'act_directly', 'needless']).optional(),
    },
    {
      fold({ pending }, { verdict, call_id, by, asked }) {
        if (verdict === 'deny') pending?.denied.set(call_id, by);
        if (verdict === 'allow' && by === OWN_WORDS && asked?.ownWords?.verdict === 'counts')
          pending?.ownWords.add(call_id);
      },
    },
  ),
  tool_call_intended: event(
    {
      call_id: z.string(),
      tool: z.string(),
      step_of: z.string().optional(),
      risk,
      /** Arguments of a plan's step, which no turn of the model holds. */
      arguments: anyJson.optional(),
      targets: list(z.string()).optional(),
    },
    {
      fold(state, { call_id: id, tool, risk, targets = [], step_of, arguments: args }) {
        const { pending } = state;
        if (!pending) return;
        pending.targets.set(id, targets);
        if (step_of !== undefined) {
          pending.begun.set(id, { call: { id, name: tool, arguments: args }, plan: step_of, risk });
          return;
        }
        if (pending.intended.size === 0) state.toolSteps += 1;
        pending.intended.set(id, risk);
      },
    },
  ),
  tool_call_ended: event({
    call_id: z.string(),
    tool: z.string(),
    step_of: z.string().optional(),
    ok: z.boolean(),
    code: z.string().nullable(),
    ms: z.number(),
    sensed: sensed.optional(),
  }),
  observation: event(observation.shape, {
    fold(state, seen) {
      if (seen.step_of === undefined) addResult(state, seen);
      else addStep(state, seen);
    },
  }),
};

/** A step of an approved plan has its result; the plan's own result is that of the model's call. */
function addStep({ pending, outcomes, toolTurns }: Folding, seen: Observation): void {
  pending?.steps.set(seen.call_id, seen);
  const { tool, ok, code, content } = seen;
  const begun = pending?.begun.get(seen.call_id);
  const made = begun && pending ? { made: madeCall(pending, { ...begun, content, turn: toolTurns }) } : {};
  outcomes.push({ tool, ok, code, ...made });
}

/** A call's result; the last one of its turn goes back to the model with the others. */
function addResult(state: Folding, seen: Observation): void {
  const { pending } = state;
  if (!pending) return;
  if (seen.facts) state.facts.set(seen.call_id, seen.facts);
  pending.results.set(seen.call_id, resultOf(seen));
  // What was executed once counts once, however often it was asked for.
  if (seen.same_as === undefined) countResult(state, pending, seen);
  if (pending.results.size < pending.calls.length) return;
  const { succeeded, failed } = state.turn;
  if (succeeded || failed) state.failedTurns = succeeded ? 0 : state.failedTurns + 1;
  const results = pending.calls.flatMap((call) => pending.results.get(call.id) ?? []);
  state.messages.push({ role: 'tool', results });
  state.pending = null;
}

const resultOf = ({ call_id, tool, content, ok }: Observation): ToolResult => ({
  callId: call_id,
  name: tool,
  content,
  isError: !ok,
});

function countResult(state: Folding, pending: FoldingTurn, { call_id, tool, ok, code, content }: Observation) {
  // An answer is no work that was done.
  if (tool === ANSWER) return;
  const call = pending.calls.find(({ id }) => id === call_id);
  const known = { content, risk: pending.intended.get(call_id) ?? null, turn: state.toolTurns };
  const made = call ? { made: madeCall(pending, { call, ...known }) } : {};
  // Nothing is done, and nothing has failed.
  if (code === WAITING || code === HELD) {
    if (call && code === WAITING) state.waits.push({ call, targets: pending.targets.get(call_id) ?? [] });
    state.outcomes.push({ tool, ok: false, code, ...made });
    state.toolCalls += 1;
    return;
  }
  state.outcomes.push({ tool, ok, code, ...made });
  if (code === 'skipped') return;
  state.toolCalls += 1;
  // An owner's no is an answer, not a failure: the model still gets to say what it means for the sender.
  const isNo = code === 'policy_denied' && pending.asked.has(call_id);
  if (!isNo) state.consecutiveFailures = ok ? 0 : state.consecutiveFailures + 1;
  if (!isNo) state.turn = { succeeded: state.turn.succeeded || ok, failed: state.turn.failed || !ok };
  if (ok) state.anySucceeded = true;
}

const madeCall = (
  pending: FoldingTurn,
  begun: Pick<CallOnRecord, 'call' | 'content' | 'risk' | 'turn'>,
): CallOnRecord => ({
  ...begun,
  targets: pending.targets.get(begun.call.id) ?? [],
  approval: pending.questions.get(begun.call.id) ?? null,
  deniedBy: pending.denied.get(begun.call.id) ?? null,
  ...(pending.ownWords.has(begun.call.id) ? { ownWords: true } : {}),
  waited: pending.suspended.has(begun.call.id),
});
