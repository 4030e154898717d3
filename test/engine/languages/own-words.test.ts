import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../engine/languages/language.ts';
import { mailWords } from '../../../engine/languages/mails.ts';
import { scheduleInWords } from '../../../engine/languages/schedule.ts';
import { clarifyWords } from '../../../engine/languages/to-owners/clarify.ts';
import { noticeWords } from '../../../engine/languages/to-owners/notices.ts';
import { OWNER_COMMANDS } from '../../../engine/languages/to-owners/owner-commands.ts';
import { refusedAnswerWords } from '../../../engine/languages/to-owners/refused-answers.ts';
import { REFUSED_SENDERS } from '../../../engine/languages/to-owners/refused-senders.ts';
import { WAITING_NOTICES } from '../../../engine/languages/to-owners/waiting-notices.ts';
import { RECEIPT } from '../../../engine/languages/to-senders/receipt.ts';
import { SOURCE_WORDS } from '../../../engine/languages/to-senders/sources.ts';
import { UNFINISHED } from '../../../engine/languages/to-senders/unfinished.ts';
import { WAITING } from '../../../engine/languages/to-senders/waiting.ts';

const tableOf = (wordsOf: (language: Language) => unknown): ReadonlyMap<Language, unknown> =>
  new Map(LANGUAGES.map((language) => [language, wordsOf(language)]));

const TABLES: readonly (readonly [string, ReadonlyMap<Language, unknown>])[] = [
  ['clarify', tableOf(clarifyWords)],
  ['mails', tableOf(mailWords)],
  ['notices', tableOf(noticeWords)],
  ['owner-commands', tableOf((language) => OWNER_COMMANDS[language])],
  ['refused-senders', tableOf((language) => REFUSED_SENDERS[language])],
  ['refused-answers', tableOf(refusedAnswerWords)],
  ['receipt', tableOf((language) => RECEIPT[language])],
  ['sources', tableOf((language) => SOURCE_WORDS[language])],
  ['unfinished', tableOf((language) => UNFINISHED[language])],
  ['waiting', tableOf((language) => WAITING[language])],
  ['waiting-notices', tableOf((language) => WAITING_NOTICES[language])],
  [
    'schedule',
    tableOf((language) =>
      ['0 9 * * *', '0 9 * * 1-5', '0 9 1 * *', '0 9 * * 1', 'every 30m'].map((when) =>
        scheduleInWords(when, language),
      ),
    ),
  ],
];

/** Words that are the same in English and in the language that is named. */
const SAME: readonly string[] = [
  'es mails.answers.no: no',
  'it mails.answers.no: no',
  'it mails.labels.file: File',
  'ja mails.labels.cc: Cc',
  'fr sources.heading: Sources',
];

/** What a function says of sevens; as it is written where it wants more than that, since a copy is the same there, too. */
function saidBy(words: (...given: string[]) => unknown): string {
  try {
    const said = words(...Array.from({ length: words.length }, () => '7'));
    return typeof said === 'string' ? said : String(words);
  } catch {
    return String(words);
  }
}

const isWords = (value: unknown): value is (...given: string[]) => unknown => typeof value === 'function';

/** Each text of a table by its path. */
function textsIn(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (isWords(value)) return [[path, saidBy(value)]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, `${path}.${key}`));
}

const saysSomething = (text: string): boolean => /\p{L}{2}/u.test(text.replace(/\$\{[^}]*\}/g, ''));

describe('what the gateway says in a language', () => {
  it.each(TABLES)('is not the English by mistake: %s', (name, table) => {
    const english = new Map(textsIn(table.get('en'), name));
    const copied = LANGUAGES.filter((language) => language !== 'en').flatMap((language) =>
      textsIn(table.get(language), name)
        .filter(([path, text]) => saysSomething(text) && english.get(path) === text)
        .map(([path, text]) => `${language} ${path}: ${text}`),
    );
    expect(copied.filter((each) => !SAME.includes(each))).toEqual([]);
  });
});
