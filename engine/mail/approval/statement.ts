import {
  BY_NUMBER,
  COURTESY,
  DOUBTS,
  KNOWN_RULES,
  NO,
  NO_AGAIN,
  NUMBERED,
  ONE_BY_ONE,
  REASON,
  RUNS_ON,
  type SentenceRule,
  SIGN_OFF,
  STRONG,
  YES_RULES,
} from './grammar.ts';
import { lettersOf, type Token, UNSPACED } from './lexer.ts';
import { pattern } from './pattern.ts';
import { CLASSES, HERE_OF, LANGUAGES_OF, LETTERS_OF, phrasesOf } from './phrases.ts';
import { isMissedYes } from './spelling.ts';
import { withoutTold } from './told.ts';

/** One decision of one line, not yet held against the items of the notice. */
export interface LineDecision {
  readonly verb: 'approve' | 'deny';
  /** `none` where the answer names no item. */
  readonly target: readonly number[] | 'all' | 'both' | 'three' | 'none';
  /** What it says is to be done, where it says more than yes. */
  readonly act: AskedAct | null;
  readonly reason: string | null;
  /** The rule of grammar.ts that it fits. */
  readonly rule: string;
}

export type AskedAct = 'send' | 'delete';

type LineMeaning =
  | { readonly kind: 'decisions'; readonly decisions: readonly LineDecision[] }
  /** Thanks, praise and the like: changes nothing. `leaning`: praise, which beside no answer sounds like one. */
  | { readonly kind: 'harmless'; readonly leaning: boolean }
  | { readonly kind: 'unclear' };

/** "Dr. Weber", "J. Whitmore": the dot ends no sentence. */
const withoutTitleDots = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter(({ letter }, at) => {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    return !(
      letter === '.' &&
      before?.letter === CLASSES.name &&
      before.text.length <= LONGEST_TITLE &&
      next?.letter === CLASSES.name
    );
  });
const LONGEST_TITLE = 4;

/** What one line says; `line` is the text that the tokens were made of. */
export function readStatement(line: string, all: readonly Token[]): LineMeaning {
  const tokens = withoutTitleDots(all.filter(({ letter }) => letter !== 'E'));
  if (lettersOf(tokens).replace(/[,.!-]/g, '') === '') return { kind: 'harmless', leaning: all.length > tokens.length };
  const each = readApproval(tokens, lettersOf(tokens), [ONE_BY_ONE]);
  if (each !== null) return { kind: 'decisions', decisions: each };
  const meaning = readNumbered(line, tokens);
  const byNumber = meaning.kind === 'unclear' ? readByNumber(line, tokens) : null;
  return byNumber === null ? meaning : { kind: 'decisions', decisions: byNumber };
}

function readNumbered(line: string, tokens: readonly Token[]): LineMeaning {
  const numbered = NUMBERED.pattern.exec(lettersOf(tokens));
  if (!numbered) return readSentences(line, tokens);
  const target = readTarget(tokens, numbered.indices?.groups?.target ?? numbered.indices?.groups?.marked);
  const meaning = readSentences(line, tokens.slice(numbered[0].length));
  if (target === null || meaning.kind !== 'decisions') return { kind: 'unclear' };
  const [only, ...more] = meaning.decisions;
  // "1: approve 2" contradicts itself.
  if (!only || more.length > 0 || only.target !== 'none') return { kind: 'unclear' };
  return { kind: 'decisions', decisions: [{ ...only, target, rule: `${NUMBERED.name}: ${only.rule}` }] };
}

/**
 * "1 yes, 2 no, he has it, 3 yes": each part begins with its number and says one thing about it. Beside a yes the reason of a no may hold no
 * number: it could be about the other one. Null where any part is not surely that.
 */
function readByNumber(line: string, tokens: readonly Token[]): readonly LineDecision[] | null {
  const letters = lettersOf(tokens);
  const starts = numberedParts(lettersOf(tokens.map(asPlainNo)));
  if (!BEFORE_NUMBERS.test(letters.slice(0, starts[0]?.[0] ?? 0))) return null;
  const parts = starts.map(([start, from], at) => {
    const said = withoutEnd(tokens.slice(from, starts[at + 1]?.[0] ?? tokens.length));
    const target = readTarget(tokens, [start, from]);
    const meaning = readSentences(line.slice(0, said.at(-1)?.end), said);
    const [only, ...more] = meaning.kind === 'decisions' ? meaning.decisions : [];
    const isOne = only !== undefined && more.length === 0 && only.target === 'none' && target !== null;
    const rule = starts.length > 1 ? BY_NUMBER.name : `${NUMBERED.name}: ${only?.rule ?? ''}`;
    return isOne ? { ...only, target, rule, letters: lettersOf(said) } : null;
  });
  const decisions = parts.filter((part) => part !== null);
  const isMixed = decisions.some(({ verb }) => verb === 'approve');
  const isSure = decisions.every((each) => each.verb === 'approve' || !(isMixed && HAS_NUMBER.test(each.letters)));
  if (decisions.length === 0 || decisions.length < parts.length || !isSure) return null;
  return decisions.map(({ letters: _, ...decision }) => decision);
}

