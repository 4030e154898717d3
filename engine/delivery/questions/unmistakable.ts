import { normaliseDomain } from '../../mail/mime/address.ts';

/** Alphabets whose letters look like ours. */
const ALIKE = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}]/gu;
const LOCAL = /[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const HOST = /(?<=@|:\/\/)[\p{L}\p{N}\p{M}_.\u3002\uff0e\uff61-]{1,253}/gu;
const DOT = /[.\u3002\uff0e\uff61]/u;
/** In scripts without blanks the next word may follow an address directly. */
const BEFORE_WORD = /^[!-~]*\.[!-~]*[a-z0-9](?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])/u;

/**
 * A text in which no address or link passes for another one by letters of another alphabet: behind each host stands the
 * name that is asked for over the wire, and such letters of the part before the @ are shown as their numbers.
 */
export const unmistakable = (text: string): string =>
  /[@/]/.test(text) && /\P{ASCII}/u.test(text) ? numbered(text).replace(HOST, withName) : text;

/** From each @ backwards. */
const numbered = (text: string): string =>
  text
    .split('@')
    .map((piece, at, all) => {
      if (at === all.length - 1) return piece;
      const [local = ''] = LOCAL.exec(piece.slice(-64)) ?? [];
      return piece.slice(0, piece.length - local.length) + withNumbers(local);
    })
    .join('@');

const withNumbers = (local: string): string =>
  /[a-z0-9]/i.test(local) || local.replace(ALIKE, '') === ''
    ? local.replace(ALIKE, (letter) => `<U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`)
    : local;

function withName(host: string): string {
  if (/^[!-~]*$/.test(host) || !DOT.test(host) || BEFORE_WORD.test(host)) return host;
  const [end = ''] = /[._\u3002\uff0e\uff61-]{1,253}$/u.exec(host) ?? [];
  const name = normaliseDomain(host.slice(0, host.length - end.length));
  return name === null ? host : `${host.slice(0, host.length - end.length)} (${name})${end}`;
}
