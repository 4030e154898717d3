import { repetitionIn } from '../lib/text/repetition.ts';
import type { Executable } from '../policy/call.ts';
import { isWordForNothing, waitsFor } from '../record/fold.ts';
import type { PinnedSettings } from '../record/settings.ts';
import { kindOfTool } from '../suspensions/kinds.ts';
import type { Gated } from './evidence/gate.ts';
import { copiesOf, withCopiesOf } from './respond/copies.ts';
import { recipientsOf } from './respond/recipients.ts';
import { composeReply, isTaken, type RespondOptions, replyEnvelope, replyModeOf } from './respond/respond.ts';

interface SoFar extends Omit<RespondOptions, 'decision' | 'gated' | 'meantFor'> {
  /** What is put before owners now. */
  readonly calls: readonly Executable[];
  readonly limits: Pick<PinnedSettings['limits'], 'mails_beside'>;
  judge(text: string): Promise<Gated>;
}

/**
 * Stages what the model has said beside calls whose results come later, as the answer so far: once in a run, to whoever
 * wrote, and only where the answer is sent and nobody is asked to agree to any call. What the gate has something against
 * waits for the rest. It leaves with the transaction in which the run begins to wait. Whether there is such a mail.
 */
export async function answerSoFar(options: SoFar): Promise<boolean> {
  const { loaded, persona, state, recorder, judge } = options;
  const said = soFarIn(options);
  if (said === null || state.saidSoFar || loaded.trigger.kind !== 'mail') return false;
  if (replyModeOf(persona, loaded) !== 'send' || (await isTaken(options))) return false;
  const recipients = await recipientsOf(options);
  if (recipients.to.length === 0) return false;
  // As it was said: hooks look at the model's own words alone.
  const { text, verdict } = await judge(said);
  // What its contract lacks may be in the rest.
  if (verdict.gaps.some(({ check }) => check !== 'contract')) return false;
  const words = { text, above: '', below: '', own: text, receipt: '' };
  const composed = { ...options, state: { ...state, messages: [], outcomes: [] }, mode: 'send', files: [] } as const;
  const envelope = replyEnvelope(loaded.message, persona);
  const copies = await copiesOf(options.copying, options, recipients, { subject: envelope.subject, body: text });
  const all = withCopiesOf(recipients, copies);
  const { message, mail } = await composeReply({ ...composed, purpose: 'so_far' }, words, all, envelope);
  if (mail === null) return false;
  recorder.outgoing({ thread: null, message, mail });
  recorder.event('answered_so_far', { outbox_id: mail.row.id, message_id: message.message_id });
  return true;
}

/**
 * The words of a turn of which nothing is open but what was begun elsewhere, and what owners are only to say in words; null
 * where it has none. A question that was put before is no reason: its answer may be here by now, and the words do not know it.
 */
function soFarIn({ state: { pending, messages }, calls, limits }: SoFar): string | null {
  const open = waitsFor(pending);
  const turn = messages.at(-1);
  if (open.length + calls.length === 0 || turn?.role !== 'assistant') return null;
  if (isUnfit(turn.text)) return null;
  const areWords = calls.every(({ tool }) => kindOfTool(tool.definition) === 'answer');
  if (!areWords || (calls.length > 0 && (limits.mails_beside === undefined || hasFailed(pending)))) return null;
  return open.every((id) => pending?.suspended.get(id)?.kind === 'external') ? turn.text : null;
}

/** The words were written before it was known that a call beside them came to nothing, and may tell of it as done. */
const hasFailed = (pending: SoFar['state']['pending']): boolean =>
  [...(pending?.results.values() ?? [])].some(({ isError }) => isError);

/** No words, the word by which a model says that it has none, or the same words again and again. */
const isUnfit = (text: string): boolean => text.trim() === '' || isWordForNothing(text) || repetitionIn(text) !== null;
