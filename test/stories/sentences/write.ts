import { writeFileSync } from 'node:fs';
import { LANGUAGES, type Language } from '../../../engine/languages/language.ts';
import { rendered } from '../../engine/languages/rendered.ts';

// What the gateway says to people, for a reader who has neither the English nor the code.
// node test/stories/sentences/write.ts      one file of sentences and one of their keys for each language

/** The files of a language: what a reader is given, and which sentence has which number. */
export function filesOf(language: Language): { readonly sentences: string; readonly keys: string } {
  const all = rendered(language);
  const number = (at: number) => String(at + 1).padStart(3, '0');
  return {
    sentences: `${all.map(({ text }, at) => `${number(at)}  ${text.replaceAll('\n', '\n     ').replaceAll(/\n +\n/g, '\n\n')}`).join('\n')}\n`,
    keys: `${all.map(({ key, form }, at) => `${number(at)}  ${key}${form === null ? '' : ` (${form})`}`).join('\n')}\n`,
  };
}

if (import.meta.main)
  for (const language of LANGUAGES) {
    const { sentences, keys } = filesOf(language);
    writeFileSync(new URL(`${language}.txt`, import.meta.url), sentences);
    writeFileSync(new URL(`${language}.keys.txt`, import.meta.url), keys);
  }
