import { targetName } from '../../models/targets.ts';
import type { Target } from '../../record/settings.ts';
import { type LoopState, saysNothing } from '../../record/state.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { TaskSnapshot } from '../../storage/types/tasks.ts';

import type { EndDecision } from '../loop/end.ts';
import type { ReplyHeaders } from './reply-rows.ts';
import { UNSAID } from './texts.ts';

type End = { readonly status: 'done' | 'failed' | 'cancelled'; readonly outcome: string; readonly code: string | null };

/**
 * Why a task's run ends without a mail; null when there is one. Nobody asked, so nobody waits for an answer: a failure
 * is told to the owner by the schedule, once per incident, and no news is no mail.
 */
export function taskUnsaid(decision: EndDecision, state: LoopState): End | null {
  if (decision.decision === 'FAIL' && decision.reason === 'cancelled')
    return { status: 'cancelled', outcome: 'cancelled', code: null };
  if (decision.decision === 'FAIL') return { status: 'failed', outcome: 'failed', code: decision.reason };
  if (decision.decision !== 'FINAL' || decision.outcome !== 'final') return null;
  // Its answer is that what it was to do is done.
  if (decision.reason === 'contract_met') return null;
  return saysNothing(state.declared === null ? lastTurnText(state) : state.lastText) ? UNSAID : null;
}

/** What the model said last; an empty turn is not kept, and the words of an earlier one are not its answer. */
function lastTurnText({ messages }: LoopState): string {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last.text : '';
}

/** The final, with a line that says so when another model than the task's own wrote it. */
export function taskText(
  final: string,
  { state, meantFor }: { state: LoopState; meantFor: Target | undefined },
): string {
  const last = state.messages.findLast(({ role }) => role === 'assistant');
  const parts = last?.role === 'assistant' ? last.providerParts : undefined;
  if (!meantFor || !parts || (parts.provider === meantFor.provider && parts.model === meantFor.model)) return final;
  return `${final}\n\n(${parts.provider}/${parts.model} wrote this; ${targetName(meantFor)}, which this task is meant for, did not answer.)`;
}

/** A mail of its own, or the next of a sticky task's conversation. */
export async function taskEnvelope(
  { loaded, store }: { loaded: LoadedRun; store: Pick<Store, 'lastSent'> },
  task: TaskSnapshot,
): Promise<ReplyHeaders> {
  const before = task.sticky ? await store.lastSent(loaded.run.thread_id) : undefined;
  const references = before ? [...before.references, before.message_id] : [];
  return { kind: 'task', subject: task.name, inReplyTo: before?.message_id ?? null, references, quote: null };
}
