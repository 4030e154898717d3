import { isNoted } from '../text/words.ts';
import { type AnswerLine, areSignature, lineOf, type OpenedBody, openBody, readBody } from './body.ts';
import { commandOf, editIn, readFields } from './edit.ts';
import { fold } from './fold.ts';
import { THUMBS_UP } from './grammar.ts';
import { languageOfWords } from './language.ts';
import { lettersOf, lexLine, type Tongues } from './lexer.ts';
import { pattern } from './pattern.ts';
import type { LineDecision } from './statement.ts';
import { stripTokens } from './token.ts';
import { type AboutCall, type AnswerToItems, ambiguous, type Unclear, verdictOf } from './verdict.ts';
import { ASSENTED, besideAnswer, isAssent, readYesAnd } from './yes-and.ts';

export { languageOfWords } from './language.ts';
export { type FoundToken, findToken, stripTokens, typedTokens } from './token.ts';
export type { AboutCall, AnswerToItems, Unclear } from './verdict.ts';

/** An answer, and how it came to be read so. */
export interface ReadReply {
  readonly answer: AnswerToItems;
  /** The rules of grammar.ts that its sentences fit, in order. */
  readonly rules: readonly string[];
  /** Whether it has a question in it. */
  readonly asks: boolean;
}

type AboutItem = (item: number) => AboutCall | undefined;
const nothingKnown: AboutItem = () => undefined;

/**
 * What the sender decided, from the new text of the mail alone (ParsedMail.newText); `items` are the numbers that the
 * notice lists. No model has a part in it and nothing is guessed: an approval consists of known words from the first
 * line down to the signature, anything else beside it makes it ambiguous, and a no to nothing in particular is a no
 * to every item. `language`: of the question, for a word that means one thing in it and another elsewhere.
 * `sender`: the name in front of their address, which some write below an answer. `persona`: the name by which they speak to it.
 */
export function readReply(
  newText: string,
  items: readonly number[],
  about: AboutItem = nothingKnown,
  language: string | null = null,
  sender = '',
  persona = '',
): ReadReply {
  const rules: string[] = [];
  const raw = linesOf(newText);
  const answer = answerIn(raw, items, about, { language, sender, persona }, (name) => rules.push(name));
  const asks = raw.slice(0, MAX_QUESTION).some((line) => QUESTION.test(lettersOf(lexLine(line))));
  return { answer, rules: [...new Set(rules)], asks };
}

export const readAnswer = (newText: string, items: readonly number[], about?: AboutItem): AnswerToItems =>
  readReply(newText, items, about).answer;

/** A question further down is asked back about as well, as an answer that is none. */
const MAX_QUESTION = 20;
const QUESTION = pattern('question');

type Note = (rule: string) => void;

function answerIn(
  raw: readonly string[],
  items: readonly number[],
  about: AboutItem,
  {
    language,
    sender,
    persona,
  }: { readonly language: string | null; readonly sender: string; readonly persona: string },
  note: Note,
): AnswerToItems {
  const { lines, leaning, isLong, courtesy } = openBody(raw, tonguesOf(raw, language), {
    sender,
    persona,
    people: peopleOf(items, about),
  });
  const first = lines[0];
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0 && isThumbsUp(raw)) {
    note(THUMBS_UP.name);
    return { kind: 'approve', items: [only] };
  }
  if (only === undefined || (!first && !leaning)) return { kind: 'none' };
  // "Passt", and below it no more than who wrote it.
  if (first && isAssented(courtesy, items) && areSignature(lines, 'signature'))
    return verdict([ASSENTED], null, items, about, note);
  if (!first) return isAssented(courtesy, items) ? verdict([ASSENTED], null, items, about, note) : ambiguous('praise');
  const edit = findEdit(lines);
  if (edit) return editAnswer(raw, lines, edit, items, about, note);
  const all = [...courtesy, ...lines];
  const more = isLong ? null : yesAnd(all, items, about, note);
  const answer = more ?? bodyAnswer({ lines, leaning, isLong }, items, about, note);
  if (answer.kind === 'approve' || answer.kind === 'edit' || answer.kind === 'none') return answer;
  // What stands in the line of a no is its reason.
  const beside = isLong ? null : besideAnswer(all, { fromLines: answer.kind !== 'ambiguous' });
  return beside === null ? answer : { ...answer, beside };
}

