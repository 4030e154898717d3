/** What is compared of a letter. */
export interface Wording {
  /** What its sender wrote now. */
  readonly text: string;
  /** Without prefixes of answers. */
  readonly subject: string;
  /** Hashes of the files that go with it, in any order. */
  readonly files: readonly string[];
}

/** Longer letters are told by this much of them. */
const MAX_CHARS = 20_000;
const MAX_SUBJECT = 300;
/** The words with which a letter begins: what people write themselves stands above what they quote. */
const HEAD = 8;
/** Of the hashes of all pairs of words the smallest: as many as tell how much two letters have in common. */
const PAIRS = 48;
const NUMBER = 4;

/** Letters of scripts that write without blanks are words by themselves. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]]{1,80}/gv;

/** In small letters; whatever has a digit in it is a number, a date, a time or a counter. */
const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) => (/\p{N}/u.test(word) ? '#' : word));

/**
 * A sketch of a letter, some 250 bytes at most, whatever its length: enough to tell whether another one says nearly the
 * same, and no word of it can be read there. Pure.
 */
export function sketchOf({ text, subject, files }: Wording): Uint8Array {
  const words = wordsOf(text.slice(0, MAX_CHARS));
  const title = wordsOf(subject.slice(0, MAX_SUBJECT));
  const pairs = new Set<number>(title.map((word) => hash(`subject ${word}`)));
  words.forEach((word, at) => {
    pairs.add(hash(`${words[at - 1] ?? ''} ${word}`));
  });
  const head = new Set((words.length > 0 ? words : title).slice(0, HEAD).map(hash));
  const smallest = [...pairs].sort((a, b) => a - b).slice(0, PAIRS);
  const numbers = [hash([...files].sort().join(' ')), words.length, head.size, ...head, ...smallest];
  const sketch = new Uint8Array(numbers.length * NUMBER);
  const view = new DataView(sketch.buffer);
  numbers.forEach((number, at) => {
    view.setUint32(at * NUMBER, number);
  });
  return sketch;
}

/** FNV-1a. Whoever finds two words of one hash has two letters that look alike, and nothing more. */
function hash(word: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) value = Math.imul(value ^ word.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

const ALIKE = 0.85;
const HEADS_ALIKE = 0.7;

/**
 * Whether two letters say nearly the same: they begin alike, have most of their words in the same order, numbers aside,
 * and bring the same files. Short ones have to be equal. Pure.
 */
export function isAlike(one: Uint8Array, other: Uint8Array): boolean {
  const [a, b] = [read(one), read(other)];
  if (a.files !== b.files) return false;
  const larger = Math.max(a.head.size, b.head.size);
  if (larger > 0 && shared(a.head, b.head) / larger < HEADS_ALIKE) return false;
  // The smallest hashes of both together are a sample of all their pairs.
  const union = [...new Set([...a.pairs, ...b.pairs])].sort((x, y) => x - y).slice(0, PAIRS);
  const common = union.filter((pair) => a.pairs.has(pair) && b.pairs.has(pair)).length;
  return union.length === 0 || common / union.length >= ALIKE;
}

/** How many words the letter has, its subject aside. */
export const wordsIn = (sketch: Uint8Array): number => read(sketch).words;

const shared = (a: ReadonlySet<number>, b: ReadonlySet<number>): number => [...a].filter((one) => b.has(one)).length;

function read(sketch: Uint8Array) {
  const view = new DataView(sketch.buffer, sketch.byteOffset, sketch.byteLength);
  const numbers = Array.from({ length: Math.floor(sketch.byteLength / NUMBER) }, (_, at) =>
    view.getUint32(at * NUMBER),
  );
  const [files = 0, words = 0, head = 0, ...rest] = numbers;
  return { files, words, head: new Set(rest.slice(0, head)), pairs: new Set(rest.slice(head)) };
}
