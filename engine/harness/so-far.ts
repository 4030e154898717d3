import { waitsFor } from '../record/fold.ts';
import type { Gated } from './evidence/gate.ts';
import { recipientsOf } from './respond/recipients.ts';
import { composeReply, type RespondOptions, replyEnvelope, replyModeOf } from './respond/respond.ts';

/**
 * Stages what the model has said beside calls whose results come later, as the answer so far: once in a run, to whoever
 * wrote, and only where the answer is sent and nobody is asked about any call. What the gate has something against waits
 * for the rest. It leaves with the transaction in which the run begins to wait.
 */
export async function answerSoFar(
  options: Omit<RespondOptions, 'decision' | 'gated' | 'meantFor'> & {
    /** Whether calls are put before owners. */
    readonly isHeld: boolean;
    judge(text: string): Promise<Gated>;
  },
): Promise<void> {
  const { loaded, persona, state, recorder, judge, isHeld } = options;
  const said = soFarIn(state);
  if (said === null || isHeld || state.saidSoFar || loaded.trigger.kind !== 'mail') return;
  if (replyModeOf(persona, loaded) !== 'send') return;
  const recipients = await recipientsOf(options);
  if (recipients.to.length === 0) return;
  const { text, verdict } = await judge(said);
  // What its contract lacks may be in the rest.
  if (verdict.gaps.some(({ check }) => check !== 'contract')) return;
  const words = { text, above: '', below: '', own: text, receipt: '' };
  const composed = { ...options, state: { ...state, messages: [], outcomes: [] }, mode: 'send', files: [] } as const;
  const envelope = replyEnvelope(loaded.message, persona);
  const { message, mail } = await composeReply({ ...composed, purpose: 'so_far' }, words, recipients, envelope);
  if (mail === null) return;
  recorder.outgoing({ thread: null, message, mail });
  recorder.event('answered_so_far', { outbox_id: mail.row.id, message_id: message.message_id });
}

/** The words of a turn of which nothing is open but what was begun elsewhere; null where it has none. */
function soFarIn({ pending, messages }: RespondOptions['state']): string | null {
  const open = waitsFor(pending);
  const turn = messages.at(-1);
  if (open.length === 0 || turn?.role !== 'assistant' || turn.text.trim() === '') return null;
  return open.every((id) => pending?.suspended.get(id)?.kind === 'external') ? turn.text.trim() : null;
}
