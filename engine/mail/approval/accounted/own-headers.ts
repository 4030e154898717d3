import { lettersOf, lexLine } from '../lexer.ts';
import { pattern } from '../pattern.ts';
import { PHRASE_LANGUAGES } from '../phrases.ts';
import { foldLine, type SentMail } from './own-lines.ts';

/** What a program may write above our mail that it quotes, taken from that mail. */
export interface HeaderFacts {
  /** Names and addresses, longest first. */
  readonly people: readonly string[];
  /** Subjects as they are compared. */
  readonly subjects: readonly string[];
  /** Numbers by which the time of our mails can be written, in any zone. */
  readonly numbers: ReadonlySet<number>;
  /** Days of the week and months, in any language that answers are read in. */
  readonly words: ReadonlySet<string>;
}

const HOUR_MS = 3_600_000;

export function headerFactsOf(sent: readonly SentMail[]): HeaderFacts {
  const days = [...new Set(sent.flatMap(({ sentAt }) => [-14, 0, 14].map((hours) => sentAt + hours * HOUR_MS)))];
  return {
    people: [...new Set(sent.flatMap(({ people }) => people))]
      .filter((name) => name.length > 1)
      .toSorted((one, other) => other.length - one.length),
    subjects: [...new Set(sent.map(({ subject }) => foldLine(subject)))].filter((subject) => subject !== ''),
    numbers: new Set(days.flatMap(numbersOf)),
    words: new Set(days.flatMap(wordsOf)),
  };
}

function numbersOf(at: number): number[] {
  const day = new Date(at);
  const year = day.getUTCFullYear();
  // Zones are whole hours, and quarters of one.
  const minutes = [0, 15, 30, 45].map((quarter) => (day.getUTCMinutes() + quarter) % 60);
  return [year, year % 100, day.getUTCMonth() + 1, day.getUTCDate(), day.getUTCSeconds(), ...minutes];
}

function wordsOf(at: number): string[] {
  return PHRASE_LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).flatMap((length) =>
      new Intl.DateTimeFormat(language, { weekday: length, month: length, day: 'numeric', timeZone: 'UTC' })
        .formatToParts(at)
        .filter(({ type }) => type === 'weekday' || type === 'month')
        .map(({ value }) => foldLine(value)),
    ),
  );
}

/** In none of these words is a line a mere header. */
const SAYS_MORE = pattern('[deny no noOrNot not hold alter unclear edit delete because question]');
const MAX_WORDS = 14;
const MAX_HOUR = 24;

/**
 * Whether a line is what programs write above a mail that they quote: a name, the address, the subject or the time of one
 * of our mails, and beside it only words that say nothing of their own. In any language and order.
 */
export function isOwnHeader(line: string, { people, subjects, numbers, words }: HeaderFacts): boolean {
  if (line.length > 1000) return false;
  const whole = foldLine(line);
  if (subjects.some((subject) => whole.endsWith(subject) && whole.length - subject.length <= MAX_SUBJECT_LABEL))
    return true;
  let [rest, names, addresses] = [line, 0, 0];
  for (const name of people) {
    const at = rest.toLowerCase().indexOf(name.toLowerCase());
    if (at < 0) continue;
    rest = `${rest.slice(0, at)} ${rest.slice(at + name.length)}`;
    if (name.includes('@')) addresses += 1;
    else names += 1;
  }
  const dated = [...rest.matchAll(/\p{Nd}+/gu)].map(([digits]) => Number(digits.normalize('NFKC')));
  if (!dated.every((number) => numbers.has(number) || number <= MAX_HOUR)) return false;
  const left = [...rest.matchAll(/[\p{L}\p{M}]+/gu)].map(([word]) => word).filter((word) => !words.has(foldLine(word)));
  if (SAYS_MORE.test(lettersOf(lexLine(left.join(' '))))) return false;
  const times = dated.filter((number) => numbers.has(number)).length;
  if (addresses > 0 || (names > 0 && times >= 3)) return left.length <= MAX_WORDS;
  return times >= 4 ? left.length <= MAX_TIME_WORDS : names > 0 && left.length <= 2 && /[:：]/.test(line);
}

/** Beside a time: "Gesendet", "um", "Uhr", the zone. */
const MAX_TIME_WORDS = 7;
/** "Betreff: Re: AW: ". */
const MAX_SUBJECT_LABEL = 24;
