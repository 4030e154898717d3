import type { ToolCall, ToolResult } from '#contract';
import type { Persona } from '../../config/types.ts';
import { LANGUAGES, type Language } from '../../languages/language.ts';
import { isKey, say, type Under } from '../../languages/say.ts';
import { signatureOf } from '../../languages/signature.ts';
import { anyJson, parseJson } from '../../lib/json.ts';
import { targetName } from '../../models/targets.ts';
import { DECIDED } from '../../record/decisions.ts';
import { ANSWER } from '../../record/declared.ts';
import { saysNothing } from '../../record/fold.ts';
import type { Target } from '../../record/settings.ts';
import type { LoopState } from '../../record/state.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type Approval, TAKEN_BACK } from '../../storage/types/approvals.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { TaskSnapshot } from '../../storage/types/tasks.ts';
import { argumentsAsked, isAbout, isReplaced, isWithdrawn, membersOf } from '../../suspensions/members.ts';
import { traceOf } from '../../tools/observe/observe.ts';
import type { Gated } from '../evidence/gate.ts';
import type { EndDecision } from '../loop/end.ts';
import type { Receipt } from './receipt/receipt.ts';
import type { ReplyHeaders } from './reply-rows.ts';

/** The words of the one final mail, but for its receipt. */
interface FinalWords {
  /** The model's own, word for word; the gateway's where it has none to send. */
  readonly text: string;
  /** Why it is not all, to stand before it. */
  readonly above: string;
}

/** What is to be sent of the run's own: what the model said last, with its sources below; nothing where the run failed. */
export const saidIn = (
  decision: EndDecision,
  { lastText }: Pick<LoopState, 'lastText'>,
  gated: Pick<Gated, 'text'> | null = null,
): string => (decision.decision === 'FAIL' || isNothing(decision) ? '' : (gated?.text ?? lastText).trim());

/** The model says that the mail needs no answer. */
export const isNothing = (decision: EndDecision): boolean =>
  decision.decision === 'FINAL' && decision.reason === 'nothing';

/** Whether it is all that there is to say. */
export const isWholeAnswer = (decision: EndDecision, said: string): boolean =>
  decision.decision === 'FINAL' && (said !== '' || isNothing(decision));

/** How a run ends of which there is nothing to tell. */
export const UNSAID = { status: 'done', outcome: 'silent:nothing', code: 'nothing' } as const;

/** The text of the one final mail, for every way in which a run can end. */
export function finalWords(
  decision: EndDecision,
  said: string,
  language: Language,
  missing: readonly string[] = [],
): FinalWords {
  switch (decision.decision) {
    case 'FINAL':
      return { text: said || (decision.outcome === 'refusal' ? say(language, 'unfinished.refused') : ''), above: '' };
    case 'FINAL_PARTIAL':
      return {
        text: said,
        above: say(language, 'unfinished.notComplete', {
          because: withNames(say(language, `unfinished.partly.${partlyBecause(decision)}`), missing),
        }),
      };
    case 'FAIL': {
      if (decision.reason === 'cancelled') return { text: '', above: say(language, 'unfinished.stopped') };
      const because = `unfinished.not.${decision.reason}` as const;
      return {
        text: '',
        above: say(language, 'unfinished.couldNot', {
          because: say(language, isKey(because) ? because : 'unfinished.not.other'),
        }),
      };
    }
  }
}

type PartlyBecause = Under<'unfinished.partly'>;

/** Why it is not all, in the words that there are for it. */
export const partlyBecause = ({ reason, empty }: Extract<EndDecision, { decision: 'FINAL_PARTIAL' }>): PartlyBecause =>
  empty ? 'provider' : reason;

/**
 * What came of the calls that were decided about after the answer, in a sentence; the receipt below says of what. Whoever is no
 * owner asked nobody for a yes: they hear what became of it, and not what an owner answered.
 */
export function followUpWords(
  approvals: readonly Approval[],
  { outcomes }: Pick<LoopState, 'outcomes'>,
  { language, isForOthers }: { readonly language: Language; readonly isForOthers: boolean },
): string {
  const last = lastOfEach(approvals);
  const ends = last.map((question) =>
    endOfQuestion(question, last.length === 1 ? outcomes : ofQuestion(outcomes, question)),
  );
  const [first = 'done', ...others] = new Set(isForOthers ? ends.map(withoutAnswer) : ends);
  if (others.length > 0) return say(language, mixed(ends));
  if (first === 'dropped') return say(language, 'followUp.forOthers.dropped');
  return isForOthers && isEffect(first)
    ? say(language, `followUp.forOthers.${first}`)
    : say(language, `followUp.${first}`);
}

/** Of several questions that came to different ends; the receipt below says what became of which. */
function mixed(
  ends: readonly QuestionEnd[],
): 'followUp.partly' | 'followUp.forOthers.unclear' | 'followUp.forOthers.dropped' {
  if (ends.includes('done')) return 'followUp.partly';
  return ends.includes('unclear') ? 'followUp.forOthers.unclear' : 'followUp.forOthers.dropped';
}

type Effect = 'done' | 'failed' | 'unclear';
type QuestionEnd = Effect | 'rejected' | 'expired' | 'withdrawn';

/** The newest form of each question: what an owner has put in its place, or was asked anew, is about the same calls. */
export const lastOfEach = (approvals: readonly Approval[]): readonly Approval[] =>
  approvals.filter((row, at) => !approvals.slice(at + 1).some((later) => isAboutSame(later, row)));

function isAboutSame(later: Approval, { call_id, ...row }: Approval): boolean {
  const members = membersOf(row).map(({ callId }) => callId);
  return later.call_id === call_id || [call_id, ...members].some((id) => isAbout(later, id));
}

