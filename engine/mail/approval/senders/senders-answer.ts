import { addressKey } from '../../mime/address.ts';
import { linesOf } from '../approval-answer.ts';
import { type AnswerLine, areSignature, openBody } from '../body.ts';
import { fold } from '../fold.ts';
import { lettersOf, MAX_LINE } from '../lexer.ts';
import { pattern } from '../pattern.ts';
import { type ClassName, MAX_PHRASE_WORDS, type OtherName, phrasesOf } from '../phrases.ts';
import { readStatement } from '../statement.ts';

/** Why an answer about senders is asked back about. */
export type UnclearSenders =
  | 'nothing'
  | 'question'
  | 'too_long'
  | 'more_words'
  /** Something stands beside the answer that may change it. */
  | 'beside'
  | 'reaction'
  | 'another_mail'
  | 'which'
  | 'unknown_item'
  | 'unknown_sender'
  | 'contradiction'
  | 'pattern';

type Verb = 'allow' | 'once' | 'block';

export interface SaidOfSender {
  readonly number: number;
  readonly verdict: Verb;
}

type SendersAnswer =
  | { readonly kind: 'decide'; readonly items: readonly SaidOfSender[] }
  /** `detail` is a word of the answer. */
  | { readonly kind: 'unclear'; readonly why: UnclearSenders; readonly detail: string | null }
  /** The text says nothing about senders. */
  | { readonly kind: 'none'; readonly asks: boolean };

/** A sender of the digest, by its number there; the address is its key. */
interface ListedSender {
  readonly number: number;
  readonly address: string;
}

/**
 * What an owner's answer says of the senders that a digest lists, from the new text of the mail alone. As with approvals
 * nothing is guessed: each line down to the signature is known words, numbers and addresses of the list, or all of it is
 * asked back about.
 */
export function readSenders(newText: string, listed: readonly ListedSender[]): SendersAnswer {
  const { lines, isLong } = openBody(linesOf(newText));
  const said = lines.map(({ text }) => clausesIn(text));
  const last = said.findLastIndex((clauses) => clauses !== null);
  if (last < 0) return lines.some(beginsLikeOne) ? doubtAbout(lines) : { kind: 'none', asks: lines.some(isQuestion) };
  if (isLong) return unclear('too_long');
  const isAllRead = said.slice(0, last).every((clauses, index) => clauses !== null || isCourtesy(lines[index]));
  // Below the last of them only who wrote it may stand.
  if (!isAllRead || !areSignature(lines.slice(last + 1))) return doubtAbout(lines);
  return verdictsOf(
    said.flatMap((clauses) => clauses ?? []),
    listed,
  );
}

const unclear = (why: UnclearSenders, detail: string | null = null): SendersAnswer => ({
  kind: 'unclear',
  why,
  detail,
});

const QUESTION = pattern('question');
const isQuestion = ({ tokens }: AnswerLine): boolean => QUESTION.test(lettersOf(tokens));
const doubtAbout = (lines: readonly AnswerLine[]): SendersAnswer =>
  unclear(lines.some(isQuestion) ? 'question' : 'more_words');
const isCourtesy = (line: AnswerLine | undefined): boolean =>
  line !== undefined && readStatement(line.text, line.tokens).kind === 'harmless';

type Target = { readonly numbers: readonly number[] } | { readonly address: string } | 'all' | 'both';

interface Clause {
  readonly verb: Verb;
  readonly targets: readonly Target[];
}

