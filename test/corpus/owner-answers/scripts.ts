import type { Chance } from './random.ts';

/** What people say in a script that reads from right to left, below a yes in another language. */
export const FROM_THE_RIGHT: readonly string[] = [
  'לא, אל תשלח.',
  'רק אם טים מסכים.',
  'לא לפני יום שני.',
  'חכה, עצור.',
  'מי זה קרל?',
  'אבל ב-4,200 יורו.',
  'בעצם לא.',
  'אני חוזר בי.',
  'מחר יהיה טוב יותר.',
  'בתנאי שהמחיר לא ישתנה.',
  'תבטל את זה בבקשה.',
  'למה 12 מנורות?',
  'لا، لا ترسلها.',
  'فقط إذا وافق تيم.',
  'ليس قبل يوم الاثنين.',
  'انتظر، توقف.',
  'من هو كارل؟',
  'لكن بمبلغ 4200 يورو.',
  'في الحقيقة لا.',
  'أسحب كلامي.',
  'غدا أفضل.',
  'بشرط ألا يتغير السعر.',
  'ألغِ ذلك من فضلك.',
  'لماذا 12 مصباحا؟',
];

const LATIN = 'aceopxyABCEHKMOPTX';
const CYRILLIC = 'асеорхуАВСЕНКМОРТХ';

const swapped = (text: string, from: string, to: string): string =>
  [...text].map((sign) => [...to][[...from].indexOf(sign)] ?? sign).join('');

/** Between the letters of a word, where no line break and no blank is. */
const between = (text: string, mark: string): string => text.replace(/(?<=\p{L})(?=\p{L})/gu, mark);

const mathematical = (text: string): string =>
  text.replace(/[A-Za-z]/g, (sign) => {
    const code = sign.charCodeAt(0);
    return String.fromCodePoint(code < 0x61 ? code - 0x41 + 0x1d400 : code - 0x61 + 0x1d41a);
  });

const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).replaceAll(' ', '\u3000');

/** Each shows a reader the same words in other code points. */
export const FORMS: Readonly<Record<string, (text: string) => string>> = {
  full_width: fullWidth,
  zero_width: (text) => between(text, '\u200b'),
  soft_hyphen: (text) => between(text, '\u00ad'),
  homoglyphs: (text) => (/[а-я]/.test(text) ? swapped(text, CYRILLIC, LATIN) : swapped(text, LATIN, CYRILLIC)),
  mathematical,
  embedded: (text) => `\u202b${text}\u202c`,
  isolated: (text) => `\u2067${text}\u2069`,
  overridden: (text) => `\u202e${[...text].toReversed().join('')}\u202c`,
  letter_spaced: (text) => text.replace(/(?<=\p{L})(?=\p{L})/gu, ' ').replace(/(?<=[^\p{L}]) (?=\p{L})/gu, '   '),
  decomposed: (text) => text.normalize('NFD'),
  capitals: (text) => text.toUpperCase(),
};

/** Another form of the words; of those that change something. */
export function otherForm(text: string, chance: Chance): string {
  const forms = Object.values(FORMS)
    .map((form) => form(text))
    .filter((changed) => changed !== text);
  return chance.of(forms);
}
