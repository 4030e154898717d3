import type { Words } from '../types/recall.ts';
import { isSecondHalf, kindOf, type Letters, lettersOf, NONE, SPACED, UNSPACED } from './letters.ts';
import type { Clue } from './windows.ts';

/** Whoever asks for what is looked for tells half of it. */
const OF_ASKED = 0.5;

/** A text as it is compared: the clues and the words that it has. */
export interface ComparedText {
  /** How much of each clue it tells. */
  readonly times: readonly number[];
  /** Which clues stand in it, and which in its questions, as bits. */
  readonly bits: number;
  readonly asked: number;
  readonly words: Words;
}

/** Reads texts one after the other. */
export function readerFor(clues: readonly Clue[]): (text: string) => ComparedText {
  const finds = findingFor(clues);
  return (text) => {
    const letters = lettersOf(text);
    const telling = new Telling(letters.codes, finds, clues.length);
    const words = readThrough(letters, telling);
    return { times: telling.times, bits: telling.bits, asked: telling.asked, words };
  };
}

/** The words of a text as they are compared with those of another. */
export function comparedWords(text: string): Words {
  const letters = lettersOf(text);
  return readThrough(letters, new Telling(letters.codes, () => 0, 0));
}

/** What a text tells of the clues. A class, since its fields are written for each word. */
class Telling {
  readonly times: number[];
  bits = 0;
  asked = 0;
  /** The clues of each run of letters of the sentence that has any. */
  #found: number[] = [];
  readonly #codes: Uint16Array;
  readonly #finds: Finds;

  constructor(codes: Uint16Array, finds: Finds, clues: number) {
    this.#codes = codes;
    this.#finds = finds;
    this.times = new Array<number>(clues).fill(0);
  }

  run(from: number, to: number): void {
    const bits = this.#finds(this.#codes, from, to);
    if (bits !== 0) this.#found.push(bits);
  }

  sentence(isQuestion: boolean): void {
    if (this.#found.length === 0) return;
    for (const bits of this.#found) this.#tell(bits, isQuestion);
    this.#found = [];
  }

  #tell(bits: number, isQuestion: boolean): void {
    this.bits |= bits;
    if (isQuestion) this.asked |= bits;
    const much = isQuestion ? OF_ASKED : 1;
    for (let at = 0; at < this.times.length; at += 1)
      if (bits & (1 << at)) this.times[at] = (this.times[at] ?? 0) + much;
  }
}

const [NEWLINE, STOP, QUESTION, EXCLAMATION] = [0x0a, 0x2e, 0x3f, 0x21];
const [FULL_STOP, WIDE_QUESTION, WIDE_EXCLAMATION, ARABIC_QUESTION, KA] = [0x3002, 0xff1f, 0xff01, 0x061f, 0x304b];

const isMark = (code: number): boolean => code === QUESTION || code === WIDE_QUESTION || code === ARABIC_QUESTION;
const endsSentence = (code: number): boolean =>
  code === STOP ||
  code === NEWLINE ||
  code === EXCLAMATION ||
  code === FULL_STOP ||
  code === WIDE_EXCLAMATION ||
  isMark(code);
/** By how it ends. */
const asks = (code: number, before: number): boolean => isMark(code) || (code === FULL_STOP && before === KA);

/** A text that is looked for in a run of letters, and the bit of its clue. */
interface Wanted {
  readonly text: string;
  readonly bit: number;
}

/** By the last byte of the first letter: most words begin like none of what is looked for, and that is quick to say. */
type ByFirst = readonly (readonly Wanted[] | undefined)[];

function byFirst(clues: readonly Clue[], textsOf: (clue: Clue) => readonly string[]): ByFirst {
  const all: (Wanted[] | undefined)[] = new Array(256).fill(undefined);
  for (const [at, clue] of clues.entries())
    for (const text of textsOf(clue)) {
      const first = text.charCodeAt(0) & 255;
      const others = all[first];
      if (others) others.push({ text, bit: 1 << at });
      else all[first] = [{ text, bit: 1 << at }];
    }
  return all;
}

function findingFor(clues: readonly Clue[]): Finds {
  const [forms, stems, within] = [
    byFirst(clues, (clue) => clue.forms),
    byFirst(clues, (clue) => clue.stems),
    byFirst(clues, (clue) => clue.within),
  ];
  const hasWithin = clues.some((clue) => clue.within.length > 0);
  return (codes, from, to) => {
    const first = (codes[from] ?? 0) & 255;
    let found = wholeOf(forms[first], codes, from, to) | beginningOf(stems[first], codes, from, to);
    if (!hasWithin) return found;
    for (let at = from; at < to; at += 1) found |= beginningOf(within[(codes[at] ?? 0) & 255], codes, at, to);
    return found;
  };
}

function wholeOf(wanted: readonly Wanted[] | undefined, codes: Uint16Array, from: number, to: number): number {
  let found = 0;
  if (wanted !== undefined)
    for (const { text, bit } of wanted) if (text.length === to - from && standsAt(text, codes, from)) found |= bit;
  return found;
}

function beginningOf(wanted: readonly Wanted[] | undefined, codes: Uint16Array, from: number, to: number): number {
  let found = 0;
  if (wanted !== undefined)
    for (const { text, bit } of wanted) if (text.length <= to - from && standsAt(text, codes, from)) found |= bit;
  return found;
}

function standsAt(text: string, codes: Uint16Array, from: number): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== codes[from + at]) return false;
  return true;
}

/** FNV-1a, a letter at a time. */
const BEGIN = 0x811c9dc5 | 0;
const hashed = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/** Numbers of which each is taken once; emptied by counting on. */
const slots = new Int32Array(4096);
const takenBy = new Int32Array(4096);
const taken = new Int32Array(2048);
const taking = { round: 0, count: 0, hash: BEGIN };

function take(hash: number): void {
  if (taking.count >= taken.length) return;
  let slot = (hash ^ (hash >>> 15)) & 4095;
  while (takenBy[slot] === taking.round) {
    if (slots[slot] === hash) return;
    slot = (slot + 1) & 4095;
  }
  takenBy[slot] = taking.round;
  slots[slot] = hash;
  taken[taking.count] = hash;
  taking.count += 1;
}

/** From one letter to the next; of a script without spaces each two neighbours are a word, and the last letter alone, as in the index. */
function step(before: number, last: number, kind: number, code: number): void {
  if (before === UNSPACED) {
    const one = hashed(BEGIN, last);
    take(kind === UNSPACED ? hashed(one, code) : one);
  } else if (before === SPACED && kind !== SPACED) take(taking.hash);
  if (kind === SPACED) taking.hash = hashed(before === SPACED ? taking.hash : BEGIN, code);
}

/** Which clues a run of letters is one of, as bits. */
type Finds = (codes: Uint16Array, from: number, to: number) => number;

/** The words of a text; on the way, its runs of letters are told of, and after those of a sentence whether it asks. */
function readThrough({ codes, length }: Letters, telling: Telling): Words {
  taking.round += 1;
  taking.count = 0;
  let [before, last, from] = [NONE, 0, 0];
  for (let at = 0; at <= length; at += 1) {
    const code = codes[at] ?? NEWLINE;
    const kind = isSecondHalf(code) ? before : kindOf(code);
    if (before !== kind || kind !== NONE) step(before, last, kind, code);
    if (before !== NONE && kind === NONE) telling.run(from, at);
    if (before === NONE && kind !== NONE) from = at;
    if (endsSentence(code)) telling.sentence(asks(code, last));
    [before, last] = [kind, code];
  }
  return taken.slice(0, taking.count);
}