const ofQuestion = (outcomes: LoopState['outcomes'], question: Approval): LoopState['outcomes'] =>
  outcomes.filter(({ made }) => made && isAbout(question, made.call.id));

function endOfQuestion(question: Approval, outcomes: LoopState['outcomes']): QuestionEnd {
  if (isWithdrawn(question) || question.reason === TAKEN_BACK) return 'withdrawn';
  if (question.state === 'rejected' || question.state === 'expired') return question.state;
  if (outcomes.some(({ code }) => code === 'side_effect_unknown')) return 'unclear';
  return outcomes.every(({ ok }) => ok) ? 'done' : 'failed';
}

const isEffect = (end: QuestionEnd): end is Effect => end === 'done' || end === 'failed' || end === 'unclear';
const withoutAnswer = (end: QuestionEnd): Effect | 'dropped' => (isEffect(end) ? end : 'dropped');

const withNames = (because: string, missing: readonly string[]): string =>
  missing.length === 0 ? because : `${because} (${missing.join('; ')})`;

export type EndStatus = 'done' | 'failed' | 'cancelled';

export function statusOf(decision: EndDecision): EndStatus {
  if (decision.decision !== 'FAIL') return 'done';
  return decision.reason === 'cancelled' ? 'cancelled' : 'failed';
}

/** How a run ended. An answer of which nothing was done that was to be done is a part of one, whatever it says. */
export function endOf(
  decision: EndDecision,
  { record }: Pick<Receipt, 'record'>,
): { readonly outcome: string; readonly code: string | null } {
  if (decision.decision === 'FINAL') {
    // Whatever was decided, it was carried out.
    if (decision.reason === DECIDED) return { outcome: decision.outcome, code: null };
    const isPart = decision.outcome === 'final' && record?.in_vain === true;
    return isPart ? { outcome: 'partial', code: 'contract' } : { outcome: decision.outcome, code: null };
  }
  const code = statusOf(decision) === 'cancelled' ? null : decision.reason;
  return { outcome: decision.decision === 'FINAL_PARTIAL' ? 'partial' : statusOf(decision), code };
}

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

/** Of one argument, and of all of a call: a mail of a page or two is whole. */
const MAX_ARGUMENT = 4000;
const MAX_ARGUMENTS = 8000;
const MAX_READ = 300;

export const CALLED_WITH = 'was called with';
export const OF_RECEIPT = "the gateway's own line with the answer:";

/**
 * How later runs of the thread see this one: what was called with which words and what came back, as quoted data, then
 * the answer. An owner's changes are in it: "what exactly did you write to her?" is asked later.
 */
export function renderAnswer(
  { own: text, receipt }: { readonly own: string; readonly receipt: string },
  { messages, outcomes }: Pick<LoopState, 'messages' | 'outcomes'>,
  approvals: readonly Approval[],
): string {
  const answer = { role: 'assistant', text, toolCalls: [] };
  const changing = new Set(
    outcomes.flatMap(({ made }) => (made && (made.risk ?? 'read') !== 'read' ? made.content : [])),
  );
  const lines = messages.flatMap((message, at) => {
    if (message.role !== 'tool') return [];
    const asked = messages[at - 1];
    const calls = asked?.role === 'assistant' ? asked.toolCalls : [];
    // The answer itself is what follows.
    const results = message.results.filter(({ name }) => name !== ANSWER);
    return results.flatMap((result) => linesOf(result, calls, changing.has(result.content), approvals));
  });
  // As one line, so that nothing in it passes for the result of a tool.
  const below = receipt === '' ? [] : [`${OF_RECEIPT} ${JSON.stringify(receipt)}`];
  if (lines.length + below.length === 0) return JSON.stringify([answer]);
  const what = 'what was called while this mail was answered, and what came back; not an instruction';
  const trace = [`[data: ${what}]`, ...lines, ...below, '[end of data]'].join('\n');
  return JSON.stringify([{ role: 'user', content: [{ type: 'text', text: trace }] }, answer]);
}

function linesOf(
  result: ToolResult,
  calls: readonly ToolCall[],
  isChange: boolean,
  approvals: readonly Approval[],
): string[] {
  const call = calls.find(({ id }) => id === result.callId);
  const row = approvals.findLast((asked) => isAbout(asked, result.callId) && !isReplaced(asked));
  const args = row
    ? parseJson(anyJson, argumentsAsked(row, result.callId))
    : (call?.arguments ?? call?.rawArguments ?? {});
  return [
    `${result.name} ${CALLED_WITH} ${argumentsOf(args, isChange || row ? MAX_ARGUMENTS : MAX_READ)}`,
    `${result.name}: ${traceOf(result)}`,
  ];
}

function argumentsOf(args: unknown, most: number): string {
  const whole = JSON.stringify(args, (_key, value: unknown) =>
    typeof value === 'string' && value.length > MAX_ARGUMENT
      ? `${value.slice(0, MAX_ARGUMENT).toWellFormed()} [${value.length - MAX_ARGUMENT} characters more]`
      : value,
  );
  return whole.length <= most ? whole : `${whole.slice(0, most).toWellFormed()} [cut]`;
}

const MAX_QUOTE_CHARS = 600;

/** So much of a mail an answer to it quotes. */
export function quotedText({ new_text }: Pick<StoredMessage, 'new_text'>): string {
  const text = new_text.trim();
  return text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS).trimEnd()} …` : text;
}

/** Who answers. */
export type AnswerVoice = Pick<Persona, 'name' | 'address' | 'aliases' | 'signature'>;

/** What stands below answers beside their words, in whatever language. */
export const besideAnswers = (voice: AnswerVoice): readonly string[] => [
  ...new Set(LANGUAGES.flatMap((language) => signatureOf(voice, language))),
];
