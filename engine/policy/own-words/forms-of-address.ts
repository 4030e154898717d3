/**
 * How people of ten languages speak of somebody by the family name: the words that stand before it or behind it, and what
 * becomes of its end. A form that is not in here is asked about.
 */

/** German, English, Spanish, French, Italian, Dutch, Portuguese and Polish: each begins with a small letter or a capital. */
const BEFORE: readonly string[] = [
  ...['herr', 'herrn', 'frau', 'hr', 'fr', 'mr', 'mrs', 'ms', 'miss', 'dr', 'prof', 'doctor', 'professor'],
  ...['señor', 'señora', 'señorita', 'sr', 'sra', 'srta', 'dra', 'monsieur', 'madame', 'mademoiselle', 'mme', 'mlle'],
  ...['signor', 'signora', 'signorina', 'sig', 'sig.ra', 'dott', 'dott.ssa', 'dottor', 'dottoressa', 'prof.ssa'],
  ...['ing', 'avv', 'geom', 'meneer', 'mevrouw', 'dhr', 'mevr', 'mw', 'senhor', 'senhora'],
  ...['pan', 'pana', 'panu', 'panem', 'pani', 'panią', 'ksiądz', 'księdza', 'księdzu', 'księdzem', 'ks'],
];

/** Chinese and Japanese, where no blank stands between. */
export const BEHIND: readonly string[] = [
  '先生',
  '女士',
  '小姐',
  '师傅',
  '師傅',
  '老师',
  '老師',
  'さん',
  '様',
  'さま',
  '氏',
];

/** Behind which a Chinese name can begin within a line. None of them is a common family name. */
export const BEFORE_HAN = '的给請请问問让讓叫找跟';

/** Chinese family names of two signs. */
export const OF_TWO_SIGNS: ReadonlySet<string> = new Set([
  ...['欧阳', '歐陽', '司马', '司馬', '上官', '诸葛', '諸葛', '东方', '東方', '皇甫', '尉迟', '尉遲', '公孙', '公孫'],
  ...['慕容', '令狐', '长孙', '長孫', '宇文', '司徒', '夏侯', '端木', '南宫', '南宮', '独孤', '獨孤', '轩辕', '軒轅'],
]);

/** Polish family names by their end, the longest first, and what stands there in the other cases. */
const CASES: readonly (readonly [string, readonly string[]])[] = [
  // Without "-ski", which is another name as well.
  ...['sk', 'ck', 'dzk'].flatMap((end): [string, string[]][] => [
    [`${end}a`, [`${end}iej`, `${end}ą`, `${end}ę`, `${end.slice(0, -1)}ce`]],
    [`${end}i`, [`${end}iego`, `${end}iemu`, `${end}im`]],
  ]),
  ['ka', ['ki', 'ce', 'kę', 'ką']],
  ['ga', ['gi', 'dze', 'gę', 'gą']],
  ['la', ['li', 'lę', 'lą']],
  ['a', ['y', 'ie', 'ę', 'ą']],
  ['ek', ['ka', 'kowi', 'kiem']],
  ['k', ['ka', 'kowi', 'kiem']],
  ['g', ['ga', 'gowi', 'giem']],
];
const CONSONANT = /[bcdfhjlłmnprstwzńśźćż]$/u;
const OF_CONSONANTS = ['a', 'owi', 'em'];

/** Behind words of Polish alone: no other of these languages changes the end of a name. */
const POLISH: ReadonlySet<string> = new Set(BEFORE.slice(BEFORE.indexOf('pan')));

/** How a family name may stand there behind this word: as it is, or at another case. */
export function formsBehind(title: string, family: string): readonly string[] {
  if (!POLISH.has(title.toLowerCase())) return [family];
  const [end, cases] = CASES.find(([at]) => family.endsWith(at)) ?? ['', CONSONANT.test(family) ? OF_CONSONANTS : []];
  const stem = family.slice(0, family.length - end.length);
  return [family, ...cases.map((other) => stem + other)];
}

const TITLES = [...BEFORE]
  .toSorted((one, other) => other.length - one.length)
  .map((word) => word.replaceAll('.', '\\.'))
  .map((word) => `[${word[0]}${word[0]?.toUpperCase()}]${word.slice(1)}`)
  .join('|');

/** A title, others behind it ("Herrn Dr."), and a name with the small words that belong to it ("von", "de la"). */
export const TITLED = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}\\p{Cf}@._-])(${TITLES})\\.? (?:(?:${TITLES})\\.? ){0,2}` +
    `((?:\\p{Ll}[\\p{L}\\p{M}'’]{0,20} ){0,3}\\p{Lu}[\\p{L}\\p{M}'’-]{0,60})`,
  'gu',
);
