/** The words that hold sentences together. A text of some sentences tells its language by them alone. */
const COMMON = {
  en:
    'the and of to is that for with you are this have not be it was on as we your from will can please would ' +
    'there but they all were has had if or an at by which their what when my so do about been who than then ' +
    'into only also after before could should because more one a in',
  de:
    'der die das und ist nicht ich sie wir mit für auf ein eine den dem von zu es im sich auch bitte haben ' +
    'sind wird als an aus bei bis da dann dass du einen einer er hat habe ihr kann mir nach noch nur oder ' +
    'schon sein so über um uns vom war was wenn wie wurde zum zur in',
  fr:
    'le la les et des est une un vous nous pas pour dans que qui je sur avec ce au du il ne plus cette votre ' +
    'mais ont par sont elle en aux bien ces comme être fait leur nos notre on ou où sans ses si son tout très ' +
    'mon ma mes ils',
  es:
    'el la los las que de en un una por para con no es se lo su como más pero está al del mi le sobre también ' +
    'ha han hay me nos si sin son te tiene todo ya yo este esta cuando muy desde hasta a',
  it:
    'il la che di un una per non con sono del della le gli mi si ma come più anche questo alla nel ho da al ' +
    'ci dei delle hai in io lo nella se su ti tutto stato hanno quando molto dal a',
  nl:
    'de het een en van ik is niet dat op te zijn met voor we je er aan ook maar heb wat bij naar deze kunnen ' +
    'als dan die dit door had heeft hij hebben kan mij nog nu of om onder ons over uit was wij zal zou geen ' +
    'meer in',
  pt:
    'os as que de em um uma para com não do da se no por mais você dos na como mas está isso seu pelo ao até ' +
    'das ele ela eu foi já meu muito nos ou quando são sem ser só sua também tem a',
  pl:
    'nie na to się że do jest jak po co ale od za czy mi tak proszę dla przez będzie są jego który oraz już ' +
    'być był była bardzo dzień go ich jeszcze ma może my nam przed tego tym tylko ze',
};

type Known = keyof typeof COMMON;

/** The words with which people ask, thank, greet and name a day: a mail of one sentence has hardly any others in common. */
const ASKING: Readonly<Record<Known, string>> = {
  en:
    'hello hi dear thanks thank need want like how when where why does today tomorrow monday tuesday wednesday thursday ' +
    'friday saturday sunday yet still much many regards',
  de:
    'hallo liebe lieber danke dank brauche möchte will würde könnte könnten können hätte wann wo warum wieviel heute ' +
    'morgen montag dienstag mittwoch donnerstag freitag samstag sonntag mein meine meinen ihre ihr grüße',
  fr:
    'bonjour merci besoin voudrais voudrions aimerais veux pouvez pourriez peux peut avez êtes quand combien pourquoi ' +
    "aujourd'hui demain lundi mardi mercredi jeudi vendredi samedi dimanche votre vos salutations cordialement",
  es:
    'hola gracias buenos buenas días tardes necesito necesitamos quiero queremos quisiera querría gustaría puede ' +
    'pueden podría podrían puedo tienen tengo cuándo cuánto cuánta dónde qué cómo hoy lunes martes miércoles jueves ' +
    'viernes sábado envíe envíeme envíenme usted ustedes saber hacen hace nuestro nuestra nuevo nueva nuevos saludos',
  it:
    'ciao buongiorno buonasera grazie bisogno vorrei vorremmo voglio può potete possono posso potrebbe avete siete ' +
    'quanto dove perché cosa oggi domani lunedì martedì mercoledì giovedì venerdì sabato domenica mia mio nostro nostra ' +
    'vostro saluti',
  nl:
    'hallo dag beste bedankt dank graag nodig wil willen kunt kun bent hebt wanneer waar waarom hoeveel vandaag morgen ' +
    'maandag dinsdag woensdag donderdag vrijdag zaterdag zondag mijn uw uur groeten',
  pt:
    'olá obrigado obrigada bom preciso precisamos quero queremos queria gostaria gostava pode podem poderia posso têm ' +
    'tenho onde quanto amanhã hoje segunda terça quarta quinta sexta sábado manhã minha minhas nosso nossa cumprimentos',
  pl:
    'cześć witam dziękuję dziękujemy potrzebuję potrzebujemy chcę chcemy chciałbym chciałabym mogę może możecie gdzie ' +
    'kiedy ile dlaczego dzisiaj dziś jutro poniedziałek wtorek środę środa czwartek piątek sobotę sobota niedzielę ' +
    'mój moja moje moją pozdrawiam państwo',
};
const KNOWN: readonly Known[] = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'];

const WORDS = KNOWN.flatMap((language) =>
  [...new Set(`${COMMON[language]} ${ASKING[language]}`.split(' '))].map((word) => ({ word, language })),
);
const LANGUAGES_OF: ReadonlyMap<string, readonly Known[]> = new Map(
  [...Map.groupBy(WORDS, ({ word }) => word)].map(([word, of]) => [word, of.map(({ language }) => language)]),
);

/** Fewer say little: names and titles have such words in them, too. */
const MIN_WORDS = 5;
/** So few are a hint, where the letters of the text say the same. */
const MIN_HINTS = 2;
/** A language must have this many times the hits of any other: Spanish and Portuguese, for one, share many words. */
const LEAD = 2;

/** How many words of a text are common ones of each language, most first. */
function hitsIn(text: string): readonly (readonly [Known, number])[] {
  const counts = new Map<Known, number>();
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu))
    for (const language of LANGUAGES_OF.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/**
 * Whether a text has more common words of another language, or none of this one: then its letters do not tell which it is
 * in. "Please book a hotel in Kiel" looked Italian.
 */
export const isDisputed = (text: string, language: string): boolean => {
  const hits = hitsIn(text);
  const own = hits.find(([of]) => of === language)?.[1] ?? 0;
  if (own === 0 && KNOWN.some((one) => one === language)) return true;
  return hits.some(([of, count]) => of !== language && count > own);
};

/** Whether the common words of a text, however few, are clearly more of this language than of any other. */
export function isLikely(text: string, language: string): boolean {
  const hits = hitsIn(text);
  const own = hits.find(([of]) => of === language)?.[1] ?? 0;
  return own >= MIN_HINTS && hits.every(([of, count]) => of === language || own >= LEAD * count);
}

/** The language that most common words of a text are words of; null where too few are, or none is far enough ahead. */
export function languageByCommonWords(text: string): Known | null {
  const [first, second] = hitsIn(text);
  if (first === undefined || first[1] < MIN_WORDS) return null;
  return first[1] >= LEAD * (second?.[1] ?? 0) ? first[0] : null;
}
