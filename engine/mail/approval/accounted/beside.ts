import { replySubject } from '../../text/subject.ts';
import { type AnswerLine, lineOf, saysMoreThanLawyers, strangerIn } from '../body.ts';
import { lettersOf, lexLine } from '../lexer.ts';
import { pattern } from '../pattern.ts';
import { PHRASE_LANGUAGES } from '../phrases.ts';
import { readStatement } from '../statement.ts';
import type { Accounted, Unexplained } from './accounted.ts';
import { foldLine, type SentMail } from './own-lines.ts';

/** What is known for judging what stands beside the typed words of an answer. */
interface Besides {
  /** Earlier proven mails of this sender that answered no question, as texts. */
  readonly earlier: readonly string[];
  /** Kinds of value that the question holds: only these can be meant by a date or a sum below a signature. */
  readonly asked: ReadonlySet<TimeOrAmount>;
}

/**
 * The first line beside the typed words that may change what they say; null where there is none. A name, an address and
 * the footer of a telephone change nothing, nor does a signature that this sender is known by. Pure.
 */
export function doubtfulLine({ unexplained }: Accounted, besides: Besides): string | null {
  for (const part of unexplained) {
    const line = isKnown(part, besides.earlier) ? wordOfDoubt(part.lines) : stranger(part, besides.asked);
    if (line !== null) return line.trim().slice(0, MAX_SHOWN);
  }
  return null;
}

const MAX_SHOWN = 200;

/**
 * A subject in which somebody has written more than stood there, where that may change the answer; null for any other. A
 * subject is our own as far as one of our mails has it.
 */
export function doubtfulSubject(subject: string, sent: readonly Pick<SentMail, 'subject'>[]): string | null {
  const own = sent.map((mail) => mail.subject.trim()).filter((each) => each !== '');
  const bare = bareSubject(subject);
  const folded = foldLine(bare);
  if (own.some((each) => foldLine(each).includes(folded))) return null;
  // What somebody has put beside our own subject, or in its place, was meant to be read.
  const held = own.find((each) => bare.includes(each));
  return isHarmless(held === undefined ? bare : bare.replace(held, ' ')) ? null : subject.slice(0, MAX_SHOWN);
}

/** Whether the subject is that of one of these mails, as an answer has it, and no piece of it. */
export const isSubjectOf = (subject: string, sent: readonly Pick<SentMail, 'subject'>[]): boolean =>
  sent.some(
    (mail) => mail.subject.trim() !== '' && foldLine(bareSubject(mail.subject)) === foldLine(bareSubject(subject)),
  );

/** Without what programs, gateways and lists put in front. */
const bareSubject = (subject: string): string =>
  replySubject(subject.replace(TAGS, '')).slice('Re: '.length).replace(TAGS, '');

/** Also a prefix of answers that we do not know. */
const isHarmless = (rest: string): boolean => {
  const [prefix = '', word = ''] = /^\s*(\p{L}{1,6})\s?[:：]\s*/u.exec(rest) ?? [];
  const isUnknown = /^[XM]*$/.test(lettersOf(lexLine(word.normalize('NFC'))));
  const text = (isUnknown ? rest.slice(prefix.length) : rest).trim().normalize('NFC');
  return foldLine(text) === '' || readStatement(text, lexLine(text)).kind === 'harmless';
};

/** What gateways and lists put in front. */
const TAGS = /^(?:\s*\[[^[\]]{1,40}\])+\s*/u;

/** Below the mark of a signature only what a signature consists of may stand; in what is marked as quoted nothing but our mail. */
function stranger({ kind, lines }: Unexplained, asked: ReadonlySet<TimeOrAmount>): string | null {
  if (kind !== 'signature') return lines.find((line) => foldLine(line) !== '') ?? null;
  const read = lines.flatMap((line, index) => lineOf(line.normalize('NFC'), index) ?? []);
  const found = strangerIn(read.filter(saysSomething), 'signature')?.text;
  return found ?? lines.find((line) => [...valuesIn(line)].some((kind) => asked.has(kind))) ?? null;
}

const saysSomething = ({ text }: AnswerLine): boolean => foldLine(text) !== '';

