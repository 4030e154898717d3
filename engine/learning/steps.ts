import type { Json, ToolCall } from '#contract';
import type { Condition, PinnedPlaybook } from '../record/codec/playbook.ts';
import type { PayloadOf } from '../record/events.ts';
import { allHold, fill, holds, type PlaybookScope } from './places.ts';

type LeaveReason = PayloadOf<'playbook_left'>['reason'];

/** A step that was made and has its result. */
export interface MadeStep {
  /** Its place among the steps, from 1. */
  readonly step: number;
  readonly ok: boolean;
  readonly code: string | null;
  /** As a model would get it. */
  readonly content: Json;
}

type NextStep =
  | { readonly do: 'call'; readonly step: number; readonly call: ToolCall }
  /** All are made: what is left is the answer. */
  | { readonly do: 'answer' }
  /** The model works from here on. */
  | { readonly do: 'leave'; readonly step: number; readonly reason: LeaveReason };

/**
 * What a playbook in mode `policy` does next, from what it has done. Pure: a run that goes on after a restart comes to the
 * same.
 */
export function nextStep(pinned: PinnedPlaybook, made: readonly MadeStep[], scope: PlaybookScope): NextStep {
  const { steps, stop } = pinned.playbook;
  const last = made.at(-1);
  const wrong = last && wrongWith(last, steps[last.step - 1]?.expect ?? []);
  if (last && wrong) return { do: 'leave', step: last.step, reason: wrong };
  const done = last?.step ?? 0;
  if (steps.length === 0 || stop.some((one) => holds(one, scope)))
    return { do: 'leave', step: done + 1, reason: 'stop' };
  const at = steps.findIndex(({ when = [] }, index) => index >= done && allHold(when, scope));
  const next = steps[at];
  if (!next) return { do: 'answer' };
  const filled = fill(next.arguments, scope);
  if (filled === null) return { do: 'leave', step: at + 1, reason: 'unfilled' };
  return { do: 'call', step: at + 1, call: { id: `playbook_${at + 1}`, name: next.tool, arguments: filled } };
}

function wrongWith({ ok, code, content }: MadeStep, expected: readonly Condition[]): LeaveReason | null {
  if (!ok) return DENIED.has(code ?? '') ? 'denied' : 'failed';
  return allHold(expected, { result: resultIn(content) }) ? null : 'unexpected';
}

const DENIED: ReadonlySet<string> = new Set([
  ...['policy_denied', 'policy_requires_approval', 'policy_rate_limited', 'policy_scope_missing'],
  'policy_quota_exceeded',
]);

function resultIn(content: Json): Json {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  const { result = null } = content as { readonly [key: string]: Json };
  return result;
}
