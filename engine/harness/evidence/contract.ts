import { ADMITS, ADMITS_INSIDE } from './acts.ts';
import type { Evidence } from './evidence.ts';
import { DOES, type Output, type TaskFrame } from './frame.ts';
import { anyOf, plain } from './text.ts';

/** What an answer of a kind has to rest on. A plain conversation needs nothing but words. */
export interface ContractVerdict {
  readonly kind: TaskFrame['kind'];
  readonly required: readonly Output[];
  readonly missing: readonly Output[];
}

/** What a model can do about a gap, and what the reader of a partial answer is told. */
export const GAPS: Readonly<Record<Exclude<Output, 'answer'>, { model(frame: TaskFrame): string; person: string }>> = {
  source: {
    model: ({ sources }) =>
      `The mail asks for facts from files or mail, and nothing was read or searched. Look first, with ${sources.join(' or ')}.`,
    person: 'a look into the files or the mail that the question is about',
  },
  action_result: {
    model: ({ acts }) =>
      `The mail asks for something to be done (${acts.map(({ act, target }) => (target ? `${act}: ${target}` : act)).join(', ')}), and no call did it. Do it, or say plainly that it is not done.`,
    person: 'what the mail asks to be done',
  },
};

const admits = anyOf(ADMITS);

/** Whether an answer says of itself that something failed, is not done or waits. */
const admitsFailure = (text: string): boolean => {
  const said = plain(text);
  return admits.test(said) || ADMITS_INSIDE.test(said);
};

/** Pure: the frame's outputs against what the run has. */
export function contractOf(
  frame: TaskFrame | null,
  text: string,
  evidence: readonly Evidence[],
  /** Tools that succeeded in earlier runs of the thread, as far as the model was shown. */
  earlier: () => readonly string[],
): ContractVerdict {
  const required = frame?.expected_outputs ?? ['answer'];
  const has: Readonly<Record<Output, () => boolean>> = {
    answer: () => text.trim() !== '',
    // A look that failed was a look: what it found out is that there was nothing to be had.
    source: () => evidence.some(isLook) || asksBack(text) || earlier().some((tool) => DOES[tool] === undefined),
    action_result: () => evidence.some(isAct) || admitsFailure(text) || asksBack(text),
  };
  return { kind: frame?.kind ?? 'conversation', required, missing: required.filter((output) => !has[output]()) };
}

const isLook = ({ code }: Evidence): boolean => code !== 'tool_unknown' && code !== 'invalid_arguments';
/** Also one that was refused or failed: the answer to that is judged as a failure, not as a gap. */
const isAct = ({ risk, code }: Evidence): boolean => risk !== 'read' && code !== 'tool_unknown';

/** Whether the answer is a question to the sender. */
const asksBack = (text: string): boolean => /[?？؟]["”»')\]*_]*$/u.test(text.trim());

const EXECUTED = new Set(['tool_failed', 'tool_timeout', 'invalid_result', 'side_effect_unknown']);

/**
 * Calls that were to change something, failed, and were not made good by a later call of the same tool; none of them
 * when the answer itself says that something went wrong.
 */
export function outstandingFailures(text: string, evidence: readonly Evidence[]): readonly Evidence[] {
  const failed = evidence.filter(
    ({ ok, code, risk, tool }, at) =>
      !ok &&
      risk !== 'read' &&
      EXECUTED.has(code ?? '') &&
      !evidence.slice(at + 1).some((later) => later.ok && later.tool === tool),
  );
  if (failed.length === 0 || admitsFailure(text)) return [];
  return failed.filter(({ code }) => code === null || !text.includes(code));
}
