import { type AnswerLine, areSignature } from './body.ts';
import { fold } from './fold.ts';
import { ERRAND, ERRAND_ASKED, ERRAND_LAST, ONLY_A_YES } from './grammar.ts';
import { lettersOf, type Token, UNSPACED } from './lexer.ts';
import { pattern } from './pattern.ts';
import { CLASSES, LANGUAGES_OF, phrasesOf } from './phrases.ts';
import { type LineDecision, readStatement, withoutFillers } from './statement.ts';

/** A yes, and behind it words that ask for something else. */
export interface YesAnd {
  readonly decisions: readonly LineDecision[];
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
export function readYesAnd(lines: readonly AnswerLine[], isSingle: boolean): YesAnd | null {
  const [first, ...below] = lines;
  if (!first) return null;
  const letters = first.tokens;
  for (let at = 1; at <= letters.length; at += 1) {
    if (!isBorder(letters, at)) continue;
    const head = withoutEnd(letters.slice(0, at));
    const decisions = yesIn(first.text, head, isSingle);
    if (decisions === null) continue;
    const next = letters[at];
    const rest = next === undefined ? null : lineFrom(first, letters.slice(at), next.start);
    const behind = [...(rest ? [rest] : []), ...below];
    const said = withoutClosing(behind);
    const rule = errandIn(said);
    if (rule !== null) return { decisions, beside: said.map(({ text }) => text).join('\n'), rule };
  }
  return null;
}

/**
 * What stands beside an answer and is no part of it: sentences behind one that decides, and lines that decide nothing. Which of
 * them may change what is meant is judged elsewhere; here nothing is judged but where a sentence or a line ends. Where no line
 * decides, the first sentence is the answer that is in doubt. `fromLines`: what stands in the line of the decision belongs to it,
 * as a reason does. Null where there is nothing.
 */
export function besideAnswer(
  lines: readonly AnswerLine[],
  { fromLines }: { readonly fromLines: boolean },
): string | null {
  const ends = lines.map(decidesUntil);
  const isInDoubt = ends.every((end) => end === null);
  const beside = lines.flatMap((line, index) => {
    const end = isInDoubt && index === 0 ? 1 : (ends[index] ?? null);
    if (end !== null) return fromLines ? [] : restFrom(line, end);
    return readStatement(line.text, line.tokens).kind === 'harmless' ? [] : [line];
  });
  const said = withoutClosing(beside);
  return said.length === 0 ? null : said.map(({ text }) => text).join('\n');
}

/** Behind how many of its words a line has decided something; null: it decides nothing. */
function decidesUntil({ text, tokens }: AnswerLine): number | null {
  const decides = (at: number): boolean => {
    const head = isBorder(tokens, at) ? withoutEnd(tokens.slice(0, at)) : [];
    if (head.length === 0 || isSaidTwice(head)) return false;
    return readStatement(text.slice(0, head.at(-1)?.end), head).kind === 'decisions' || isAssent(head);
  };
  const last = tokens.findLastIndex((_, index) => decides(index + 1));
  return last < 0 ? null : last + 1;
}

/** From an errand on, or from the next sentence: a condition behind a comma belongs to what it stands behind. */
function restFrom(line: AnswerLine, at: number): AnswerLine[] {
  const { tokens } = line;
  const asks = tokens.slice(at).some(({ letter }) => letter === CLASSES.errand);
  const from = asks ? at : sentenceFrom(tokens, at);
  const next = tokens[from];
  return next === undefined ? [] : [lineFrom(line, tokens.slice(from), next.start)];
}

function sentenceFrom(tokens: readonly Token[], at: number): number {
  const isEnd = (index: number): boolean => /[.!]/.test(tokens[index]?.letter ?? '');
  if (isEnd(at - 1)) return at;
  const end = tokens.findIndex((_, index) => index >= at && isEnd(index) && !isEnd(index + 1));
  return end < 0 ? tokens.length : end + 1;
}

/** The rest of a line, in the words that were known in it. */
const lineFrom = ({ text, index }: AnswerLine, tokens: readonly Token[], from: number): AnswerLine => ({
  text: text.slice(from),
  tokens: tokens.map((token) => ({ ...token, start: token.start - from, end: token.end - from })),
  index,
});

/** Where one part of what somebody says may end: at a sign, before an "and", or with the line. */
function isBorder(tokens: readonly Token[], at: number): boolean {
  const [before, next] = [tokens[at - 1]?.letter ?? '', tokens[at]?.letter];
  if (next === undefined) return true;
  const isSign = /[.,!;-]/.test(before) && !/[.,!;-]/.test(next);
  return (
    isSign ||
    next === CLASSES.and ||
    next === CLASSES.besides ||
    (next === CLASSES.errand &&
      (tokens.length - at >= LEAST_ASKED || AND_IN_ONE.test(tokens[at]?.text ?? '')) &&
      !isAboutPeople(tokens.slice(at)))
  );
}

/** Without a sign before it, "ok google" asks for nothing. */
const LEAST_ASKED = 3;
/** Arabic writes its "and" in one with the word behind it. */
const AND_IN_ONE = /^و\p{sc=Arabic}{3}/u;

/** Of those whom the mail goes to: "yes tell Bob that …" may be about that mail. */
const isAboutPeople = (tokens: readonly Token[]): boolean => tokens.some(({ letter }) => letter === 'i');

const withoutEnd = (tokens: readonly Token[]): readonly Token[] =>
  tokens.slice(0, tokens.findLastIndex(({ letter }) => !/[.,!;-]/.test(letter)) + 1);

function yesIn(line: string, head: readonly Token[], isSingle: boolean): readonly LineDecision[] | null {
  if (head.length === 0 || isSaidTwice(head)) return null;
  const meaning = readStatement(line.slice(0, head.at(-1)?.end), head);
  if (meaning.kind === 'decisions')
    return meaning.decisions.every(({ verb }) => verb === 'approve') ? meaning.decisions : null;
  return isSingle && isAssent(head) ? [ASSENTED] : null;
}

/** "Ja ja", "sí sí": said twice in a row, without a sign between them, a yes is as often none. */
const isSaidTwice = (tokens: readonly Token[]): boolean =>
  tokens.some(({ letter, text }, at) => letter === CLASSES.yes && text !== '' && tokens[at + 1]?.text === text);

export const ASSENTED: LineDecision = {
  verb: 'approve',
  target: 'none',
  act: null,
  reason: null,
  rule: ONLY_A_YES.name,
};

/** "Sure.": what people say in place of a yes, where one thing was asked. */
export const isAssent = (tokens: readonly Token[]): boolean =>
  ONLY_A_YES.pattern.test(lettersOf(withoutFillers(tokens)));

/** Without the signature and the courtesy at the end. */
function withoutClosing(lines: readonly AnswerLine[]): readonly AnswerLine[] {
  const end = lines.findIndex((_, index) => areSignature(lines.slice(index)));
  return end < 0 ? lines : lines.slice(0, end);
}

/** The rule that all of it fits; null: it may mean something else. */
function errandIn(lines: readonly AnswerLine[]): string | null {
  const tokens = lines.flatMap((line) => line.tokens);
  const undated = lettersOf(tokens.filter((token, at) => !DAYS.has(token.text) && !isItsMoment(tokens, at)));
  if (ERRAND.pattern.test(undated)) return ERRAND.name;
  if (ERRAND_ASKED.pattern.test(undated)) return ERRAND_ASKED.name;
  const last = tokens.findLast(({ letter }) => letter === CLASSES.errand);
  const isLast = last !== undefined && isVerbLast(last.text) && ERRAND_LAST.pattern.test(undated);
  return isLast || isUnspacedErrand(tokens) ? ERRAND_LAST.name : null;
}

/** Languages in which what is to be done stands at the end. */
const VERB_LAST: ReadonlySet<string> = new Set(['tr', 'ja', 'ko', 'hi', 'de', 'nl']);
const isVerbLast = (phrase: string): boolean =>
  [...(LANGUAGES_OF.get(phrase) ?? [])].some((language) => VERB_LAST.has(language));

/** Of a day or an hour: behind a word that asks for something else it says when that is to be done. */
const DAYS: ReadonlySet<string> = new Set(phrasesOf('day'));

/** "When", "before": behind a word that asks for something else they say when that is to be done, unless they speak of what was asked. */
const MOMENTS: ReadonlySet<string> = new Set(phrasesOf('moment').map(fold));
const NOT_OF_IT = pattern(
  '^ (?= any* [unknown name errand tells]) [^object send delete approve yes goAhead all both recipient hold edit who]+ $',
);

function isItsMoment(tokens: readonly Token[], at: number): boolean {
  const behind = tokens.slice(at + 1);
  const end = behind.findIndex(({ letter }) => /[-,.!;?]/.test(letter));
  const rest = lettersOf(end < 0 ? behind : behind.slice(0, end));
  const isAsked = tokens.slice(0, at).some(({ letter }) => letter === CLASSES.errand);
  return MOMENTS.has(tokens[at]?.text ?? '') && isAsked && NOT_OF_IT.test(rest);
}

const UNSPACED_DAYS = [...phrasesOf('besides'), ...DAYS]
  .filter((phrase) => UNSPACED.test(phrase) && phrase.length > 1)
  .toSorted((one, other) => other.length - one.length);

const UNSPACED_ERRANDS = phrasesOf('errand').filter((phrase) => UNSPACED.test(phrase));

/** It says "but" behind a sentence, and behind a word of whom one speaks. */
const SUBJECT_SIGN = 'が';

/** Also of one sign: a part of such a run may be about what was asked. */
const UNSPACED_DOUBTS = (['send', 'sendIt', 'delete', 'deleteIt', 'hold', 'alter', 'not', 'no', 'deny'] as const)
  .flatMap((name) => phrasesOf(name))
  .filter((phrase) => UNSPACED.test(phrase) && phrase !== SUBJECT_SIGN);

/**
 * Of a script without blanks the words are not told apart: each part between signs has to hold such a word, and, but for a day and for
 * what says that there is more to it, nothing that is doubted.
 */
function isUnspacedErrand(tokens: readonly Token[]): boolean {
  const isKnown = ({ letter }: Token): boolean => /[XMjbCPTtNUdlFHgOoi012]/.test(letter);
  const isErrand = ({ text }: Token): boolean =>
    UNSPACED.test(text.replace(/\p{sc=Latin}/gu, '')) && UNSPACED_ERRANDS.some((errand) => text.includes(errand));
  const isDoubt = ({ text }: Token): boolean => {
    const bare = UNSPACED_DAYS.reduce((left, phrase) => left.replaceAll(phrase, ' '), text);
    return UNSPACED_DOUBTS.some((doubt) => bare.includes(doubt));
  };
  const parts = partsOf(tokens).filter((part) => !part.every(({ letter }) => IS_ASIDE.test(letter)));
  return parts.length > 0 && parts.every((part) => part.every(isKnown) && part.some(isErrand) && !part.some(isDoubt));
}

/** What stands between signs. */
function partsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const at = tokens.findIndex(({ letter }) => /[-,.!E]/.test(letter));
  const part = at < 0 ? tokens : tokens.slice(0, at);
  const more = at < 0 ? [] : partsOf(tokens.slice(at + 1));
  return part.length > 0 ? [part, ...more] : more;
}

/** "Besides", please and thanks: they ask for nothing by themselves. */
const IS_ASIDE = /^[bPTtC]$/;
