import { HOUR_MS } from '../../../lib/time.ts';
import { copiedField } from '../../text/phrases.ts';
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

/** To make one takes a tenth of a millisecond, and there are sixty. */
const FORMATS = PHRASE_LANGUAGES.flatMap((language) =>
  (['long', 'short'] as const).map(
    (length) => new Intl.DateTimeFormat(language, { weekday: length, month: length, day: 'numeric', timeZone: 'UTC' }),
  ),
);

/** With what stands between them and before them: some languages write a name in two words, or a letter in front of it. */
const wordsOf = (at: number): string[] =>
  FORMATS.flatMap((format) => {
    const parts = format.formatToParts(at).filter(({ type }) => type === 'weekday' || type === 'month');
    return [...parts.map(({ value }) => value), ...(format.format(at).match(/[\p{L}\p{M}]+/gu) ?? [])].map(foldLine);
  });

/** In none of these words is a line a mere header. */
const SAYS_MORE = pattern('[deny no noOrNot not hold alter unclear edit delete because question]');
/** Of attributions, in languages in which some of them mean something in an answer. */
const MERE_WORDS = new Set(
  'on,at,am,um,uhr,wrote,schrieb,via,le,la,à,a,el,las,los,il,giorno,alle,ore,ha,scritto,escribió,escreveu,em,às,op,om,schreef,het,kl,den,skrev,dnia,o,godz,napisał,napisała,pisze,w,dniu,в,г,написал,написала,пишет,écrit,der,die,das,het,dd,d'.split(
    ',',
  ),
);

/** Somebody wrote a sentence into it; names of days and months are shortened to fewer letters. */
const SENTENCE = /[!?。！？؟]|\p{L}{5}\.(?!\p{L})|\p{L}{4}\.\s{1,5}\p{Lu}\p{Ll}{3}/u;
const MAX_LINE = 1000;
const MAX_WORDS = 9;
/** Not the month and the year of "28.11.2026". */
const CLOCK = /(?<!\d\.?)([01]?\d|2[0-4])(?:[:.h]|時|时|點|点|시\s?)(\d{2})(?:[:.分]?(\d{2}))?(?!\.?\d)/g;

/**
 * Whether a line is what programs write above a mail that they quote: a name, the address, the subject or the time of one
 * of our mails, and beside it only words that say nothing of their own. In any language and order.
 */
export function isOwnHeader(line: string, { people, subjects, numbers, words }: HeaderFacts): boolean {
  if (line.length > MAX_LINE) return false;
  const whole = foldLine(line);
  if (subjects.some((subject) => whole.endsWith(subject) && whole.length - subject.length <= MAX_SUBJECT_LABEL))
    return true;
  if (SENTENCE.test(line)) return false;
  let [rest, names, addresses] = [line.replace(/^\s*no dia\b/i, ' '), 0, 0];
  for (const name of people) {
    const at = placeOfName(rest, name);
    if (at < 0) continue;
    rest = `${rest.slice(0, at)} ${rest.slice(at + name.length)}`;
    if (name.includes('@')) addresses += 1;
    else names += 1;
  }
  // The zone of a time is nobody's word, and its hour depends on that.
  const unzoned = rest.replace(/(?:(?<=\d\s?)[+-]\d{2}:?\d{2}|(?<=GMT|UTC)[+-]\d{1,2}(?::?\d{2})?)(?!\d)/g, ' ');
  const clock = [...unzoned.matchAll(CLOCK)].flatMap(([, , minutes = '', seconds = '0']) => [
    Number(minutes),
    Number(seconds),
  ]);
  const dated = [
    ...clock.filter((number, index) => index % 2 === 0 || number !== 0),
    ...[...unzoned.replace(CLOCK, ' ').matchAll(/\p{Nd}+/gu)].map(([digits]) => Number(digits.normalize('NFKC'))),
  ];
  if (!dated.every((number) => numbers.has(number))) return false;
  const left = [...rest.matchAll(/[\p{L}\p{M}]+/gu)]
    .map(([word]) => word)
    .filter((word) => !words.has(foldLine(word)) && !MERE_WORDS.has(word.toLowerCase()));
  if (SAYS_MORE.test(lettersOf(lexLine(left.join(' '))))) return false;
  if (saysMoreBehind(unzoned.replace(CLOCK, ' '), words)) return false;
  const times = dated.filter((number) => numbers.has(number)).length;
  if (addresses > 0 || (names > 0 && times >= 3)) return left.length <= MAX_WORDS;
  if (names > 0) return left.length <= 2 && /[:：]/.test(line);
  return times >= 3 && left.length <= MAX_TIME_WORDS && !namesAnother(rest, words);
}

