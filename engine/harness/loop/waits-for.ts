import type { ToolCall } from '#contract';
import { canonicalJson } from '../../lib/json.ts';
import { leavesOf, plain } from '../../policy/approval/after-failure.ts';
import type { CallError, Executable } from '../../policy/call.ts';
import type { WaitingCall } from '../../record/state.ts';
import type { LoopRun } from './loop-run.ts';

/**
 * Why a call cannot be made before one that waits: it is the same, or its arguments name what that one is to change or to
 * make. Addresses that mail goes to are nothing that a call would give. Null: it depends on none.
 */
export function waitsFor({ state, settings }: LoopRun, next: Executable): CallError | null {
  if (next.risk === 'read') return null;
  const given = new Set(leavesOf(next.call.arguments ?? null).map(plain));
  const first = state.waits.find((waiting) => isSame(waiting.call, next.call) || namesAny(given, waiting));
  if (first === undefined) return null;
  const whose = settings.later?.of ?? 'an owner';
  return {
    code: 'waits_for',
    message: `${first.call.name} (${first.call.id}) waits for the word of ${whose}, and this call depends on it; say in your answer that both wait`,
    retryable: false,
  };
}

const isSame = (one: ToolCall, other: ToolCall): boolean =>
  one.name === other.name && canonicalJson(one.arguments ?? null) === canonicalJson(other.arguments ?? null);

const namesAny = (given: ReadonlySet<string>, { call, targets }: WaitingCall): boolean =>
  given.has(plain(call.id)) || targets.some((target) => !target.includes('@') && given.has(plain(target)));