/** "No thanks", "不行": a refusal that begins with a word for no. */
function asPlainNo(token: Token): Token {
  const [first = ''] = UNSPACED.test(token.text) ? token.text : token.text.split(' ');
  const isNo = token.letter === CLASSES.deny && IS_NO.test((LETTERS_OF.get(first) ?? []).join(''));
  return isNo ? { ...token, letter: CLASSES.no } : token;
}
const IS_NO = pattern('^ [no noOrNot not] $');

/** Where each part begins, and where what it says of its numbers does. */
function numberedParts(letters: string): readonly (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = [];
  for (let at = 0; at < letters.length; at += 1) {
    const [found] = BY_NUMBER.pattern.exec(letters.slice(at)) ?? [];
    if (found === undefined) continue;
    parts.push([at, at + found.length]);
    at += found.length - 1;
  }
  return parts;
}

const BEFORE_NUMBERS = pattern('^ [hello thanks thanksMore please filler comma dot bang name]* $');
const HAS_NUMBER = pattern('[number item all both]');

/** The reason of one part ends where the next begins. */
function withoutEnd(tokens: readonly Token[]): readonly Token[] {
  const to = tokens.findLastIndex(({ letter }) => !/[-,.;C]/.test(letter));
  return tokens.slice(0, to + 1);
}

function readSentences(line: string, tokens: readonly Token[]): LineMeaning {
  const meaning = readEach(line, tokens);
  const whole = meaning.kind === 'decisions' ? null : readAsOne(tokens);
  return whole === null ? meaning : { kind: 'decisions', decisions: whole };
}

function readEach(line: string, tokens: readonly Token[]): LineMeaning {
  const decisions: LineDecision[] = [];
  let leaning = false;
  for (let rest = tokens; rest.length > 0; ) {
    const denial = readDenial(line, rest);
    if (denial === 'unclear') return { kind: 'unclear' };
    if (denial) {
      decisions.push(denial.decision);
      rest = denial.rest;
      continue;
    }
    const stop = rest.findIndex(({ letter }) => /[.!;]/.test(letter));
    const sentence = stop < 0 ? rest : rest.slice(0, stop);
    rest = stop < 0 ? [] : rest.slice(stop + 1);
    const plain = withoutFillers(sentence);
    const letters = lettersOf(plain);
    const approvals = readApproval(plain, letters) ?? readBehindSlip(plain) ?? readBesideTold(sentence);
    if (approvals) decisions.push(...approvals);
    else if (!isHarmless(letters, leaning || decisions.length > 0)) return { kind: 'unclear' };
    leaning ||= LEANING.test(letters);
  }
  // Both verbs in one line are too easily a sentence about them.
  if (new Set(decisions.map(({ verb }) => verb)).size > 1) return { kind: 'unclear' };
  return decisions.length > 0 ? { kind: 'decisions', decisions } : { kind: 'harmless', leaning };
}

/** "Sounds good. Send.": sentences that are one yes together, where each by itself would be less. */
function readAsOne(tokens: readonly Token[]): readonly LineDecision[] | null {
  const signs = tokens.filter(({ letter }) => /[.!]/.test(letter));
  if (signs.length === 0) return null;
  const joined = withoutFillers(tokens.map((token) => (signs.includes(token) ? { ...token, letter: ',' } : token)));
  return readApproval(joined, lettersOf(joined), KNOWN_RULES) ?? readBesideTold(joined, KNOWN_RULES);
}

/** A yes, and something that is only told. */
function readBesideTold(
  sentence: readonly Token[],
  rules: readonly SentenceRule[] = YES_RULES,
): readonly LineDecision[] | null {
  const told = withoutTold(sentence);
  const left = told === null ? [] : withoutFillers(told);
  return left.length === 0 ? null : readApproval(left, lettersOf(left), rules);
}