/** Where a name stands that is no part of a longer one; -1 where it does not. */
export function placeOfName(line: string, name: string): number {
  const [text, wanted] = [line.toLowerCase(), name.toLowerCase()];
  const isPartAt = (at: number): boolean => {
    const end = at + wanted.length;
    return isOneWord(text.slice(Math.max(0, at - 1), at + 1)) || isOneWord(text.slice(end - 1, end + 1));
  };
  let at = text.indexOf(wanted);
  while (at >= 0 && isPartAt(at)) at = text.indexOf(wanted, at + 1);
  return at;
}

/** Scripts without small letters write what follows a name right behind it. */
const isOneWord = (letters: string): boolean => /^\p{Ll}{2}$/u.test(letters);

/** Somebody who is none of ours: behind the first word, or in its place where it is no label, a word in capitals is a name. */
function namesAnother(line: string, words: ReadonlySet<string>): boolean {
  const isKnown = (word: string) =>
    words.has(foldLine(word)) || MERE_WORDS.has(word.toLowerCase()) || OF_TIME.test(word) || word.length < 2;
  return [...line.replace(ZONE_NAME, ' ').matchAll(/\p{Lu}[\p{L}\p{M}]*/gu)].some(({ 0: word, index }) => {
    const isFirst = !/[\p{L}\p{N}]/u.test(line.slice(0, index));
    const isLabel = isFirst && /^[\p{L}\p{M} ]{0,24}[:：]/u.test(line.slice(index + word.length));
    return !isLabel && !isKnown(word);
  });
}

/** The words of an attribution end with its colon, and behind the label of a header stand only facts, or to whom it went. */
function saysMoreBehind(line: string, words: ReadonlySet<string>): boolean {
  const [, label = '', behind = ''] = /(\p{L}{0,20})[^\p{L}:：]{0,5}[:：]([^:：]*)$/u.exec(line) ?? [];
  // Only behind numbers is a word in capitals the name of a zone.
  const isTime = /\p{Nd}/u.test(behind);
  const said = (isTime ? behind.replace(ZONE_NAME, ' ') : behind).replace(NAMED, ' ').match(/[\p{L}\p{M}]+/gu) ?? [];
  // A Czech Sunday in short is a no as well: only beside numbers is it the day.
  const isDay = (word: string): boolean =>
    words.has(foldLine(word)) && (isTime || !SAYS_MORE.test(lettersOf(lexLine(word))));
  const left = said.filter(
    (word) => !isDay(word) && !MERE_WORDS.has(word.toLowerCase()) && !(isTime && OF_TIME.test(word)),
  );
  const areNames = left.length <= MAX_NAMES && left.every((word) => /^\p{Lu}/u.test(word));
  return left.length > 0 && !(areNames && copiedField(`${label}:`) === 'to');
}

const MAX_NAMES = 4;

/** "(Central European Standard Time)". */
const ZONE_NAME = /\((?:\p{Lu}\p{L}{1,14}(?: |(?=\)))){1,5}\)/gu;
/** The name of somebody before an address. */
const NAMED = /"[^"]{1,60}"\s?<\s*>/gu;
/** The name of a zone in short, and what stands behind the numbers of a day in Japanese, Chinese and Korean. */
const OF_TIME =
  /^(?:\p{Lu}{1,5}|[年月日時时分秒午前后後上下曜星期周金木水火土一二三四五六년월일시분초오전후]+|of|and)$/u;

/** Beside a time: "Gesendet", "um", "Uhr", the zone. */
const MAX_TIME_WORDS = 7;
/** "Cc:" and nothing behind it. */
export const isMereLabel = (line: string): boolean => /^[\p{L}][\p{L} .-]{0,20}\s?[:：]\s*$/u.test(line.trim());

/** "-------- Original --------", in any language. */
export const isDrawn = (line: string): boolean => {
  if (line.length > MAX_LINE) return false;
  const [, words] =
    /^[-_=*–—][-_=*–—\s]{2,100}((?:[^-_=*–—\s][^-_=*–—]{0,40})?)[-_=*–—\s]{2,100}[-_=*–—]$/u.exec(line.trim()) ?? [];
  return words !== undefined && !SAYS_MORE.test(lettersOf(lexLine(words)));
};

/** "Betreff: Re: AW: ". */
const MAX_SUBJECT_LABEL = 24;
