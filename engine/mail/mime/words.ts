import { stripInvisible } from '../text/invisible.ts';
import { decodeCharset } from './charset.ts';
import { decodeTransfer } from './transfer.ts';

// RFC 2047, with blanks allowed in the text because real mailers put them there. The language tag is RFC 2231's.
const WORD = /=\?([^?*\s]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?([^?]*)\?=/gi;

interface Word {
  readonly charset: string;
  readonly bytes: Buffer;
}

/** Decodes encoded words. Neighbours of one charset are joined first: mailers split characters between them. */
export function decodeWords(value: string): string {
  if (!value.includes('=?')) return value;
  let out = '';
  let end = 0;
  let pending: Word[] = [];
  for (const match of value.matchAll(WORD)) {
    const between = value.slice(end, match.index);
    if (pending.length === 0 || between.trim() !== '') {
      out += flush(pending) + between;
      pending = [];
    }
    pending.push(readWord(match[1] ?? '', match[2] ?? '', match[3] ?? ''));
    end = match.index + match[0].length;
  }
  return out + flush(pending) + value.slice(end);
}

function readWord(charset: string, encoding: string, text: string): Word {
  const isBase64 = encoding.toLowerCase() === 'b';
  // A blank of a word counts, also at its end, where one of a body would not.
  const written = isBase64 ? text : text.replace(/[_ \t\r\n]/g, (sign) => BLANKS.get(sign) ?? '=20');
  return {
    charset: charset.toLowerCase(),
    bytes: decodeTransfer(Buffer.from(written), isBase64 ? 'base64' : 'quoted-printable'),
  };
}

const BLANKS: ReadonlyMap<string, string> = new Map([
  ['\t', '=09'],
  ['\r', '=0D'],
  ['\n', '=0A'],
]);

function flush(words: readonly Word[]): string {
  let out = '';
  let run: Buffer[] = [];
  for (const [index, word] of words.entries()) {
    run.push(word.bytes);
    if (words[index + 1]?.charset === word.charset) continue;
    out += decodeCharset(Buffer.concat(run), word.charset).text;
    run = [];
  }
  return out;
}

/**
 * Decoded and on one line: a decoded subject or name can hold CR LF, and with it a header of its own. Without what nobody
 * sees: a direction mark would turn round the line of the list or the notice in which it is shown.
 */
export function headerText(value: string, maxLength = 1000): string {
  const oneLine = decodeWords(value.slice(0, 8 * maxLength)).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return stripInvisible(oneLine).text.replace(/ {2,}/g, ' ').trim().slice(0, maxLength);
}