const MIN_CARRIED = 2;

/** Whether at least two earlier mails of the sender carried it, line for line. */
function isKnown({ kind, lines }: Unexplained, earlier: readonly string[]): boolean {
  const block = lines.map(foldLine).filter((line) => line !== '');
  if (kind !== 'signature' || block.length === 0) return false;
  const wanted = `\n${block.join('\n')}\n`;
  const carried = earlier.filter((text) => {
    const folded = text
      .split('\n')
      .map(foldLine)
      .filter((line) => line !== '');
    return `\n${folded.join('\n')}\n`.includes(wanted);
  });
  return carried.length >= MIN_CARRIED;
}

/** Also a signature that somebody is known by may take back what stands above it. */
const TAKES_BACK = pattern('[deny no noOrNot not hold unclear question]');

function wordOfDoubt(lines: readonly string[]): string | null {
  const found = lines.find((line) => TAKES_BACK.test(lettersOf(lexLine(line.normalize('NFC')))));
  // Of lawyers' sentences there is no "not" that would be the sender's.
  return found === undefined || saysMoreThanLawyers(lines) === null ? null : found;
}

/** What a line can say of when and how much. */
export type TimeOrAmount = 'date' | 'time' | 'amount';

const DATE =
  /(?<!\p{Nd})(?:\d{4}-\d{1,2}-\d{1,2}|(?:3[01]|[12]\d|0?[1-9])[./](?:1[0-2]|0?[1-9])(?:[./](?:\d{4}|\d{2})?|(?![\d./]))|\d{1,2}\s?[月월])/u;
const TIME =
  /(?<!\p{Nd})(?:[01]?\d|2[0-4])(?:[:.h][0-5]\d(?!\p{Nd})|\s?(?:uhr|a\.?m|p\.?m|h|Uhr|時|点|點|시)(?!\p{L}))/iu;
const MONEY = String.raw`(?:[$€£¥₹₽₺₴₩฿]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|RUB|UAH|TRY|INR|AUD|CAD|euros?|dollars?|zł|kr|Kč|Ft|lei|руб|円|元|원))`;
const AMOUNT = new RegExp(
  `${MONEY}\\s?\\d|\\d\\s?${MONEY}|\\d\\s?%|(?<!\\p{Nd})\\d{1,3}(?:[.,'\\u00a0 ]\\d{3})+(?!\\p{Nd})|(?<!\\p{Nd})\\d+,\\d{2}(?!\\p{Nd})`,
  'iu',
);
/** Numbers to call: many digits in groups. */
const PHONE = /(?<!\p{Nd})\+?\(?\d(?:[\s()/–-]{0,3}\d){6,}/gu;
const MIN_NAME = 4;

/** Names of months and days of the week, in all languages that answers are read in, as they are compared. */
const NAMES: ReadonlySet<string> = new Set(
  PHRASE_LANGUAGES.flatMap((language) => {
    const names = new Intl.DateTimeFormat(language, {
      weekday: 'long',
      month: 'long',
      day: 'numeric',
      timeZone: 'UTC',
    });
    return Array.from({ length: 12 }, (_, at) => Date.UTC(2026, at, 1 + at)).flatMap((at) =>
      names
        .formatToParts(at)
        .filter(({ type }) => type === 'weekday' || type === 'month')
        .map(({ value }) => foldLine(value)),
    );
  }).filter((name) => name.length >= MIN_NAME && !/\d/.test(name)),
);

/** Which kinds of value a text holds, by their shape. */
export function valuesIn(text: string): ReadonlySet<TimeOrAmount> {
  const rest = text.slice(0, MAX_CHARS).replace(PHONE, ' ');
  const words = [...rest.matchAll(/[\p{L}\p{M}]+/gu)].map(([word]) => foldLine(word));
  return new Set<TimeOrAmount>([
    ...(DATE.test(rest) || words.some((word) => NAMES.has(word)) ? (['date'] as const) : []),
    ...(TIME.test(rest) ? (['time'] as const) : []),
    ...(AMOUNT.test(rest) ? (['amount'] as const) : []),
  ]);
}

const MAX_CHARS = 200_000;
