import { areSignature, type Line, lineOf } from './body.ts';
import { ERRAND, ERRAND_LAST, ONLY_A_YES } from './grammar.ts';
import { lettersOf, type Token, UNSPACED } from './lexer.ts';
import { CLASSES, LANGUAGES_OF, phrasesOf } from './phrases.ts';
import { type Decision, readStatement } from './statement.ts';

/** A yes, and behind it words that ask for something else. */
export interface YesAnd {
  readonly decisions: readonly Decision[];
  /** As they were written, without what closes the letter. */
  readonly beside: string;
  /** The rule of grammar.ts. */
  readonly rule: string;
}

/**
 * "Yes, and remind me on Friday": the leading yes is one by itself, and what stands behind it begins with a word by which people
 * ask for something else (`errand` in `languages/phrases/`). Null where there is any doubt: no such word, a no, a condition, a
 * question, or anything that could be about what was asked. `isSingle`: one thing was asked, which a word of assent is a yes to.
 */
export function readYesAnd(lines: readonly Line[], isSingle: boolean): YesAnd | null {
  const [first, ...below] = lines;
  if (!first) return null;
  const letters = first.tokens;
  for (let at = 1; at <= letters.length; at += 1) {
    if (!isBorder(letters, at)) continue;
    const head = withoutEnd(letters.slice(0, at));
    const decisions = yesIn(first.text, head, isSingle);
    if (decisions === null) continue;
    const next = letters[at];
    const rest = next === undefined ? null : lineOf(first.text.slice(next.start), first.index);
    const behind = [...(rest ? [rest] : []), ...below];
    const said = withoutClosing(behind);
    const rule = errandIn(said);
    if (rule !== null) return { decisions, beside: said.map(({ text }) => text).join('\n'), rule };
  }
  return null;
}

/** Where one part of what somebody says may end: at a sign, before an "and", or with the line. */
function isBorder(tokens: readonly Token[], at: number): boolean {
  const [before, next] = [tokens[at - 1]?.letter ?? '', tokens[at]?.letter];
  if (next === undefined) return true;
  const isSign = /[.,!;-]/.test(before) && !/[.,!;-]/.test(next);
  return isSign || next === CLASSES.and || next === CLASSES.besides;
}

const withoutEnd = (tokens: readonly Token[]): readonly Token[] =>
  tokens.slice(0, tokens.findLastIndex(({ letter }) => !/[.,!;-]/.test(letter)) + 1);

function yesIn(line: string, head: readonly Token[], isSingle: boolean): readonly Decision[] | null {
  if (head.length === 0 || isSaidTwice(head)) return null;
  const meaning = readStatement(line.slice(0, head.at(-1)?.end), head);
  if (meaning.kind === 'decisions')
    return meaning.decisions.every(({ verb }) => verb === 'approve') ? meaning.decisions : null;
  return isSingle && isAssent(head) ? [ASSENTED] : null;
}

/** "Ja ja", "sí sí": said twice in a row, without a sign between them, a yes is as often none. */
const isSaidTwice = (tokens: readonly Token[]): boolean =>
  tokens.some(({ letter, text }, at) => letter === CLASSES.yes && text !== '' && tokens[at + 1]?.text === text);

export const ASSENTED: Decision = { verb: 'approve', target: 'none', act: null, reason: null, rule: ONLY_A_YES.name };

/** "Sure.": what people say in place of a yes, where one thing was asked. */
export const isAssent = (tokens: readonly Token[]): boolean => ONLY_A_YES.pattern.test(lettersOf(tokens));

/** Without the signature and the courtesy at the end. */
function withoutClosing(lines: readonly Line[]): readonly Line[] {
  const end = lines.findIndex((_, index) => areSignature(lines.slice(index)));
  return end < 0 ? lines : lines.slice(0, end);
}

/** The rule that all of it fits; null: it may mean something else. */
function errandIn(lines: readonly Line[]): string | null {
  const tokens = lines.flatMap((line) => line.tokens);
  const letters = lettersOf(tokens);
  if (ERRAND.pattern.test(letters)) return ERRAND.name;
  const last = tokens.findLast(({ letter }) => letter === CLASSES.errand);
  const isLast = last !== undefined && isVerbLast(last.text) && ERRAND_LAST.pattern.test(letters);
  return isLast || isUnspacedErrand(tokens) ? ERRAND_LAST.name : null;
}

/** Languages in which what is to be done stands at the end. */
const VERB_LAST: ReadonlySet<string> = new Set(['tr', 'ja', 'ko', 'hi']);
const isVerbLast = (phrase: string): boolean =>
  [...(LANGUAGES_OF.get(phrase) ?? [])].some((language) => VERB_LAST.has(language));

const UNSPACED_ERRANDS = phrasesOf('errand').filter((phrase) => UNSPACED.test(phrase));

/** Also of one sign: a part of such a run may be about what was asked. */
const UNSPACED_DOUBTS = (['send', 'sendIt', 'delete', 'deleteIt', 'hold', 'alter', 'not', 'no', 'deny'] as const)
  .flatMap((name) => phrasesOf(name))
  .filter((phrase) => UNSPACED.test(phrase));

/** Of a script without blanks the words are not told apart: the run has to hold such a word, and nothing that is doubted. */
function isUnspacedErrand(tokens: readonly Token[]): boolean {
  const words = tokens.filter(({ letter }) => !/[-,.!]/.test(letter));
  const isKnown = ({ letter }: Token): boolean => /[XMjbCPTtNU]/.test(letter);
  return (
    words.length > 0 &&
    words.every(isKnown) &&
    words.some(({ text }) => UNSPACED.test(text) && UNSPACED_ERRANDS.some((errand) => text.includes(errand))) &&
    !words.some(({ text }) => UNSPACED_DOUBTS.some((doubt) => text.includes(doubt)))
  );
}
