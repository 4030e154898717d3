import type { Json } from '#contract';
import { type Judged, quoted } from './claims.ts';
import { type Evidence, nameOfSource, textOf } from './evidence.ts';
import { lazily } from './lazily.ts';
import { figuresIn, isDerived } from './numbers.ts';
import { anyOf, plain, type Sentence } from './text.ts';

interface Known {
  readonly evidence: readonly Evidence[];
  /** All that the model was shown besides the results. */
  shownText(): string;
}

/** What is counted, in the major languages: a field of a result and a word of an answer can mean the same thing. */
const COUNTED: readonly { readonly name: string; readonly words: string }[] = [
  {
    name: 'errors',
    words: `errors?|fehlern?|erreurs?|errores|errori|errore|erros?|fouten|błędów|błędy|fel|fejl|feil|virheitä|ошибок|ошибки`,
  },
  {
    name: 'failures',
    words: `failures?|fehlschläge|ausfälle|échecs?|fallos?|fallimenti|falhas?|mislukkingen|awarii|misslyckanden|сбоев`,
  },
  {
    name: 'warnings',
    words: `warnings?|warnungen|avertissements?|advertencias?|avvisi|avisos?|waarschuwingen|ostrzeżeń|varningar|advarsler|предупреждений`,
  },
];
const NONE = `no|zero|0|not a single|without|without any|free of|kein|keine|keinerlei|null|ohne|aucun|aucune|zéro|sans|ningún|ninguna|cero|sin|nessun|
  nessuno|nessuna|senza|nenhum|nenhuma|sem|geen|zonder|nul|brak|bez|żadnych|inga|utan|ingen|uden|uten|нет|без|ноль`;
const FOUND = `(?: (?:were|was|are|have been|wurden|waren|sind|ont été|se han|sono stati|foram|zijn))?(?: (?:found|reported|logged|detected|recorded|
  gefunden|gemeldet|aufgetreten|protokolliert|trouvée?s?|signalée?s?|encontrado|encontrados|trovati|rilevati|encontrados|gevonden|hittades|fundet))?`;
/** Of the whole, not of a part: "no errors in section B" says nothing about the rest. */
const WHERE = `(?: (?:in|im|in der|in den|in dem|dans|en|nel|nella|no|na|w|i|в|during|during the|beim) (?:the |dem |le |la |el |il |het |de )?(?:log|import|
  file|report|results?|data|run|output|protokoll|bericht|datei|daten|journal|fichier|registro|informe|archivo|rapport|relatório))?`;
const END = '(?=\\s*[.,;:!)–—]|\\s*$)';
const TOTAL = `there (?:are|were|is)|contains?|lists?|shows?|reports?|has|had|total of|in total|found|insgesamt|es gibt|es gab|gab es|enthält|zeigt|meldet|
  il y a|contient|hay|contiene|muestra|ci sono|contém|há|er zijn|bevat`;

const ASKED = COUNTED.map(({ name, words }) => ({
  name,
  none: new RegExp(anyOf(`(?:${NONE})(?: \\p{L}+)? (?:${words})${FOUND}${WHERE}`).source + END, 'u'),
  some: new RegExp(anyOf(`(?:${TOTAL}) (\\d[\\d.,]{0,20}) (?:${words})${FOUND}${WHERE}`).source + END, 'u'),
  word: anyOf(words),
  before: new RegExp(`(?<!\\d[.,]?)(\\d[\\d.,]{0,20}) (?:${anyOf(words).source})`, 'gu'),
  after: new RegExp(`(?:${anyOf(words).source})\\s?[:=]\\s?(\\d[\\d.,]{0,20})`, 'gu'),
}));
type Asked = (typeof ASKED)[number];
const INSIDE = /(?:エラーは?(?:あり|見つかり)ません|エラーなし|没有(?:发现)?错误|无错误|오류가 없|오류는 없)/u;
/** A wish, a condition, a part or another time. */
const OPEN =
  anyOf(`if|unless|until|when|once|make sure|ensure|should|would|could|may|might|expect|hope|other than|except|besides|not true|wenn|falls|
  sobald|damit|sollte|außer|si|sauf|quand|cuando|salvo|se|quando|eccetto|exceto|als|tenzij|jeśli|oprócz|om|utom|hvis|undtagen|если|кроме|now|again|
  any more|anymore|jetzt|mehr|plus|désormais|ahora|ora|agora|nu|teraz|теперь`);
const ATTRIBUTED =
  anyOf(`according to|as per|as stated in|says|states|lists|shows|contains|laut|gemäß|zufolge|selon|d'après|según|de acuerdo con|
  secondo|segundo|de acordo com|volgens|według|enligt|ifølge|согласно`);
