const MAX_LINES = 6;
const MAX_CHARS = 500;
const CUT = '[…]';

/**
 * What is shown of a request: its beginning, and where that leaves out the sentence that the calls are about, that sentence. It is
 * the one that names most of what stands in them: an address, a file, the words of a subject. Nothing is decided by it. Pure.
 */
export function excerptOf(text: string, calls: readonly object[] = []): string {
  const whole = text.trim();
  const beginning = beginningOf(whole);
  if (beginning.length === whole.length) return whole;
  const about = aboutIn(calls);
  const sentences = sentencesIn(whole);
  const scores = sentences.map((sentence) => scoreOf(sentence, about));
  const best = Math.max(...scores);
  const at = scores.indexOf(best);
  const sentence = sentences[at] ?? '';
  if (best === 0 || folded(beginning).includes(folded(sentence))) return `${beginning}\n${CUT}`;
  const shown = sentence.length > MAX_CHARS ? `${unbroken(sentence.slice(0, MAX_CHARS))} ${CUT}` : sentence;
  return [beginning, CUT, shown, ...(at === sentences.length - 1 ? [] : [CUT])].join('\n');
}

const beginningOf = (text: string): string =>
  unbroken(text.slice(0, MAX_CHARS)).split('\n').slice(0, MAX_LINES).join('\n').trim();

/** No half of a sign at its end. */
const unbroken = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

interface About {
  /** As they stand in the calls, in small letters. */
  readonly names: readonly string[];
  readonly words: ReadonlySet<string>;
}

const MAX_TEXT = 20_000;
const WORDS = /[\p{L}\p{N}]{4,40}/gu;

function aboutIn(calls: readonly object[]): About {
  const texts = calls.flatMap((call) => Object.values(call).flat()).filter((value) => typeof value === 'string');
  const all = texts.map((text) => text.slice(0, MAX_TEXT).toLowerCase());
  return {
    names: all.filter((text) => text.length > 2 && text.length <= 200 && !text.includes('\n')),
    words: new Set(all.flatMap((text) => text.match(WORDS) ?? [])),
  };
}

/** A name as a whole tells more than any number of words that are in other sentences, too. */
const OF_A_NAME = 100;

function scoreOf(sentence: string, { names, words }: About): number {
  const lower = sentence.toLowerCase();
  const said = new Set(lower.match(WORDS));
  return (
    names.filter((name) => lower.includes(name)).length * OF_A_NAME + [...said].filter((word) => words.has(word)).length
  );
}

const MAX_SENTENCES = 500;
/** What a program has broken off goes on in the next line. */
const WRAPPED = /(?<=[^\n]{50})\n(?=[^\n\s>*-])/g;

const sentencesIn = (text: string): readonly string[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text.replace(WRAPPED, ' ')))
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '')
    .slice(0, MAX_SENTENCES);

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();