/** `answered`: something was said before that may be closed as a letter is. */
const isHarmless = (letters: string, answered: boolean): boolean =>
  COURTESY.pattern.test(letters) || (answered && SIGN_OFF.pattern.test(letters));

const LEANING = pattern('praise | sure | yesOrThanks');

function trimCommas(tokens: readonly Token[]): readonly Token[] {
  const from = tokens.findIndex(({ letter }) => letter !== ',' && letter !== '-');
  const to = tokens.findLastIndex(({ letter }) => letter !== ',' && letter !== '-');
  return from < 0 ? [] : tokens.slice(from, to + 1);
}

/** A Danish "tak" is thanks; only with a target, a please or another yes is it surely the Polish one. */
const SURELY_YES = pattern('[approve yes goAhead please number all both send delete]');

/** Beside a word that only one language has, a word of two meanings has the one of that language: "Igen, köszönöm". */
function isYesHere(tokens: readonly Token[]): boolean {
  const unsure = tokens.filter(({ letter }) => letter === CLASSES.yesOrThanks);
  const beside = tokens.flatMap(({ letter, text }) => {
    const languages = letter === CLASSES.yesOrThanks ? undefined : LANGUAGES_OF.get(text);
    return languages?.size === 1 ? [...languages] : [];
  });
  return beside.some((language) => unsure.every(({ text }) => HERE_OF.get(language)?.get(text)?.[0] === CLASSES.yes));
}

/** Words that change nothing, and the commas that are left of them. */
export const withoutFillers = (sentence: readonly Token[]): readonly Token[] =>
  saidOnce(
    trimCommas(
      trimCommas(sentence)
        .filter(({ letter }) => letter !== CLASSES.filler)
        .filter(({ letter }, at, all) => letter !== ',' || all[at - 1]?.letter !== ','),
    ),
  );

/** "Send it send it" is as much as the half of it. */
function saidOnce(tokens: readonly Token[]): readonly Token[] {
  const half = tokens.length / 2;
  const isTwice = tokens.every(({ text, letter }, at) => {
    const other = tokens[(at + half) % tokens.length];
    return other?.text === text && other.letter === letter;
  });
  return isTwice && ACTS.test(tokens[0]?.letter ?? '') ? tokens.slice(0, half) : tokens;
}

const ACTS = pattern('[send delete goAhead approve]');

const IS_UNKNOWN = pattern('^ [name unknown unclear noted] $');
const SAYS_TO_DO = pattern('[approve goAhead send delete]');
/** What says by itself what is to be done, or that it is to be done. */
const SAYS_WHAT = pattern('[approve goAhead send delete] | yes');

/**
 * A first word that says nothing, before what is a yes by itself: a yes that a thumb has missed by one key ("yed go ahead"), one said twice in a
 * row ("tak tak, wyślij"), which alone is as often none, or that something was read ("got it, go ahead").
 */
function readBehindSlip(tokens: readonly Token[]): readonly LineDecision[] | null {
  const [first, ...others] = tokens;
  if (!first || !IS_UNKNOWN.test(first.letter)) return null;
  const rest = trimCommas(others);
  const isNoted = first.letter === CLASSES.noted && SAYS_TO_DO.test(lettersOf(rest));
  if (!isNoted && !isMissedYes(first.text) && !isYesTwice(first.text)) return null;
  return SAYS_WHAT.test(lettersOf(rest)) ? readApproval(rest, lettersOf(rest)) : null;
}

function isYesTwice(text: string): boolean {
  const words = text.split(' ');
  const isYes = (word: string): boolean =>
    LETTERS_OF.get(word)?.[0] === CLASSES.yes ||
    [...HERE_OF.values()].some((here) => here.get(word)?.[0] === CLASSES.yes);
  return words.length > 1 && new Set(words).size === 1 && words.every(isYes);
}

function readApproval(
  tokens: readonly Token[],
  letters: string,
  rules: readonly SentenceRule[] = YES_RULES,
): readonly LineDecision[] | null {
  for (const { name, pattern: form } of rules) {
    const match = form.exec(letters);
    if (!match) continue;
    if (letters.includes(CLASSES.yesOrThanks) && !SURELY_YES.test(letters) && !isYesHere(tokens)) return null;
    const { target: named, before, after, sending, deleting, each } = match.indices?.groups ?? {};
    const approved = { verb: 'approve', target: 'none', reason: null, rule: name } as const;
    if (each)
      return [
        { ...approved, act: 'send' },
        { ...approved, act: 'delete' },
      ];
    const said = [named, before, after].filter((span) => span !== undefined && span[1] > span[0]);
    // "all … both" is no list.
    const target = said.length > 1 ? null : readTarget(tokens, said[0]);
    if (target === null) return null;
    return [{ ...approved, target, act: sending ? 'send' : deleting ? 'delete' : null }];
  }
  return null;
}

