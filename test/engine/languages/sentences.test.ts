import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clearLanguage, LANGUAGES } from '../../../engine/languages/language.ts';
import { scheduleInWords } from '../../../engine/languages/schedule.ts';
import { sentencesModule, textsIn, valuesIn } from '../../../scripts/lib/sentences.ts';
import { sourcesIn } from '../../house/sources.ts';

const folder = new URL('../../../engine/languages/', import.meta.url);
const english = textsIn('en');
const engine = sourcesIn(['engine'], /\.ts$/);

/** Words that are the same in English and in the language that is named, with what says them. */
const SAME: readonly string[] = [
  'de mails.labels.text: Text',
  'fr mails.labels.duration: Minutes',
  'fr mails.labels.note: Note',
  'fr mails.labels.page: Page',
  'es mails.answers.no: no',
  'it mails.answers.no: no',
  'it mails.labels.file: File',
  'ja mails.labels.cc: Cc',
  'fr sources.heading: Sources',
  'nl waitingNotices.over.mails: {spent} mails (max. {limit})',
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
    expect(readFileSync(new URL('sentences.ts', folder), 'utf8')).toBe(sentencesModule());
  });

  it.each(LANGUAGES.filter((language) => language !== 'en'))('are not the English by mistake: %s', (language) => {
    const same = Object.entries(textsIn(language)).flatMap(([key, text]) =>
      /\p{L}{2}/u.test(text.replaceAll(/\{\w+\}/g, '')) && english[key] === text && key !== SAME_EVERYWHERE
        ? [`${language} ${key}: ${text}`]
        : [],
    );
    expect(same.toSorted()).toEqual(SAME.filter((each) => each.startsWith(`${language} `)).toSorted());
    for (const when of ['0 9 * * *', '0 9 * * 1-5', '0 9 1 * *', '0 9 * * 1', 'every 30m'])
      expect(scheduleInWords(when, language)).not.toBe(scheduleInWords(when, 'en'));
  });

  it('are all said by something', () => {
    const code = engine.filter(({ path }) => !path.endsWith('/sentences.ts'));
    // By its name, or by one that is put together from where it differs on.
    const names = new Set(code.flatMap(({ text }) => text.match(/'[\w.]+'|`[\w.]+\.\$\{/g) ?? []));
    const namesOf = (key: string) =>
      key.split('.').map((_, index, parts) => (index === 0 ? `'${key}'` : `\`${parts.slice(0, index).join('.')}.\${`));
    const unsaid = Object.keys(english).filter((key) => !namesOf(key).some((name) => names.has(name)));
    expect(unsaid).toEqual([]);
  });
});

/** Lists of words by which mail is read; they are no sentences. */
const READ_BY: readonly string[] = [
  'engine/languages/common-words.ts',
  'engine/mail/text/quote-frame.ts',
  'engine/memory/recall/content-words.ts',
];

/** The languages of texts of some words in a module, but for English. */
function languagesIn(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?<=^|\s)\/\/.*$/gm, '');
  const strings = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)];
  const found = strings.map(([, single, double, template]) =>
    clearLanguage((single ?? double ?? template ?? '').replaceAll(/\$\{[^}]*\}/g, ' ')),
  );
  return [...new Set(found)].filter((language) => language !== null && language !== 'en');
}

describe('a module of the engine', () => {
  it('holds no sentences in several languages', () => {
    const holding = engine.flatMap(({ path, text }) => (languagesIn(text).length > 2 ? [path] : []));
    expect(holding.filter((path) => !READ_BY.includes(path))).toEqual([]);
    expect(READ_BY.filter((path) => !holding.includes(path))).toEqual([]);
  });
});
