import { describe, expect, it } from 'vitest';
import { textsIn } from '../../../scripts/lib/sentences.ts';

/**
 * Words of the familiar form, which the gateway never uses: pronouns, and verbs, as most of these languages leave the
 * pronoun out. A word that also has another sense ("antworte" is what I do, too) is in no list.
 */
const FAMILIAR = {
  de:
    'du dich dir dein deine deinen deinem deiner deines euch euer eure euren schreib sieh trag nenn ' +
    'kannst möchtest willst musst hast darfst bist',
  fr: 'tu te t toi ton ta tes tien aide-moi ' + 'peux-tu veux-tu as-tu',
  es:
    'tú te ti tu tus contigo tuyo tuya vosotros os vuestro vuestra escríbeme envíalo ' +
    'envíala puedes quieres tienes debes eres has',
  it: 'tu ti te tuo tua tuoi tue voi vostro vostra rispondi scrivi scrivimi puoi vuoi devi hai sei aggiungi',
  nl: 'je jij jou jouw jouwe jullie',
  pt: 'tu te ti teu tua teus tuas contigo vocês escreve-me podes queres tens deves és',
  pl:
    'ty cię ciebie tobie tobą twój twoja twoje twojego twojej twoim twoją twoich wasz wasza wam was odpowiedz napisz ' +
    'wpisz podaj ustaw popraw napraw doładuj poproś zwiększ wykonaj wyślij sprawdź porównaj zmień wybierz uruchom ' +
    'zdecydujesz napiszesz możesz chcesz musisz masz jesteś napisałeś napisałaś',
} as const;
type Polite = keyof typeof FAMILIAR;
const POLITE: readonly Polite[] = ['de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'];

/** The words of a sentence, without its values and without what stands in quotes: there an owner's own words are shown. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/`[^`]*`|„[^”“]*[”“]|«[^»]*»|"[^"]*"|“[^”]*”/g, ' ')
    .replaceAll(/\{\w+, \w+,|\{\w+\}/g, ' ')
    .toLowerCase()
    .match(/\p{L}+(?:-\p{L}+)*/gu) ?? [];

/** The one word that an owner says to the persona by pressing a button: it stands in quotes beside it. */
const BACK_TO_YOU = { de: 'du', es: 'tú', it: 'tu', nl: 'jij', pt: 'tu' };
const OWNERS_WORDS: readonly string[] = Object.entries(BACK_TO_YOU).flatMap(([language, word]) =>
  ['mails.buttons.giveBack', 'mails.answers.giveBack'].map((key) => `${language} ${key}: ${word}`),
);

describe('the form of address', () => {
  it.each(POLITE)('is the polite one in every sentence: %s', (language) => {
    const familiar = new Set<string>(FAMILIAR[language].split(' '));
    const found = Object.entries(textsIn(language)).flatMap(([key, text]) =>
      wordsOf(text).flatMap((word) => (familiar.has(word) ? [`${language} ${key}: ${word}`] : [])),
    );
    expect(found).toEqual(OWNERS_WORDS.filter((one) => one.startsWith(`${language} `)));
  });

  it('is seen where it is familiar', () => {
    expect(wordsOf('Schreib „ja“, {name}, wenn du `x` willst.')).toEqual(['schreib', 'wenn', 'du', 'willst']);
  });
});
