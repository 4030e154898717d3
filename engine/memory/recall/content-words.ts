import { divided, folded } from '../../storage/search/fold.ts';
import { OF_LINKS, STOP_PARTS, STOP_WORDS } from './stop-words.ts';

/** More words make a search slower and seldom better. */
const MAX_WORDS = 24;
/** As much of a mail as is asked about: who pastes a report into it asks in front of it. */
const MAX_READ = 4000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const SAME_SCRIPT = /[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|[^\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;

const LISTS: readonly ReadonlySet<string>[] = Object.values(STOP_WORDS).map((words) => new Set(words.split(' ')));

/**
 * What a mail is about, as words to look for: those of its subject, then of its text, without the words that hold
 * sentences together in its language. Where there are too many, names, numbers and long words come first.
 */
export function contentWords({
  subject,
  text,
}: {
  readonly subject: string;
  readonly text: string;
}): readonly string[] {
  const whole = `${subject}\n${text.slice(0, MAX_READ)}`;
  const { unspaced } = divided(folded(whole));
  const words = divided(whole).rest.match(WORD) ?? [];
  const stop = stopWordsOf(words.map(folded));
  const wanted = new Map<string, number>();
  for (const part of unspaced.flatMap(partsOf)) wanted.set(part, Array.from(part).length * 2);
  for (const word of words) {
    const one = folded(word);
    if (stop.has(one) || OF_LINKS.has(one) || (one.length < 2 && !/\d/.test(one))) continue;
    wanted.set(one, Math.max(wanted.get(one) ?? 0, tellingOf(word)));
  }
  const all = [...wanted];
  if (all.length <= MAX_WORDS) return all.map(([word]) => word);
  const most = all.toSorted(([, a], [, b]) => b - a).slice(0, MAX_WORDS);
  return all.filter((one) => most.includes(one)).map(([word]) => word);
}

const tellingOf = (word: string): number => word.length + (/\d/.test(word) ? 4 : 0) + (/^\p{Lu}/u.test(word) ? 4 : 0);

/** Grammar is written in Hiragana, and a single character is a word only by chance. */
const partsOf = (run: string): readonly string[] => {
  const parts = (run.match(SAME_SCRIPT) ?? []).filter((part) => !HIRAGANA.test(part) && !STOP_PARTS.has(part));
  const longer = parts.filter((part) => Array.from(part).length > 1);
  return longer.length > 0 ? longer : parts;
};

const NONE: ReadonlySet<string> = new Set();

/** Of the language that most of the words belong to; `war` is a stop word in German and a matter in English. */
function stopWordsOf(words: readonly string[]): ReadonlySet<string> {
  const counted = LISTS.map((list) => ({ list, many: words.filter((word) => list.has(word)).length }));
  return counted.reduce((best, one) => (one.many > best.many ? one : best), { list: NONE, many: 0 }).list;
}