const ATTRIBUTED_INSIDE = /によると|では|根据|显示|에 따르면/u;
/** Keys that hold something else than how many there are. */
const NO_COUNT =
  /rate|ratio|max|min|limit|code|threshold|level|allow|fixed|resolved|previous|before|\bid\b|_at$|percent/i;
/** Smaller numbers are counted out of any text, and a reader sees at once whether they are right. */
const SMALLEST = 10;

/** Counts, and figures that are said to stand in a source. Pure. */
export function judgeQuantities(sentences: readonly Sentence[], known: Known): readonly Judged[] {
  const read = known.evidence.filter(({ ok }) => ok);
  if (read.length === 0) return [];
  const figures = lazily(() => figuresOf(read, known.shownText()));
  return sentences.flatMap((sentence) => {
    const said = plain(sentence.text);
    if (/[?？؟]$/u.test(said) || OPEN.test(said)) return [];
    return judgeCount(sentence, said, read) ?? judgeFigures(sentence, said, read, figures) ?? [];
  });
}

function judgeCount(sentence: Sentence, said: string, read: readonly Evidence[]): Judged | null {
  for (const asked of ASKED) {
    const { name, none, some } = asked;
    const isNone = none.test(said) || (name === 'errors' && INSIDE.test(said));
    const claimed = isNone ? [0] : (figuresIn(some.exec(said)?.[1] ?? '').numbers[0]?.values ?? null);
    if (claimed === null) continue;
    // What was read last is how it stands.
    const item = read.findLast((one) => countsIn(one, asked).length > 0);
    if (!item) continue;
    const counts = countsIn(item, asked);
    const base = { kind: 'quantity', claim: quoted(sentence.text), evidence_ids: [item.id] } as const;
    if (claimed.some((value) => counts.includes(value) || (value !== 0 && mayBePart(value, read)))) {
      return { claim: { ...base, verdict: 'supported' } };
    }
    const found = `${nameOfSource(item)} has ${counts[0]} ${name}`;
    return {
      claim: { ...base, verdict: 'contradicted', why: `it does not agree with the result: ${found}` },
      change: {
        at: 'place',
        start: sentence.start,
        end: sentence.end,
        by: `[Left out: a statement that does not agree with what was read: ${found}.]`,
      },
    };
  }
  return null;
}

const mayBePart = (value: number, read: readonly Evidence[]): boolean =>
  isDerived(
    value,
    read.flatMap(({ result }) => figuresIn(textOf(result)).numbers.flatMap(({ values }) => values)),
  ) !== false;

/** How many of a thing a result tells of: by fields that are named so, and by words in short texts. */
function countsIn({ result }: Evidence, asked: Asked): readonly number[] {
  return fieldsOf(result, '', 0).flatMap(({ key, value }) => {
    if (typeof value === 'string') return value.length <= MAX_TEXT ? countsInText(value, asked) : [];
    const count = Array.isArray(value) ? value.length : value;
    return typeof count === 'number' && isCountOf(key, asked.word) ? [count] : [];
  });
}