/** One word is of two languages too easily. */
const PLAINLY = 3;

/** The language of the question, and the one in which the answer is plainly written. */
const tonguesOf = (raw: readonly string[], language: string | null): Tongues => [
  ...new Set([language, languageOfWords(raw.join('\n'), PLAINLY)].filter((each) => each !== null)),
];

const peopleOf = (items: readonly number[], about: AboutItem): ReadonlySet<string> =>
  new Set(items.flatMap((item) => about(item)?.people ?? []).map(fold));

/** What the lines decide, where nothing is asked for beside it. */
function bodyAnswer(
  { lines, leaning, isLong }: Pick<OpenedBody, 'lines' | 'leaning' | 'isLong'>,
  items: readonly number[],
  about: AboutItem,
  note: Note,
): AnswerToItems {
  const [first] = lines;
  if (!first) return { kind: 'none' };
  const { decisions, doubt, reason } = readBody(lines);
  if (isLong && decisions.length > 0) return ambiguous('too_long');
  if (decisions.length === 0) return leaning || mentionsAnswer(lines) ? doubtAbout(first) : { kind: 'none' };
  if (doubt) return doubtAbout(doubt);
  return verdict(decisions, reason, items, about, note);
}

/** A yes with words behind it that ask for something else; null where it is not surely that. */
function yesAnd(
  lines: readonly AnswerLine[],
  items: readonly number[],
  about: AboutItem,
  note: Note,
): AnswerToItems | null {
  const more = readYesAnd(lines, items.length === 1);
  if (more === null) return null;
  const answer = verdict(more.decisions, null, items, about, note);
  note(more.rule);
  return answer.kind === 'approve' ? { ...answer, beside: more.beside } : answer;
}

/** Nothing was said but what stands for a yes to one question, and courtesy. */
const isAssented = (courtesy: readonly AnswerLine[], items: readonly number[]): boolean =>
  items.length === 1 && courtesy.some(({ tokens }) => isAssent(tokens.filter(({ letter }) => !/[E.!]/.test(letter))));

/** A typed thumb, beside it courtesy, and below it nothing but who wrote it. Of several questions it does not say which. */
function isThumbsUp(raw: readonly string[]): boolean {
  const [first = '', ...below] = raw.filter((line) => line.trim() !== '');
  if (first.length > MAX_THUMBS_LINE || !THUMBS_UP.pattern.test(first)) return false;
  const line = lineOf(first, 0);
  return (
    line !== null &&
    ONLY_THANKS.test(lettersOf(line.tokens)) &&
    areSignature(
      below.flatMap((line, index) => lineOf(line, index) ?? []),
      'signature',
    )
  );
}

const MAX_THUMBS_LINE = 60;
const ONLY_THANKS = pattern('^ [picture thanks thanksMore please filler comma dot bang]* $');

function verdict(
  decisions: readonly LineDecision[],
  reason: string | null,
  items: readonly number[],
  about: AboutItem,
  note: Note,
) {
  for (const { rule } of decisions) note(rule);
  const answer = verdictOf(decisions, items, about);
  return answer.kind === 'deny' && answer.reason === null ? { ...answer, reason } : answer;
}

/**
 * The same for a plan of so many steps, which is decided as a whole: a yes to some of them is none to the plan, a no
 * to one of them is a no to it.
 */
export function readPlanReply(
  newText: string,
  steps: number,
  language: string | null = null,
  sender = '',
  persona = '',
): ReadReply {
  const numbers = Array.from({ length: steps }, (_, index) => index + 1);
  const byStep = readReply(newText, numbers, nothingKnown, language, sender, persona);
  const asWhole = readReply(newText, [1], nothingKnown, language, sender, persona);
  const { answer } = byStep;
  if (answer.kind === 'edit') return { ...byStep, answer: ambiguous('plan_edit') };
  if (answer.kind === 'deny') return { ...byStep, answer: { ...answer, items: [1] } };
  if (answer.kind === 'mixed' || (answer.kind === 'approve' && answer.items.length < steps))
    return { ...byStep, answer: ambiguous('plan_parts') };
  if (answer.kind === 'approve') return { ...byStep, answer: { kind: 'approve', items: [1] } };
  // "approve" alone does not say which of several, and of a plan it need not.
  return answer.kind === 'ambiguous' && asWhole.answer.kind === 'approve' ? asWhole : byStep;
}

