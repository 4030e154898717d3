import { atFirstUse } from '../../lib/kept-value.ts';
import { copiedField, isOriginalMark } from './phrases.ts';
import { replySubject } from './subject.ts';

/** Those whose mails are quoted, by what their mails call them, and what these mails are about. */
export interface QuotedOnes {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly subjects: readonly string[];
}

/** So long, and of so many words, is no line of a program, nor a header that it has copied. */
const [MAX_FRAME, MAX_WORDS] = [600, 60];

/**
 * Whether these lines are what a mail program puts above a quotation, and nothing besides: names, addresses and subjects of
 * the quoted ones, numbers, and words of a closed list. What is in no list may be somebody's word. Pure.
 */
export function isQuoteFrame(lines: readonly string[], { names, addresses, subjects }: QuotedOnes): boolean {
  const known = new Set(subjects.map(replySubject));
  const isSubject = (line: string): boolean =>
    copiedField(line) === 'subject' && known.has(replySubject(line.slice(line.search(/[:：]/u) + 1).trim()));
  const rest = lines.map((line) => line.trim()).filter((line) => !isOriginalMark(line) && !isSubject(line));
  const whole = rest.join(' ');
  if (whole.length > MAX_FRAME) return false;
  const longestFirst = [...addresses, ...names].toSorted((one, other) => other.length - one.length);
  const left = longestFirst.reduce(without, whole.replaceAll('mailto:', ' ').toLowerCase());
  const words = left.match(/\p{N}+|[\p{L}\p{M}]+/gu) ?? [];
  return (
    words.length <= MAX_WORDS && words.every(isListed) && !OTHER_SIGN.test(left.replace(/[\p{N}\p{L}\p{M}]/gu, ''))
  );
}

const OTHER_SIGN = /[^\s.,:;/()<>[\]"'’“”„*_–—\-、，：（）。\u200e\u200f]/u;
const PART_OF_WORD = /[\p{L}\p{M}\p{N}@_]/u;

/** Without each place where this stands as a whole. */
function without(text: string, wanted: string): string {
  const name = wanted.trim().toLowerCase();
  if (name === '') return text;
  let left = text;
  for (let at = left.indexOf(name); at >= 0; at = left.indexOf(name, at + 1)) {
    const [before = ' ', after = ' '] = [left[at - 1], left[at + name.length]];
    const isPart = [before, after].some((sign) => PART_OF_WORD.test(sign) && !UNPARTED.test(sign));
    if (!isPart) left = `${left.slice(0, at)} ${left.slice(at + name.length)}`;
  }
  return left;
}

/** No longer than a year: a telephone number is none of it. */
const isListed = (word: string): boolean => {
  if (/^\p{N}+$/u.test(word)) return word.length <= 4;
  const { words, signs } = listed();
  return (
    words.has(word) || (UNPARTED.test(word) && signs.reduce((left, sign) => left.replaceAll(sign, ''), word) === '')
  );
};

/** Scripts without blanks between words. */
const UNPARTED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

const LOCALES = ['en', 'en-GB', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pt-PT', 'pl', 'ja', 'zh'];

/** Of these languages, beside the names of their days and months. */
const WORDS = [
  'on at the am pm wrote writes from sent date to cc subject gmt utc cet cest est edt pst pdt bst',
  'am um uhr schrieb schreibt von gesendet datum an betreff kopie',
  'le la à h a écrit de envoyé date objet pour',
  'el la las los a de del escribió escribio enviado fecha para asunto',
  'il giorno alle ore ha scritto scrive da inviato data oggetto',
  'op om schreef heeft het volgende geschreven van verzonden datum aan onderwerp uur',
  'em no dia às as à s de escreveu enviado data para assunto',
  'dnia w dniu o godz godzinie napisał napisała a pisze wiadomość napisana przez od wysłano do temat data r',
].join(' ');
const SIGNS =
  'さんは書きました は書きました のメール さん 差出人 送信日時 日時 日付 宛先 件名 写道 寫道 发件人 寄件者 发送时间 日期 收件人 主题 主旨 于 於 在 周 年 月 日 时 時 分';

/** Names of days and months in the forms in which dates have them, and halves of the day. */
function namesOfDates(locale: string): readonly string[] {
  const namesIn = (options: Intl.DateTimeFormatOptions, times: readonly number[]) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    return times.flatMap((at) =>
      format
        .format(at)
        .toLowerCase()
        .split(/[^\p{L}\p{M}]+/u),
    );
  };
  const months = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 1));
  const days = Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 1 + day));
  const hours = [9, 21].map((hour) => Date.UTC(2024, 0, 1, hour));
  return [
    ...(['long', 'short'] as const).flatMap((length) => [
      ...namesIn({ day: 'numeric', month: length }, months),
      ...namesIn({ month: length }, months),
      ...namesIn({ weekday: length }, days),
    ]),
    ...namesIn({ hour: 'numeric', hour12: true }, hours),
  ];
}

const listed = atFirstUse(() => {
  const all = [...`${WORDS} ${SIGNS}`.split(' '), ...LOCALES.flatMap(namesOfDates)].filter((word) => word !== '');
  return {
    words: new Set(all),
    signs: all.filter((word) => UNPARTED.test(word)).toSorted((one, other) => other.length - one.length),
  };
});