/** Programs put the link behind an address that somebody typed. */
const LINK = /[<([]mailto:[^\s<>()[\]]{1,320}[>)\]]/gi;
/** Words of a script without blanks and the number behind them. */
const EDGE =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー])(?=[#0-9])|(?<=[0-9])(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])/gu;
const MAX_PIECES = 100;

/** What one line says; null where a part of it is not known, or nothing in it decides. */
function clausesIn(line: string): readonly Clause[] | null {
  const pieces = piecesOf(line);
  return pieces.length > MAX_PIECES ? null : clausesOf(pieces);
}

const piecesOf = (line: string): readonly string[] =>
  line.length > MAX_LINE
    ? []
    : line
        .replace(LINK, ' ')
        .replace(EDGE, ' ')
        .split(/[\s,;:<>()，、；：]+/)
        .map((piece) => piece.replace(/[.!。！]{1,3}$/, ''))
        .filter((piece) => piece !== '' && !/^[-–—&+]$/.test(piece));

/** A word for it with others behind that are not known: asking back about those is better than to say that there is none. */
const beginsLikeOne = ({ text }: AnswerLine): boolean => phraseAt(piecesOf(text), 0)?.means != null;

function clausesOf(pieces: readonly string[]): readonly Clause[] | null {
  const clauses: { verb: Verb; targets: Target[] }[] = [];
  const before: Target[] = [];
  for (let at = 0; at < pieces.length; ) {
    const read = readAt(pieces, at);
    if (read === null) return null;
    if (read.verb) addVerb(clauses, read.verb);
    if (read.target) (clauses.at(-1)?.targets ?? before).push(read.target);
    at += read.words;
  }
  return before.length > 0 ? aboutThose(before, clauses) : clauses.length > 0 ? clauses : null;
}

interface Read {
  readonly words: number;
  readonly verb?: Verb;
  readonly target?: Target;
}

/** What stands at one place of a line; null where it is not known. */
function readAt(pieces: readonly string[], at: number): Read | null {
  const target = targetOf(pieces[at] ?? '');
  if (target) return { words: 1, target };
  const phrase = phraseAt(pieces, at);
  if (phrase === null) return null;
  const { words, means } = phrase;
  if (means === null) return { words };
  return means === 'all' || means === 'both' ? { words, target: means } : { words, verb: means };
}

/** Those whom a line names first. */
function aboutThose(before: readonly Target[], clauses: readonly Clause[]): readonly Clause[] | null {
  const [only, ...more] = clauses;
  // "1: allow"; in "1 allow 2 block" nobody can say which belongs to which.
  return only && more.length === 0 && only.targets.length === 0 ? [{ verb: only.verb, targets: before }] : null;
}

/** "Allow 1 once" is no leave for ever. */
function addVerb(clauses: { verb: Verb; targets: Target[] }[], verb: Verb): void {
  const last = clauses.at(-1);
  if (verb === 'once' && last?.verb === 'allow') last.verb = 'once';
  else clauses.push({ verb, targets: [] });
}

const MAX_RANGE = 100;

/** A number of the list, some of them in a row, or an address; null where it is neither. */
function targetOf(piece: string): Target | null {
  if (piece.includes('@')) return { address: piece };
  const [, from, to] = /^#?(\d{1,3})(?:[-–](\d{1,3}))?$/.exec(piece.normalize('NFKC')) ?? [];
  if (from === undefined) return null;
  const [first, last] = [Number(from), Number(to ?? from)];
  if (last < first || last - first > MAX_RANGE) return null;
  return { numbers: Array.from({ length: last - first + 1 }, (_, index) => first + index) };
}

type Means = Verb | 'all' | 'both' | null;

const MEANT: readonly (readonly [Means, ClassName | OtherName])[] = [
  [null, 'please'],
  [null, 'thanks'],
  [null, 'thanksMore'],
  [null, 'and'],
  [null, 'item'],
  [null, 'object'],
  ['both', 'both'],
  ['all', 'all'],
  ['allow', 'allow'],
  ['once', 'once'],
  ['block', 'block'],
];
const MEANING: ReadonlyMap<string, Means> = new Map(
  MEANT.flatMap(([means, name]) => phrasesOf(name).map((phrase) => [phrase, means] as const)),
);

/** The longest known phrase that begins there. */
function phraseAt(pieces: readonly string[], at: number): { readonly means: Means; readonly words: number } | null {
  for (let words = Math.min(MAX_PHRASE_WORDS, pieces.length - at); words > 0; words -= 1) {
    const means = MEANING.get(fold(pieces.slice(at, at + words).join(' ')));
    if (means !== undefined) return { means, words };
  }
  return null;
}

/** Holds what was said against the list. */
function verdictsOf(clauses: readonly Clause[], listed: readonly ListedSender[]): SendersAnswer {
  const chosen = new Map<number, Verb>();
  for (const { verb, targets } of clauses) {
    const meant = targets.length === 0 ? alone(listed) : numbersOf(targets, listed);
    if (!Array.isArray(meant)) return unclear(meant.why, meant.detail);
    for (const number of meant) {
      if ((chosen.get(number) ?? verb) !== verb) return unclear('contradiction');
      chosen.set(number, verb);
    }
  }
  const items = [...chosen].map(([number, verdict]) => ({ number, verdict }));
  return { kind: 'decide', items: items.toSorted((a, b) => a.number - b.number) };
}

type Doubt = { readonly why: UnclearSenders; readonly detail: string | null };

const alone = (listed: readonly ListedSender[]): number[] | Doubt =>
  listed.length === 1 ? listed.map(({ number }) => number) : { why: 'which', detail: null };

function numbersOf(targets: readonly Target[], listed: readonly ListedSender[]): number[] | Doubt {
  const numbers: number[] = [];
  for (const target of targets) {
    const found = numbersOfOne(target, listed);
    if (!Array.isArray(found)) return found;
    numbers.push(...found);
  }
  return numbers;
}

function numbersOfOne(target: Target, listed: readonly ListedSender[]): number[] | Doubt {
  const all = listed.map(({ number }) => number);
  if (target === 'all') return all;
  if (target === 'both') return all.length === 2 ? all : { why: 'which', detail: null };
  if ('numbers' in target) {
    const missing = target.numbers.find((number) => !all.includes(number));
    return missing === undefined ? [...target.numbers] : { why: 'unknown_item', detail: String(missing) };
  }
  if (target.address.includes('*')) return { why: 'pattern', detail: target.address };
  const key = addressKey(target.address);
  const found = listed.filter(({ address }) => address === key).map(({ number }) => number);
  return found.length > 0 ? found : { why: 'unknown_sender', detail: target.address };
}
