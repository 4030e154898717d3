import { isNoted } from '../text/words.ts';
import { areSignature, type Line, lineOf, type Opened, openBody, readBody } from './body.ts';
import { commandOf, editIn, readFields } from './edit.ts';
import { fold } from './fold.ts';
import { THUMBS_UP } from './grammar.ts';
import { lettersOf, lexLine, pattern } from './lexer.ts';
import type { Decision } from './statement.ts';
import { stripTokens } from './token.ts';
import { type About, type Answer, ambiguous, type Unclear, verdictOf } from './verdict.ts';
import { ASSENTED, isAssent, readYesAnd } from './yes-and.ts';

export { languageOfWords } from './language.ts';
export { type FoundToken, findToken, stripTokens, typedTokens } from './token.ts';
export type { About, Answer, Unclear } from './verdict.ts';

/** An answer, and how it came to be read so. */
export interface Reading {
  readonly answer: Answer;
  /** The rules of grammar.ts that its sentences fit, in order. */
  readonly rules: readonly string[];
  /** Whether it has a question in it. */
  readonly asks: boolean;
}

type AboutItem = (item: number) => About | undefined;
const nothingKnown: AboutItem = () => undefined;

/**
 * What the sender decided, from the new text of the mail alone (ParsedMail.newText); `items` are the numbers that the
 * notice lists. No model has a part in it and nothing is guessed: an approval consists of known words from the first
 * line down to the signature, anything else beside it makes it ambiguous, and a no to nothing in particular is a no
 * to every item. `language`: of the question, for a word that means one thing in it and another elsewhere.
 * `sender`: the name in front of their address, which some write below an answer.
 */
export function readReply(
  newText: string,
  items: readonly number[],
  about: AboutItem = nothingKnown,
  language: string | null = null,
  sender = '',
): Reading {
  const rules: string[] = [];
  const raw = linesOf(newText);
  const answer = answerIn(raw, items, about, { language, sender }, (name) => rules.push(name));
  const asks = raw.slice(0, MAX_QUESTION).some((line) => QUESTION.test(lettersOf(lexLine(line))));
  return { answer, rules: [...new Set(rules)], asks };
}

export const readAnswer = (newText: string, items: readonly number[], about?: AboutItem): Answer =>
  readReply(newText, items, about).answer;

/** A question further down is asked back about as well, as an answer that is none. */
const MAX_QUESTION = 20;
const QUESTION = pattern('question');

type Note = (rule: string) => void;

function answerIn(
  raw: readonly string[],
  items: readonly number[],
  about: AboutItem,
  { language, sender }: { readonly language: string | null; readonly sender: string },
  note: Note,
): Answer {
  const { lines, leaning, isLong, courtesy } = openBody(raw, language, sender, peopleOf(items, about));
  const first = lines[0];
  if (items.length === 0 || (!first && !leaning)) return { kind: 'none' };
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0 && isThumbsUp(raw)) {
    note(THUMBS_UP.name);
    return { kind: 'approve', items: [only] };
  }
  if (!first) return isAssented(courtesy, items) ? verdict([ASSENTED], null, items, about, note) : ambiguous('praise');
  const edit = findEdit(lines);
  if (edit) return editAnswer(raw, lines, edit, items, about, note);
  if (!isLong) {
    const more = yesAnd([...courtesy, ...lines], items, about, note);
    if (more !== null) return more;
  }
  return bodyAnswer({ lines, leaning, isLong }, items, about, note);
}

const peopleOf = (items: readonly number[], about: AboutItem): ReadonlySet<string> =>
  new Set(items.flatMap((item) => about(item)?.people ?? []).map(fold));

/** What the lines decide, where nothing is asked for beside it. */
function bodyAnswer(
  { lines, leaning, isLong }: Pick<Opened, 'lines' | 'leaning' | 'isLong'>,
  items: readonly number[],
  about: AboutItem,
  note: Note,
): Answer {
  const [first] = lines;
  if (!first) return { kind: 'none' };
  const { decisions, doubt, reason } = readBody(lines);
  if (isLong && decisions.length > 0) return ambiguous('too_long');
  if (decisions.length === 0) return leaning || mentionsAnswer(lines) ? doubtAbout(first) : { kind: 'none' };
  if (doubt) return doubtAbout(doubt);
  return verdict(decisions, reason, items, about, note);
}