interface Denial {
  readonly decision: LineDecision;
  readonly rest: readonly Token[];
}

/** Null when the line does not deny; `unclear` when it does and does not. A reason takes the rest of the line. */
function readDenial(line: string, tokens: readonly Token[]): Denial | 'unclear' | null {
  const letters = lettersOf(tokens);
  const match = NO.pattern.exec(letters);
  const { head, tail = '', target: named = '' } = match?.groups ?? {};
  if (head === undefined) return null;
  const target = readTarget(tokens, match?.indices?.groups?.target);
  if (target === null) return 'unclear';
  const decision = { verb: 'deny', target, act: null, reason: null, rule: NO.name } as const;
  const after = tokens.slice(letters.length - tail.length);
  const again = NO_AGAIN.pattern.exec(tail);
  if (again) return { decision, rest: after.slice(again[0].length) };
  const runsOn = /N.*N/.test(named) && RUNS_ON.pattern.test(tail);
  const behind = STRONG.pattern.test(head) ? STRONG_DOUBTS : isNay(tokens, match) ? NAY_DOUBTS : PLAIN_DOUBTS;
  if (runsOn || (tail !== '' && isDoubtful(tail, behind))) return 'unclear';
  return { decision: { ...decision, reason: reasonOf(line, after) }, rest: [] };
}

const STRONG_DOUBTS: readonly string[] = ['any'];
const NAY_DOUBTS: readonly string[] = ['any', 'plain'];
const PLAIN_DOUBTS: readonly string[] = ['any', 'plain', 'word'];

/** "Nein", "nope": of these words no other sentence is made, as "no idea" is. */
const NAYS: ReadonlySet<string> = new Set(phrasesOf('nay'));

function isNay(tokens: readonly Token[], match: RegExpExecArray | null): boolean {
  const [from, to] = match?.indices?.groups?.head ?? [0, 0];
  return tokens.slice(from, to).some(({ text }) => NAYS.has(text));
}

/** Whether what follows a no makes it something else. */
function isDoubtful(tail: string, behind: readonly string[]): boolean {
  const kinds = REASON.pattern.test(tail) ? ['reason'] : behind;
  return DOUBTS.some((doubt) => kinds.includes(doubt.behind) && doubt.pattern.test(tail));
}

const MAX_REASON = 500;

/** The sender's own words after the verb; null when nothing but courtesy is left. */
function reasonOf(line: string, tail: readonly Token[]): string | null {
  const words = tail.slice(tail.findIndex(({ letter }) => !/[-,.:;!K)]/.test(letter)));
  const first = words[0];
  if (!first || tail.every(({ letter }) => /[-,.:;!K)]/.test(letter))) return null;
  if (/^(?:(?:[GPkyOaAJ]|Tt*M{0,3})[-,.!;]*)*$/.test(lettersOf(words))) return null;
  return line.slice(first.start).trim().slice(0, MAX_REASON);
}

/** Which items a stretch of tokens names; null for a list that cannot be meant: 3-1, 1-3-5. */
export function readTarget(
  tokens: readonly Token[],
  span: readonly [number, number] | undefined,
): LineDecision['target'] | null {
  const named = span ? tokens.slice(...span) : [];
  const letters = lettersOf(named);
  if (letters.includes('L')) return named.some(({ text }) => THREE.has(text)) ? 'three' : 'all';
  if (letters.includes('B')) return 'both';
  const numbers = numbersOf(named);
  if (numbers === null) return null;
  return numbers.length > 0 ? numbers : 'none';
}

/** All, where there are three of them. */
const THREE: ReadonlySet<string> = new Set(phrasesOf('three'));

const MAX_RANGE = 100;

function numbersOf(named: readonly Token[]): number[] | null {
  const numbers: number[] = [];
  let from: number | null = null;
  for (const [index, { letter, text }] of named.entries()) {
    if (letter === '-') from = numbers.at(-1) ?? null;
    if (letter !== 'N') continue;
    const number = Number(text);
    if (from !== null && (number <= from || number - from > MAX_RANGE || named[index + 1]?.letter === '-')) return null;
    for (let each = (from ?? number - 1) + 1; each <= number; each += 1) numbers.push(each);
    from = null;
  }
  return numbers;
}
