import { lettersOf, type Token } from './lexer.ts';

/** One decision of one line, not yet held against the items of the notice. */
export interface Decision {
  readonly verb: 'approve' | 'deny';
  /** `none` where the answer names no item. */
  readonly target: readonly number[] | 'all' | 'both' | 'none';
  readonly reason: string | null;
}

export type LineMeaning =
  | { readonly kind: 'decisions'; readonly decisions: readonly Decision[] }
  /** Thanks, praise and the like: changes nothing. `leaning`: praise, which beside no answer sounds like one. */
  | { readonly kind: 'harmless'; readonly leaning: boolean }
  | { readonly kind: 'unclear' };

const LIST = 'I?Nc?(?:(?:,C?|C|-)?I?Nc?)*';
// "Those 2" and "2 items" count, they do not number.
const TARGET = `(?:${LIST}|O*(?:I${LIST}|[LB][OI]*|I+))`;
const THANKS = '(?:Tt*(?:,?M{1,3})?)';
const YES = '(?:S*[Aak]|P?J)';
// Behind a yes a please stands for itself: read with the word after it as well, each would double the ways to read it.
const MORE_YES = '(?:S*[Aak]|J)';
// "Please approve" asks somebody else to, so a please may only follow.
const APPROVE = new RegExp(
  `^(?:(?:G|${THANKS}),?)*${YES}(?:[,-]?(?:G|P|${THANKS}|${MORE_YES}))*(?:(?::|,(?=[LBI]))?R?(?<target>${TARGET})|RO)?(?:[,-]?(?:G|P|O|${THANKS}))*$`,
  'd',
);
const ALL_APPROVED = new RegExp(`^(?<target>[LB][OI]*|(?:${LIST}|L)(?=o))o?A(?:,?(?:G|P|${THANKS}))*$`, 'd');
const HARMLESS = new RegExp(`^(?:(?:[GPk]|${THANKS}),?)*$`);
const SIGN_OFF = /^v(?:,?M{1,3})?$/;
const LABEL = new RegExp(`^(?:(?<target>${LIST}|[LB](?=[-:=]))[-:.)=]+(?=.)|(?<marked>INc?)(?=[AaDwqQ]))`, 'd');
// Who says it is part of it, once: before both, a run of such words could be divided anywhere.
const NO = '(?:S*(?:(?:[LB][OI]*)?D|Q[tO]*[AaJ]|q[AaJ]|w+|q+)|S+AO*Q)';
const DENY_MORE = new RegExp(`^[,.;!]+(?=${NO}[:-]?R?${TARGET})`);
const DENY = new RegExp(
  `^(?:(?:[GPy]|${THANKS})[,.!]?)*(?<head>${NO}(?:[,.!;]+P?${NO})*)(?:O+(?=[-,.:;!K]|$))?(?:[:,-]?R?(?<target>${TARGET}))?(?<tail>.*)$`,
  'd',
);

/** What one line says; `line` is the text that the tokens were made of. */
export function readStatement(line: string, all: readonly Token[]): LineMeaning {
  const tokens = all.filter(({ letter }) => letter !== 'E');
  if (lettersOf(tokens).replace(/[,.!-]/g, '') === '') return { kind: 'harmless', leaning: all.length > tokens.length };
  const label = LABEL.exec(lettersOf(tokens));
  if (!label) return readSentences(line, tokens);
  const target = readTarget(tokens, label.indices?.groups?.target ?? label.indices?.groups?.marked);
  const meaning = readSentences(line, tokens.slice(label[0].length));
  if (target === null || meaning.kind !== 'decisions') return { kind: 'unclear' };
  const [only, ...more] = meaning.decisions;
  // "1: approve 2" contradicts itself.
  if (!only || more.length > 0 || only.target !== 'none') return { kind: 'unclear' };
  return { kind: 'decisions', decisions: [{ ...only, target }] };
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
    else if (!HARMLESS.test(letters) && !(decisions.length > 0 && SIGN_OFF.test(letters))) return { kind: 'unclear' };
    leaning ||= /[Gk]/.test(letters);
  }
  // Both verbs in one line are too easily a sentence about them.
  if (new Set(decisions.map(({ verb }) => verb)).size > 1) return { kind: 'unclear' };
  return decisions.length > 0 ? { kind: 'decisions', decisions } : { kind: 'harmless', leaning };
}

function trimCommas(tokens: readonly Token[]): readonly Token[] {
  const from = tokens.findIndex(({ letter }) => letter !== ',' && letter !== '-');
  const to = tokens.findLastIndex(({ letter }) => letter !== ',' && letter !== '-');
  return from < 0 ? [] : tokens.slice(from, to + 1);
}

function readApproval(tokens: readonly Token[], letters: string): Decision | null {
  const match = APPROVE.exec(letters) ?? ALL_APPROVED.exec(letters);
  if (!match) return null;
  // A Danish "tak" is thanks; only with a target, a please or another yes is it surely the Polish one.
  if (letters.includes('k') && !/[AaJPNLB]/.test(letters)) return null;
  const target = readTarget(tokens, match.indices?.groups?.target);
  return target === null ? null : { verb: 'approve', target, reason: null };
}

interface Denial {
  readonly decision: Decision;
  readonly rest: readonly Token[];
}

/** Null when the line does not deny; `unclear` when it does and does not. A reason takes the rest of the line. */
function readDenial(line: string, tokens: readonly Token[]): Denial | 'unclear' | null {
  const letters = lettersOf(tokens);
  const match = DENY.exec(letters);
  const { head, tail = '', target: named = '' } = match?.groups ?? {};
  if (head === undefined) return null;
  const target = readTarget(tokens, match?.indices?.groups?.target);
  if (target === null) return 'unclear';
  const after = tokens.slice(letters.length - tail.length);
  const more = DENY_MORE.exec(tail);
  if (more) return { decision: { verb: 'deny', target, reason: null }, rest: after.slice(more[0].length) };
  // In "deny 1, 2 looks fine" the second number belongs to what follows.
  const runsOn = /N.*N/.test(named) && /^[^-,.:;!KTPky]/.test(tail);
  if (runsOn || (tail !== '' && isUnclear(tail, /[DQ]|q[AaJ]/.test(head)))) return 'unclear';
  return { decision: { verb: 'deny', target, reason: reasonOf(line, after) }, rest: [] };
}

const TAKEN_BACK = /(?<![Qq][tOS]{0,3})[AJ]|[-,.!;:][GPTt]*S*a(?:[-,.!;]|$)/;
const TAKEN_BACK_AFTER_REASON = /[.!;]S*(?:[AJ]|a(?:[-,.!;]|$))/;

/** Whether what follows a no makes it something else. A plain "no" is also the first word of many other sentences. */
function isUnclear(tail: string, strong: boolean): boolean {
  if (/^[-,.:;!]*K/.test(tail)) return TAKEN_BACK_AFTER_REASON.test(tail);
  if (/[?Z]/.test(tail) || TAKEN_BACK.test(tail)) return true;
  if (strong) return false;
  if (/[-,.:;!][OS]*G|^G/.test(tail)) return true;
  return !/^[-,.:;!TPky]/.test(tail) || /^[-,.:;!]+[HNI]/.test(tail);
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

/** Null for a list that cannot be meant: 3-1, 1-3-5. */
function readTarget(tokens: readonly Token[], span: readonly [number, number] | undefined): Decision['target'] | null {
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