const isCountOf = (key: string, word: RegExp): boolean =>
  !NO_COUNT.test(key) && word.test(plain(key.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')));

/** Every value with the name that it stands under, lists themselves included. */
function fieldsOf(value: Json, key: string, depth: number): readonly { key: string; value: Json }[] {
  const inside =
    typeof value !== 'object' || value === null || depth === MAX_DEPTH
      ? []
      : Object.entries(value).slice(0, MAX_FIELDS);
  const isList = Array.isArray(value);
  return [{ key, value }, ...inside.flatMap(([name, inner]) => fieldsOf(inner as Json, isList ? '' : name, depth + 1))];
}

const MAX_TEXT = 4000;
const MAX_DEPTH = 4;
const MAX_FIELDS = 100;

function countsInText(text: string, { before, after }: Asked): readonly number[] {
  const said = plain(text);
  return [...said.matchAll(before), ...said.matchAll(after)].flatMap(
    ([, count = '']) => figuresIn(count).numbers[0]?.values ?? [],
  );
}

/** A figure that an answer puts down to a source has to stand in what was read, or follow from it. */
function judgeFigures(
  sentence: Sentence,
  said: string,
  read: readonly Evidence[],
  figures: () => KnownFigures,
): Judged | null {
  const named = read.filter((item) => namesSource(sentence.text, item));
  const isAttributed =
    ATTRIBUTED.test(said) || ATTRIBUTED_INSIDE.test(said) || named.some(({ id }) => sentence.text.includes(id));
  if (named.length === 0 || !isAttributed || AGGREGATE.test(said)) return null;
  const { numbers, dates } = figuresIn(withoutNames(sentence.text, named).replace(DURATION, ' ').replace(ROUGHLY, ' '));
  const checked = numbers.filter(({ values }) => values.some((value) => value >= SMALLEST || !Number.isInteger(value)));
  if (checked.length === 0 && dates.length === 0) return null;
  const { days, values } = figures();
  const unknown = [
    ...checked.filter(
      (number) => !isYear(number.said) && number.values.every((value) => isDerived(value, values) === false),
    ),
    ...dates.filter((date) => !date.days.some((day) => days.has(day))),
  ].map((figure) => figure.said);
  const base = { kind: 'quantity', claim: quoted(sentence.text), evidence_ids: named.map(({ id }) => id) } as const;
  if (unknown.length === 0) return { claim: { ...base, verdict: 'supported' } };
  const list = unknown.slice(0, 3).join(', ');
  return {
    claim: { ...base, verdict: 'unsupported', why: `${list} stands in none of the results` },
    change: {
      at: 'place',
      start: sentence.end,
      end: sentence.end,
      by: ` [unconfirmed: ${list} does not stand in what was read]`,
    },
  };
}

interface KnownFigures {
  readonly days: ReadonlySet<string>;
  readonly values: readonly number[];
}

/** All that stands in the results, and in what the model was shown besides. */
function figuresOf(read: readonly Evidence[], shown: string): KnownFigures {
  const sources = [...read.map(({ result, content }) => `${textOf(result)}\n${content}`), shown].map(figuresIn);
  return {
    days: new Set(sources.flatMap(({ dates }) => dates.flatMap((date) => date.days))),
    values: [...new Set(sources.flatMap(({ numbers }) => numbers.flatMap((number) => number.values)))],
  };
}

/** How long it is until a date is worked out of today, which no result needs to tell. */
const DURATION =
  /(?<!\d)\d{1,9} (?:minutes?|hours?|days?|weeks?|months?|years?|minuten|stunden?|tagen?|wochen?|monate?n?|jahre?n?|heures?|jours?|semaines?|mois|ans|horas?|días?|semanas?|meses|años|ore|giorni|settimane|mesi|anni|dias?|anos|uur|dagen|weken|maanden|jaar|godzin|dni|tygodni|timmar|timer|dagar|dage|veckor|uger|часов|дней|недель)(?!\p{L})/giu;

/** Rounded on purpose, or scaled by a word. */
const ROUGHLY =
  /(?:about|around|approximately|roughly|nearly|almost|over|under|some|~|≈|ca\.?|circa|etwa|rund|ungefähr|fast|knapp|über|environ|près de|unos|unas|aproximadamente|casi|quasi|cerca de|ongeveer|bijna|około|prawie|ungefär|cirka|nästan|omkring|около|почти|約|大约|약) ?\d[\d.,]*|(?<!\d[.,]?)\d[\d.,]{0,20} ?(?:k\b|thousand|million|billion|tausend|tsd|mio|mrd|million|milliard|millones|mil\b|milioni|milhões|miljoen|milion|miljon|тысяч|млн|万|億|亿|만|억)/giu;
/** A sum over some rows, a share, an average: which ones went into it nobody can tell. */
const AGGREGATE =
  anyOf(`total|totals|sum|average|mean|median|altogether|overall|combined|difference|increase|decrease|growth|per|percent|summe|gesamt|
  insgesamt|zusammen|durchschnitt|mittel|differenz|prozent|somme|moyenne|ensemble|différence|suma|promedio|diferencia|juntos|somma|media|insieme|
  differenza|soma|média|diferença|totaal|gemiddeld|samen|verschil|razem|średnia|średnio|summa|genomsnitt|tillsammans|sum|gennemsnit|сумма|итого|среднем`);

const isYear = (said: string): boolean => /^(?:19|20)\d{2}$/.test(said);

/** Whether a sentence names where a result comes from: its path, its host, its id. */
export function namesSource(text: string, item: Evidence): boolean {
  const said = text.toLowerCase();
  return [item.id, item.ref, nameOfSource(item), item.source].some(
    (name) => name !== null && name.length >= 3 && said.includes(name.toLowerCase()),
  );
}

/** A number in a file's name is no figure. */
function withoutNames(text: string, named: readonly Evidence[]): string {
  const names = named.flatMap((item) => [item.source, nameOfSource(item), item.id, item.ref ?? '']);
  return names.filter((name) => name !== '').reduce((rest, name) => rest.replaceAll(name, ' '), text);
}