export const readPlanAnswer = (newText: string, steps: number): AnswerToItems => readPlanReply(newText, steps).answer;

/** What was typed, line by line. */
export const linesOf = (newText: string): string[] => stripTokens(newText).normalize('NFC').split(/\r?\n/);

/** The signs of html/to-text.ts. Elsewhere no vocabulary knows them; the value of an edit may hold any word. */

interface FoundEdit {
  readonly line: AnswerLine;
  readonly command: string;
  /** What is decided above it, or before it in its line. */
  readonly above: readonly AnswerLine[];
}

/** The first line that asks for a change, where nothing but decisions stands above it. */
function findEdit(lines: readonly AnswerLine[]): FoundEdit | null {
  for (const [index, line] of lines.entries()) {
    const found = editIn(line);
    if (!found) continue;
    const before = lineOf(found.before, line.index);
    return { line, command: found.command, above: [...lines.slice(0, index), ...(before ? [before] : [])] };
  }
  return null;
}

function editAnswer(
  raw: readonly string[],
  lines: readonly AnswerLine[],
  { line, command, above }: FoundEdit,
  items: readonly number[],
  about: AboutItem,
  note: Note,
): AnswerToItems {
  const read = readBody(above);
  const first = above[0];
  if (first && read.decisions.length === 0) return doubtAbout(lines[0] ?? first);
  if (read.doubt) return doubtAbout(read.doubt);
  // What stands between a no and an edit may be a reason, or about the edit.
  if (first && read.reason !== null) return ambiguous('more_words');
  const said = commandOf(command);
  if (!said) return ambiguous('edit_command');
  const item = said.number ?? (items.length === 1 ? items[0] : undefined);
  if (item === undefined) return ambiguous('which');
  if (!items.includes(item)) return ambiguous('unknown_item');
  const below = raw.slice(line.index + 1);
  if ([command, ...below].some(isNoted)) return ambiguous('edit_hidden');
  const fields = readFields(below, about(item));
  if (!fields.ok) return ambiguous(fields.why, fields.detail);
  const edit = { kind: 'edit', item, changes: fields.changes } as const;
  const beside = first ? verdict(read.decisions, null, items, about, note) : null;
  note('edit');
  if (beside === null) return edit;
  if (beside.kind === 'ambiguous') return beside;
  // "approve, edit 1": approved as it is, or as it will be?
  const decided = beside.kind === 'mixed' ? [...beside.approve, ...beside.deny] : beside.items;
  return decided.includes(item) ? ambiguous('contradiction') : { ...edit, beside };
}

const MENTIONS_ANYWHERE = pattern(
  '[approve deny goAhead noProblem noMatter unclear noted send delete] | not [thanksMore object]* yes | ^ item? [number all both] any* [yes no noOrNot not]',
);
const BEGINS_LIKE_ONE = pattern(
  '^ ([question praise please we yesOrThanks thanks thanksMore comma]* [yes yesOrThanks no noOrNot edit not] | any{0,2} yes any{0,1} $ | hold any{0,4} $ | [number all both item and picture comma dot bang dash]+ $)',
);

/** Whether something like an answer stands at the beginning, so that asking back is better than silence. */
const mentionsAnswer = (lines: readonly AnswerLine[]): boolean =>
  lines
    .slice(0, 3)
    .map(({ tokens }) => lettersOf(tokens))
    .some((letters, index) => MENTIONS_ANYWHERE.test(letters) || (index === 0 && BEGINS_LIKE_ONE.test(letters)));

/** What is told of a line that is not understood, the first that fits. */
const UNREAD: readonly (readonly [Unclear, RegExp])[] = [
  ['question', pattern('question')],
  ['condition', pattern('[hold alter]')],
  [
    'both',
    pattern('[deny no noOrNot not] any* [approve yes goAhead] | [approve yes goAhead] any* [deny no noOrNot not]'),
  ],
  ['more_words', pattern('^')],
];

function doubtAbout({ tokens }: AnswerLine): AnswerToItems {
  const letters = lettersOf(tokens);
  return ambiguous(UNREAD.find(([, form]) => form.test(letters))?.[0] ?? 'more_words');
}
