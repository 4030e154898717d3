/** The words that hold sentences together. A text of some sentences tells its language by them alone. */
const COMMON = {
  en: 'the and of to is that for with you are this have not be it was on as we your from will can please would there',
  de: 'der die das und ist nicht ich sie wir mit für auf ein eine den dem von zu es im sich auch bitte haben sind wird',
  fr: 'le la les et des est une un vous nous pas pour dans que qui je sur avec ce au du il ne plus cette votre mais',
  es: 'el la los las que de en un una por para con no es se lo su como más pero está al del mi le sobre también',
  it: 'il la che di un una per non con sono del della le gli mi si ma come più anche questo alla nel ho è da',
  nl: 'de het een en van ik is niet dat op te zijn met voor we je er aan ook maar heb wat bij naar deze kunnen',
  pt: 'os as que de em um uma para com não é do da se no por mais você dos na como mas está isso seu pelo',
  pl: 'nie na to się że do jest jak po co ale od za czy mi tak proszę dla przez będzie są jego który oraz już',
};
type Known = keyof typeof COMMON;
const KNOWN: readonly Known[] = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'];

const WORDS = KNOWN.flatMap((language) => COMMON[language].split(' ').map((word) => ({ word, language })));
const LANGUAGES_OF: ReadonlyMap<string, readonly Known[]> = new Map(
  [...Map.groupBy(WORDS, ({ word }) => word)].map(([word, of]) => [word, of.map(({ language }) => language)]),
);

/** Fewer say little: names and titles have such words in them, too. */
const MIN_WORDS = 6;
/** So many times as many as of any other language; neighbours such as Spanish and Portuguese share a good part. */
const LEAD = 2;

/** The language that most common words of a text are words of; null where too few are, or none is far enough ahead. */
export function languageByCommonWords(text: string): Known | null {
  const counts = new Map<Known, number>();
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu))
    for (const language of LANGUAGES_OF.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a);
  if (first === undefined || first[1] < MIN_WORDS) return null;
  return first[1] >= LEAD * (second?.[1] ?? 0) ? first[0] : null;
}
