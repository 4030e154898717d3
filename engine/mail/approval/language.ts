import { lexLine } from './lexer.ts';
import { LANGUAGES_OF } from './phrases.ts';

/** Enough to tell by; a long mail tells its language by itself. */
const MAX_LINES = 20;

/**
 * The language that most of the known words of a text are words of, where one is ahead: a mere "Ja, alle" is too short
 * for anything that looks at letters. Null where two are level; `lead`: by how many words one has to be ahead.
 */
export function languageOfWords(text: string, lead = 1): string | null {
  const counts = new Map<string, number>();
  const lines = text.split('\n').filter((line) => !/^\s*>/.test(line));
  for (const token of lines.slice(0, MAX_LINES).flatMap((line) => lexLine(line)))
    for (const language of LANGUAGES_OF.get(token.text) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  const [first, second] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first && first[1] >= (second?.[1] ?? 0) + lead ? first[0] : null;
}
