import { COURTESY, DOUBTS, NO, NO_AGAIN, NUMBERED, REASON, RUNS_ON, SIGN_OFF, STRONG, YES_RULES } from './grammar.ts';
import { lettersOf, pattern, type Token } from './lexer.ts';
import { CLASSES, HERE_OF, LANGUAGES_OF } from './phrases.ts';

/** One decision of one line, not yet held against the items of the notice. */
export interface Decision {
  readonly verb: 'approve' | 'deny';
  /** `none` where the answer names no item. */
  readonly target: readonly number[] | 'all' | 'both' | 'none';
  /** What it says is to be done, where it says more than yes. */
  readonly act: Act | null;
  readonly reason: string | null;
  /** The rule of grammar.ts that it fits. */
  readonly rule: string;
}

export type Act = 'send' | 'delete';

type LineMeaning =
  | { readonly kind: 'decisions'; readonly decisions: readonly Decision[] }
  /** Thanks, praise and the like: changes nothing. `leaning`: praise, which beside no answer sounds like one. */
  | { readonly kind: 'harmless'; readonly leaning: boolean }
  | { readonly kind: 'unclear' };

/** What one line says; `line` is the text that the tokens were made of. */
export function readStatement(line: string, all: readonly Token[]): LineMeaning {
  const tokens = all.filter(({ letter }) => letter !== 'E');
  if (lettersOf(tokens).replace(/[,.!-]/g, '') === '') return { kind: 'harmless', leaning: all.length > tokens.length };
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

function readSentences(line: string, tokens: readonly Token[]): LineMeaning {
  const decisions: Decision[] = [];
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
    const sentence = trimCommas(stop < 0 ? rest : rest.slice(0, stop));
    rest = stop < 0 ? [] : rest.slice(stop + 1);
    const letters = lettersOf(sentence);
    const approval = readApproval(sentence, letters);
    if (approval) decisions.push(approval);
    else if (!COURTESY.pattern.test(letters) && !(decisions.length > 0 && SIGN_OFF.pattern.test(letters)))
      return { kind: 'unclear' };
    leaning ||= LEANING.test(letters);
  }
  // Both verbs in one line are too easily a sentence about them.
  if (new Set(decisions.map(({ verb }) => verb)).size > 1) return { kind: 'unclear' };
  return decisions.length > 0 ? { kind: 'decisions', decisions } : { kind: 'harmless', leaning };
}

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
  return beside.some((language) => unsure.every(({ text }) => HERE_OF.get(language)?.get(text) === CLASSES.yes));
}

function readApproval(tokens: readonly Token[], letters: string): Decision | null {
  for (const { name, pattern: form } of YES_RULES) {
    const match = form.exec(letters);
    if (!match) continue;
    if (letters.includes(CLASSES.yesOrThanks) && !SURELY_YES.test(letters) && !isYesHere(tokens)) return null;
    const { target: named, before, after, sending, deleting } = match.indices?.groups ?? {};
    const said = [named, before, after].filter((span) => span !== undefined && span[1] > span[0]);
    // "all … both" is no list.
    const target = said.length > 1 ? null : readTarget(tokens, said[0]);
    if (target === null) return null;
    return { verb: 'approve', target, act: sending ? 'send' : deleting ? 'delete' : null, reason: null, rule: name };
  }
  return null;
}

interface Denial {
  readonly decision: Decision;
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
  if (runsOn || (tail !== '' && isDoubtful(tail, STRONG.pattern.test(head)))) return 'unclear';
  return { decision: { ...decision, reason: reasonOf(line, after) }, rest: [] };
}

/** Whether what follows a no makes it something else. */
function isDoubtful(tail: string, strong: boolean): boolean {
  const behind = REASON.pattern.test(tail) ? ['reason'] : strong ? ['any'] : ['any', 'plain'];
  return DOUBTS.some((doubt) => behind.includes(doubt.behind) && doubt.pattern.test(tail));
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
): Decision['target'] | null {
  const named = span ? tokens.slice(...span) : [];
  const letters = lettersOf(named);
  if (letters.includes('L')) return 'all';
  if (letters.includes('B')) return 'both';
  const numbers = numbersOf(named);
  if (numbers === null) return null;
  return numbers.length > 0 ? numbers : 'none';
}

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
