import { hashOfWord, WORD } from './words.ts';

/** What is compared of a letter. */
interface Wording {
  /** What its sender wrote now. */
  readonly text: string;
  /** Without prefixes of answers. */
  readonly subject: string;
  /** Hashes of the files that go with it, in any order. */
  readonly files: readonly string[];
}

/** Longer letters are told by this much of them. */
const MAX_CHARS = 10_000;
const MAX_SUBJECT = 300;
/** The words with which a letter begins: what people write themselves stands above what they quote. */
const HEAD = 8;
/** Of the hashes of all pairs of words the smallest: as many as tell how much two letters have in common. */
const PAIRS = 48;
const NUMBER = 4;
/** Of files, of how many words, and of how many of them the beginning is. */
const FIELDS = 3;

/** Words where there are no others, in a fraction of the time. */
const ASCII_WORD = /[a-z0-9]{1,80}/g;
const OTHERS = /[^\0-\x7f]/;

/** In small letters; whatever has a digit in it is a number, a date, a time or a counter. */
function wordsOf(text: string): string[] {
  const small = OTHERS.test(text) ? text.normalize('NFKC').toLowerCase() : text.toLowerCase();
  return (small.match(OTHERS.test(small) ? WORD : ASCII_WORD) ?? []).map((word) => (DIGIT.test(word) ? '#' : word));
}
const DIGIT = /\p{N}/u;

/**
 * A sketch of a letter, some 250 bytes at most, whatever its length: enough to tell whether another one says nearly the
 * same, and no word of it can be read there. Pure.
 */
export function sketchOf({ text, subject, files }: Wording): Uint8Array {
  const words = wordsOf(text.slice(0, MAX_CHARS));
  const title = wordsOf(subject.slice(0, MAX_SUBJECT));
  const pairs = new Set<number>(title.map((word) => hashOfWord(`subject ${word}`)));
  let before = 0;
  for (const word of words) {
    const own = hashOfWord(word);
    pairs.add(Math.imul(before ^ own, 0x9e3779b1) >>> 0);
    before = Math.imul(own, 0x85ebca6b);
  }
  const head = new Set((words.length > 0 ? words : title).slice(0, HEAD).map(hashOfWord));
  const smallest = [...pairs].sort((a, b) => a - b).slice(0, PAIRS);
  const numbers = [hashOfWord([...files].sort().join(' ')), words.length, head.size, ...head, ...smallest];
  const sketch = new Uint8Array(numbers.length * NUMBER);
  const view = new DataView(sketch.buffer);
  numbers.forEach((number, at) => {
    view.setUint32(at * NUMBER, number);
  });
  return sketch;
}

const ALIKE = 0.85;
const HEADS_ALIKE = 0.7;

/**
 * Whether two letters say nearly the same: they begin alike, have most of their words in the same order, numbers aside,
 * and bring the same files. Short ones have to be equal. Pure.
 */
export const isAlike = (one: Uint8Array, other: Uint8Array): boolean => likeThis(one)(other);

/** The same for one letter and many others. */
export function likeThis(one: Uint8Array): (other: Uint8Array) => boolean {
  const a = read(one);
  return (other) => {
    const b = read(other);
    if (a.files !== b.files) return false;
    const larger = Math.max(a.head.length, b.head.length);
    const begun = a.head.reduce((sum, word) => (b.head.includes(word) ? sum + 1 : sum), 0);
    return (larger === 0 || begun / larger >= HEADS_ALIKE) && inCommon(a.pairs, b.pairs) >= ALIKE;
  };
}

/** The share of what both have in the smallest hashes of both together, which are a sample of all. Both ascend. */
function inCommon(a: Uint32Array, b: Uint32Array): number {
  let [union, common, i, j] = [0, 0, 0, 0];
  while (union < PAIRS && (i < a.length || j < b.length)) {
    const [x, y] = [a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY];
    union += 1;
    if (x === y) common += 1;
    if (x <= y) i += 1;
    if (y <= x) j += 1;
  }
  return union === 0 ? 1 : common / union;
}

/** How many words the letter has, its subject aside. */
export const wordsIn = (sketch: Uint8Array): number => read(sketch).words;

/** Whatever the bytes are: what is no sketch is like nothing else. */
function read(sketch: Uint8Array) {
  const view = new DataView(sketch.buffer, sketch.byteOffset, sketch.byteLength);
  const numbers = Uint32Array.from({ length: Math.floor(sketch.byteLength / NUMBER) }, (_, at) =>
    view.getUint32(at * NUMBER),
  );
  const [files = 0, words = 0, head = 0] = numbers;
  const pairs = FIELDS + Math.min(head, HEAD);
  return { files, words, head: numbers.subarray(FIELDS, pairs), pairs: numbers.subarray(pairs) };
}
