import { type Line, openBody, readBody } from './approval/body.ts';
import { isEditCommand, readEdit } from './approval/edit.ts';
import { lettersOf } from './approval/lexer.ts';
import { stripTokens } from './approval/token.ts';
import { type Answer, ambiguous, verdictOf } from './approval/verdict.ts';

export { type FoundToken, findToken, stripTokens, typedTokens } from './approval/token.ts';
export type { Answer } from './approval/verdict.ts';

/**
 * What the sender decided, from the new text of the mail alone (ParsedMail.newText); `items` are the numbers that the
 * notice lists. No model has a part in it and nothing is guessed: an approval consists of known words from the first
 * line down to the signature, anything else beside it makes it ambiguous, and a no to nothing in particular is a no
 * to every item.
 */
export function readAnswer(newText: string, items: readonly number[]): Answer {
  const raw = linesOf(newText);
  const { lines, leaning, isLong } = openBody(raw);
  const first = lines[0];
  if (items.length === 0 || (!first && !leaning)) return { kind: 'none' };
  if (!first) return ambiguous('praise or a picture alone is no answer');
  if (isEditCommand(first.text)) return editAnswer([first.text, ...raw.slice(first.index + 1)], items);
  const { decisions, doubt, reason } = readBody(lines);
  if (isLong && decisions.length > 0) return ambiguous('the answer has more lines than are read');
  if (decisions.length === 0) return leaning || mentionsAnswer(lines) ? ambiguous(doubtAbout(first)) : { kind: 'none' };
  if (doubt) return ambiguous(doubtAbout(doubt));
  const answer = verdictOf(decisions, items);
  return answer.kind === 'deny' && answer.reason === null ? { ...answer, reason } : answer;
}

/**
 * The same for a plan of so many steps, which is decided as a whole: a yes to some of them is none to the plan, a no
 * to one of them is a no to it.
 */
export function readPlanAnswer(newText: string, steps: number): Answer {
  const numbers = Array.from({ length: steps }, (_, index) => index + 1);
  const byStep = readAnswer(newText, numbers);
  const asWhole = readAnswer(newText, [1]);
  if (byStep.kind === 'edit') return ambiguous('a plan cannot be edited: deny it, and say what you want instead');
  if (byStep.kind === 'deny') return { ...byStep, items: [1] };
  if (byStep.kind === 'mixed' || (byStep.kind === 'approve' && byStep.items.length < steps)) {
    return ambiguous('a plan is approved as a whole or not at all');
  }
  if (byStep.kind === 'approve') return { kind: 'approve', items: [1] };
  // "approve" alone does not say which of several, and of a plan it need not.
  return byStep.kind === 'ambiguous' && asWhole.kind === 'approve' ? asWhole : byStep;
}

/** An inline answer keeps the line it answers: that line is ours, and what it says is not the sender's word. */
const linesOf = (newText: string): string[] =>
  stripTokens(newText)
    .normalize('NFC')
    .split(/\r?\n/)
    .filter((line) => !/^\s*[>＞]/.test(line));

/** The signs of html/to-text.ts. Elsewhere no vocabulary knows them; the value of an edit may hold any word. */
const NOTED = /~~|\[may be hidden: /;

function editAnswer(lines: readonly string[], items: readonly number[]): Answer {
  const edit = readEdit(lines);
  if (!edit.ok) return ambiguous(edit.why);
  if (lines.some((line) => NOTED.test(line)))
    return ambiguous('the edit has words that are struck out or may be hidden');
  const item = edit.number ?? (items.length === 1 ? items[0] : undefined);
  if (item === undefined) return ambiguous('several items wait, and the edit does not say which: "edit 1"');
  if (!items.includes(item)) return ambiguous('the edit names a number that the notice does not list');
  return { kind: 'edit', item, changes: edit.changes };
}

const MENTIONS_ANYWHERE = /[ADJZ]|Q[tO]*a|^I?[NLB].*[awqQ]/;
const BEGINS_LIKE_ONE = /^(?:[?GPySTt,]*[akwqeQ]|.{0,2}a.{0,1}$|H.{0,4}$|[NLBICE,.!-]+$)/;

/** Whether something like an answer stands at the beginning, so that asking back is better than silence. */
const mentionsAnswer = (lines: readonly Line[]): boolean =>
  lines
    .slice(0, 3)
    .map(({ tokens }) => lettersOf(tokens))
    .some((letters, index) => MENTIONS_ANYWHERE.test(letters) || (index === 0 && BEGINS_LIKE_ONE.test(letters)));

function doubtAbout({ tokens }: Line): string {
  const letters = lettersOf(tokens);
  if (letters.includes('?')) return 'the answer asks something';
  if (/[HF]/.test(letters)) return 'the answer has a condition, a change or a second thought';
  if (/[DwqQ]/.test(letters) && /[AaJ]/.test(letters)) return 'the answer says both yes and no';
  return 'the answer has more words than the approval, and they could change what it means';
}
