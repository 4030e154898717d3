import { divided, folded } from '../../storage/search/fold.ts';
import { OF_LINKS, STOP_PARTS, STOP_WORDS } from './stop-words.ts';

/** More words make a search slower and seldom better. */
const MAX_WORDS = 24;
/** As much of a mail as is asked about: who pastes a report into it asks in front of it. */
const MAX_READ = 4000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const SAME_SCRIPT = /[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|[^\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** By each stop word, as bits the languages that have it. */
const LANGUAGES = new Map<string, number>();
for (const [at, words] of Object.values(STOP_WORDS).entries())
  for (const word of words.split(' ')) LANGUAGES.set(word, (LANGUAGES.get(word) ?? 0) | (1 << at));

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
  const plain = words.map(folded);
  const language = languageOf(plain);
  const wanted = new Map<string, number>();
  for (const part of unspaced.flatMap(partsOf)) wanted.set(part, Array.from(part).length * 2);
  for (const [at, word] of words.entries()) {
    const one = plain[at] ?? '';
    if (((LANGUAGES.get(one) ?? 0) & language) !== 0 || OF_LINKS.has(one) || (one.length < 2 && !/\d/.test(one)))
      continue;
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

/** The bit of the one that most of the words belong to; `war` is a stop word in German and a matter in English. */
function languageOf(words: readonly string[]): number {
  const counted = Object.keys(STOP_WORDS).map(() => 0);
  for (const word of words) {
    const languages = LANGUAGES.get(word) ?? 0;
    if (languages === 0) continue;
    for (let at = 0; at < counted.length; at += 1) if (languages & (1 << at)) counted[at] = (counted[at] ?? 0) + 1;
  }
  const most = Math.max(...counted);
  return most === 0 ? 0 : 1 << counted.indexOf(most);
}
