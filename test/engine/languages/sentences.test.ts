import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../engine/languages/language.ts';
import { scheduleInWords } from '../../../engine/languages/schedule.ts';
import { sentencesModule, textsIn, valuesIn } from '../../../scripts/lib/sentences.ts';

const folder = new URL('../../../engine/languages/', import.meta.url);
const english = textsIn('en');

/** Sentences that are the same in English and in the language that is named. */
const SAME: readonly string[] = [
  'es mails.answers.no',
  'it mails.answers.no',
  'it mails.labels.file',
  'ja mails.labels.cc',
  'fr sources.heading',
  'nl waitingNotices.over.mails',
];
/** The same everywhere: `5.00 USD (max. 1.00)`. */
const SAME_EVERYWHERE = 'waitingNotices.over.USD';

describe('the sentences of a language', () => {
  it('stand in one file for each language, and nowhere else', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
    expect(files.toSorted()).toEqual(LANGUAGES.map((language) => `${language}.json`).toSorted());
  });

  it.each(LANGUAGES)('are those of English, in the same order and of the same values: %s', (language) => {
    const outline = (texts: Readonly<Record<string, string>>) =>
      Object.entries(texts).map(([key, text]) => `${key}: ${[...valuesIn(text).keys()].toSorted().join(', ')}`);
    expect(outline(textsIn(language))).toEqual(outline(english));
  });

  it('are known to the compiler as they are: else run `node scripts/write-sentences.ts`', () => {
    expect(readFileSync(new URL('sentences.ts', folder), 'utf8')).toBe(sentencesModule(LANGUAGES));
  });

  it.each(LANGUAGES.filter((language) => language !== 'en'))('are not the English by mistake: %s', (language) => {
    const same = Object.entries(textsIn(language)).flatMap(([key, text]) =>
      /\p{L}{2}/u.test(text.replaceAll(/\{\w+\}/g, '')) && english[key] === text && key !== SAME_EVERYWHERE
        ? [`${language} ${key}`]
        : [],
    );
    expect(same.filter((each) => !SAME.includes(each))).toEqual([]);
    for (const when of ['0 9 * * *', '0 9 * * 1-5', '0 9 1 * *', '0 9 * * 1', 'every 30m'])
      expect(scheduleInWords(when, language)).not.toBe(scheduleInWords(when, 'en'));
  });
});