/** A yes with words behind it that ask for something else; null where it is not surely that. */
function yesAnd(lines: readonly Line[], items: readonly number[], about: AboutItem, note: Note): Answer | null {
  const more = readYesAnd(lines, items.length === 1);
  if (more === null) return null;
  const answer = verdict(more.decisions, null, items, about, note);
  note(more.rule);
  return answer.kind === 'approve' ? { ...answer, beside: more.beside } : answer;
}

/** Nothing was said but what stands for a yes to one question, and courtesy. */
const isAssented = (courtesy: readonly Line[], items: readonly number[]): boolean =>
  items.length === 1 && courtesy.some(({ tokens }) => isAssent(tokens.filter(({ letter }) => !/[E.!]/.test(letter))));

/** A typed thumb, and below it nothing but who wrote it. Of several questions it does not say which. */
function isThumbsUp(raw: readonly string[]): boolean {
  const [first = '', ...below] = raw.filter((line) => line.trim() !== '');
  return (
    THUMBS_UP.pattern.test(first) &&
    areSignature(
      below.flatMap((line, index) => lineOf(line, index) ?? []),
      'signature',
    )
  );
}

function verdict(
  decisions: readonly Decision[],
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
export function readPlanReply(newText: string, steps: number, language: string | null = null, sender = ''): Reading {
  const numbers = Array.from({ length: steps }, (_, index) => index + 1);
  const byStep = readReply(newText, numbers, nothingKnown, language, sender);
  const asWhole = readReply(newText, [1], nothingKnown, language, sender);
  const { answer } = byStep;
  if (answer.kind === 'edit') return { ...byStep, answer: ambiguous('plan_edit') };
  if (answer.kind === 'deny') return { ...byStep, answer: { ...answer, items: [1] } };
  if (answer.kind === 'mixed' || (answer.kind === 'approve' && answer.items.length < steps))
    return { ...byStep, answer: ambiguous('plan_parts') };
  if (answer.kind === 'approve') return { ...byStep, answer: { kind: 'approve', items: [1] } };
  // "approve" alone does not say which of several, and of a plan it need not.
  return answer.kind === 'ambiguous' && asWhole.answer.kind === 'approve' ? asWhole : byStep;
}

export const readPlanAnswer = (newText: string, steps: number): Answer => readPlanReply(newText, steps).answer;

/** What was typed, line by line. */
export const linesOf = (newText: string): string[] => stripTokens(newText).normalize('NFC').split(/\r?\n/);

/** The signs of html/to-text.ts. Elsewhere no vocabulary knows them; the value of an edit may hold any word. */

interface FoundEdit {
  readonly line: Line;
  readonly command: string;
  /** What is decided above it, or before it in its line. */
  readonly above: readonly Line[];
}

/** The first line that asks for a change, where nothing but decisions stands above it. */
function findEdit(lines: readonly Line[]): FoundEdit | null {
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
  lines: readonly Line[],
  { line, command, above }: FoundEdit,
  items: readonly number[],
  about: AboutItem,
  note: Note,
): Answer {
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
  '[approve deny goAhead noProblem unclear send delete] | not [thanksMore object]* yes | ^ item? [number all both] any* [yes no noOrNot not]',
);
const BEGINS_LIKE_ONE = pattern(
  '^ ([question praise please we yesOrThanks thanks thanksMore comma]* [yes yesOrThanks no noOrNot edit not] | any{0,2} yes any{0,1} $ | hold any{0,4} $ | [number all both item and picture comma dot bang dash]+ $)',
);

/** Whether something like an answer stands at the beginning, so that asking back is better than silence. */
const mentionsAnswer = (lines: readonly Line[]): boolean =>
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

function doubtAbout({ tokens }: Line): Answer {
  const letters = lettersOf(tokens);
  return ambiguous(UNREAD.find(([, form]) => form.test(letters))?.[0] ?? 'more_words');
}
