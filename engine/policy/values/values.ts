import { createHash } from 'node:crypto';
import { digitOf } from '../../lib/text/digits.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { type Beside, besideNumber, enlarged } from './money.ts';

export type ValueKind = 'url' | 'address' | 'host' | 'amount' | 'account' | 'words';

/** The literal values of a text, each in every reading that its spelling allows. */
export interface TextValues {
  readonly urls: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
  readonly amounts: ReadonlySet<string>;
  /** Those of the amounts beside which a currency stands. */
  readonly money: ReadonlySet<string>;
  /** However it is grouped there; `key` is all its letters and digits in a row, in capitals. */
  hasAccount(key: string): boolean;
}

// Every expression here runs once over a text of whatever size: no two of its parts can match the same characters.
const URL_IN_TEXT =
  /(?:(?:https?|s?ftps?|wss?|file|smb|dav|ssh|git):\/\/|www\.)[^\s<>"\\^`{|}\u3000-\u303f\uff00-\uff65]{1,4096}/giu;
const BARE_URL =
  /(?=[\p{L}\p{N}])(?<![\p{L}\p{N}@./:_%=?&#-])(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,24}(?::\d{1,5})?(?:\/|\?[\w.-]{1,40}=)[^\s<>"\\^`{|}\u3000-\u303f\uff00-\uff65]{0,999}/gu;
const BEFORE_AT = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const AFTER_AT = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,251}[\p{L}\p{N}])?/u;
const NUMBER_IN_TEXT = /\d+(?:[.,'’\u00a0\u2000-\u200a\u202f\u205f·˙_ ]\d+)*/g;
const CLOSING = /[.,;:!?)\]}'’”»*_~]$/u;
const WEB = new Set(['http:', 'https:', 'ftp:', 'ws:', 'wss:']);
const MAX_TRIMMED = 8;
/** Addresses that are read from one text. Later ones count as absent, so they excuse no call. */
const MAX_URLS = 2000;
const MAX_ADDRESSES = 5000;
const MAX_NUMBERS = 20_000;
/** Of one row of a table; those behind count as absent, too. */
const MAX_CELLS = 1000;

/** What would be asked for over the wire: the host's case and the fragment make no difference there. Null: no web address. */
export function urlKey(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !WEB.has(url.protocol)) return null;
  url.hash = '';
  return url.href;
}

/** The host of a URL, with a port that is not the usual one; null for what is none. */
export function hostKey(url: string): string | null {
  const parsed = URL.parse(url.trim());
  return parsed === null || parsed.hostname === '' ? null : parsed.host.replace(/\.(?=:|$)/, '');
}

export function valuesInText(written: string): TextValues {
  const text = plainly(written);
  const tokens = new Set(urlsIn(text));
  const urls = new Set([...tokens].flatMap(spellingsOf).flatMap(keysOfUrl));
  const addresses = new Set(addressesIn(text).flatMap(({ keys }) => keys));
  const numbers = numbersIn(text);
  const amounts = new Set(numbers.flatMap(({ keys }) => keys));
  const money = new Set(numbers.flatMap(({ beside, keys }) => (beside.isMoney ? keys : [])));
  // Asked for where a call has an account, and dear for a long text.
  return { urls, addresses, amounts, money, hasAccount: (key) => squeezed(text).includes(key) };
}

const ODD =
  /\p{Default_Ignorable_Code_Point}|(?![0-9])\p{Nd}|[\u00b2\u00b3\u00b9\u066b\u066c\u2070-\u2089\u2460-\u2473\u24b6-\u24ea\uff20-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7cb}]/gu;
/** Points between the digits of Arabic numbers. */
const POINTS: Readonly<Record<string, string>> = { '\u066b': '.', '\u066c': ',' };

/**
 * The text as a reader sees it: without characters of no width, with the digits of every script as ASCII digits, and with
 * plain letters for wide, bold and circled ones.
 */
export const plainly = (text: string): string =>
  text.replace(ODD, (one) => {
    if (/\p{Nd}/u.test(one)) return String(digitOf(one));
    return /\p{Default_Ignorable_Code_Point}/u.test(one) ? '' : (POINTS[one] ?? one.normalize('NFKC'));
  });

/** Web addresses as they stand in a text, with whatever closes the sentence behind them. */
export const urlsIn = (text: string): string[] =>
  [...upTo(MAX_URLS, text.matchAll(URL_IN_TEXT)), ...upTo(MAX_URLS, text.matchAll(BARE_URL))].map(([token]) => token);

/** The text without them: what stands within one is the word of whoever made it. */
export const withoutUrls = (text: string): string => text.replace(URL_IN_TEXT, ' ').replace(BARE_URL, ' ');

/** Whether a text has so many of something that not all of it was looked at. */
export const isTooMuch = (found: {
  readonly urls: number;
  readonly addresses: number;
  readonly numbers: number;
}): boolean => found.urls >= MAX_URLS || found.addresses >= MAX_ADDRESSES || found.numbers >= MAX_NUMBERS;

/** A number as it is written, in each reading, and whether what stands beside it says that it is money. */
interface WrittenNumber {
  readonly said: string;
  readonly keys: string[];
  readonly beside: Beside;
}

export function numbersIn(text: string): WrittenNumber[] {
  return upTo(MAX_NUMBERS, text.matchAll(NUMBER_IN_TEXT)).map((match) => {
    const [said] = match;
    const beside = besideNumber(text, match.index, match.index + said.length);
    const keys = readingsOf(said);
    const larger = beside.zeros === 0 ? [] : keys.map((key) => enlarged(key, beside.zeros));
    return { said, keys: [...keys, ...larger], beside };
  });
}

/** The end of a web address in a text is a guess, so every end that a reader may have meant is returned. */
function spellingsOf(token: string): string[] {
  const cuts = [/[',;)\]]/, /[)\]]/, /['’]/, /[^!-~]/].map((cut) => token.slice(0, endAt(token, cut)));
  return [...new Set([...trimmed(token), ...cuts.flatMap(trimmed)])];
}

function endAt(token: string, cut: RegExp): number {
  const found = token.search(cut);
  return found < 0 ? token.length : found;
}

/** The token, and what is left when closing marks are taken from its end one by one. */
export function trimmed(token: string): string[] {
  const all = [token];
  let rest = token;
  while (all.length < MAX_TRIMMED && CLOSING.test(rest)) {
    rest = rest.slice(0, -1);
    all.push(rest);
  }
  return all;
}

export const keysOfUrl = (text: string): string[] =>
  (/^(?:\w{1,8}:)?[\\/]{2}/.test(text) ? [text] : [`https://${text}`, `http://${text}`]).flatMap(
    (one) => urlKey(one) ?? [],
  );

/** All that mail programs take for a part of an address, so that none goes on behind what was looked at. */
const ALL_BEFORE_AT = /[^\s"(),:;<>@[\]\\]{1,64}$/u;
const ALL_AFTER_AT = /^[^\s"'(),:;<>@[\]\\/?#!|*=&{}`^%$]{1,253}/u;

/**
 * From each @ outwards: what stands between two of them is looked at once. With `isWhole` an address is as long as
 * it can be, for calls: the part of one that is trusted says nothing of where the whole leads.
 */
export function addressesIn(text: string, isWhole = false): { said: string; keys: string[] }[] {
  const found: { said: string; keys: string[] }[] = [];
  const [before, after] = isWhole ? [ALL_BEFORE_AT, ALL_AFTER_AT] : [BEFORE_AT, AFTER_AT];
  let left = MAX_ADDRESSES;
  for (let at = text.indexOf('@'); at >= 0 && left > 0; at = text.indexOf('@', at + 1)) {
    left -= 1;
    const local = before.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    const run = local === undefined ? undefined : after.exec(text.slice(at + 1, at + 255))?.[0];
    const domain = run?.replace(/[^\p{L}\p{N}]{1,255}$/u, '');
    if (local === undefined || domain === undefined || domain === '') continue;
    const keys = localsOf(local).flatMap((one) =>
      domainsOf(domain).flatMap((host) => addressKey(`${one}@${host}`) ?? []),
    );
    // One that is none, and has the look of one, is nobody's who was named.
    if (keys.length > 0 || (isWhole && /[.\u3002\uff0e\uff61]/.test(domain))) {
      found.push({ said: `${local}@${domain}`, keys: [...new Set(keys)] });
    }
  }
  return found;
}

/** Quotes and marks of emphasis are allowed in an address, and are as a rule none of its parts. */
const localsOf = (local: string): string[] => [
  ...new Set([local, local.replace(/^[^\p{L}\p{N}]{1,64}/u, ''), /[!-~]{1,64}$/.exec(local)?.[0] ?? local]),
];

/** In scripts without blanks between words, the next word follows the address directly. */
function domainsOf(domain: string): string[] {
  const [ascii = ''] = /^[A-Za-z0-9.-]{1,253}/.exec(domain) ?? [];
  const isWord = ascii.includes('.') && /^\p{L}/u.test(domain.slice(ascii.length));
  return isWord ? [domain, ascii] : [domain];
}

/** `1.250` is 1250 or 1.25; `5 000` is 5000, or 5 and 0. */
function readingsOf(token: string): string[] {
  const groups = token.split(GROUPS);
  const numbers = [...groups, ...(isOneNumber(groups) ? [groups.join('')] : [])];
  return [...new Set([...numbers, ...numbers.flatMap(cellsOf)].flatMap(readingsOfOne))];
}

/** Groups of three digits, the first ones of two where that is the custom, and decimals behind the other sign. */
const ONE_NUMBER = /^\d{1,3}(?:(?:\.\d\d)*\.\d{3})*(?:,\d+)?$|^\d{1,3}(?:(?:,\d\d)*,\d{3})*(?:\.\d+)?$/;

/** `12.80,22` is no number in any country: it is a row of a table whose cells are parted by commas. */
const cellsOf = (text: string): string[] =>
  text.includes('.') && text.includes(',') && !ONE_NUMBER.test(text) ? text.split(',', MAX_CELLS) : [];

const GROUPS = /['’\u00a0\u2000-\u200a\u202f\u205f·˙_ ]/;
const isOneNumber = (groups: readonly string[]): boolean =>
  groups.length > 1 && groups.slice(1).every((group) => /^\d{3}(?:[.,]|$)/.test(group));

/** Each number by itself, for calls: that one of two neighbours is trusted says nothing of the other. */
export function eachNumber({
  said: token,
  beside: { scale, zeros },
}: WrittenNumber): { said: string; keys: string[] }[] {
  const groups = token.split(GROUPS);
  const numbers = isOneNumber(groups) ? [groups.join('')] : groups;
  return numbers.map((said, at) => {
    const keys = [...new Set(readingsOfOne(said))];
    // Five is none of the five thousand that `5k` are.
    if (zeros === 0 || at < numbers.length - 1) return { said, keys };
    return { said: `${said} ${scale}`, keys: keys.map((key) => enlarged(key, zeros)) };
  });
}

function readingsOfOne(text: string): string[] {
  const parts = text.split(/[.,]/);
  const last = parts.at(-1) ?? '';
  const whole = parts.slice(0, -1).join('');
  const asWhole = parts.length === 1 || parts.slice(1).every(({ length }) => length === 3 || length === 2);
  return [...(asWhole ? [plain(parts.join(''))] : []), ...(parts.length > 1 ? [plain(whole, last)] : [])];
}

/** Removes zeros that make no difference: leading ones, and trailing ones of the decimals. */
export function plain(whole: string, decimals = ''): string {
  const rest = decimals.replace(/(?<!0)0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`;
}

/** Something that money is sent to, as it is written, and what it may be found by. */
interface Account {
  readonly said: string;
  readonly keys: string[];
}

/** Accounts that are read from one text. */
const MAX_ACCOUNTS = 20_000;
/** Of these each is checked by its own sum; where a text has more, the others count as accounts. */
const MAX_CHECKED = 2000;

export const squeezed = (text: string): string => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join('').toUpperCase();

/** Bank accounts, and wallets of the usual currencies. */
export const accountsIn = (text: string): Account[] => [...bankAccountsIn(text), ...walletsIn(text)];

/** Letters of other alphabets that look like one of ours, each beside it. */
const ALIKE = 'АAВBЕEКKМMНHОOРPСCТTУYХXІIЅSЈJΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX';
const LOOKS: ReadonlyMap<string, string> = new Map(
  Array.from({ length: ALIKE.length / 2 }, (_, at) => [ALIKE.charAt(2 * at), ALIKE.charAt(2 * at + 1)]),
);

/** How long an account number of a country is (the registry of ISO 13616). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 ' +
    'LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 ' +
    'RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
/** Fewer digits are words that happen to fit. */
const MIN_DIGITS = 8;

/**
 * Ahead of each place where one may begin, so that a word before it that looks like the beginning of another takes
 * nothing of it away. Whatever people put between groups may stand between any two signs.
 */
const BANK =
  /(?<=^|[^\p{L}\p{N}]|IBAN)(?=([A-Z][\s.,:;/|·•_*'’–—-]{0,3}[A-Z](?:[\s.,:;/|·•_*'’–—-]{0,3}\d){2}(?:[\s.,:;/|·•_*'’–—-]{0,3}[A-Z\d]){11,30}))/giu;

/** International bank account numbers (ISO 13616): the check digits tell them from any other words. */
function bankAccountsIn(written: string): Account[] {
  const text = written.replace(/[Ѐ-ӿΑ-Ω]/g, (letter) => LOOKS.get(letter) ?? letter);
  return upTo(MAX_ACCOUNTS, text.matchAll(BANK)).flatMap(([, run = '']) => {
    const end = endsOf(run).find((one) => isAccount(squeezed(run.slice(0, one))));
    if (end === undefined) return [];
    const said = run.slice(0, end);
    return [{ said: said.replace(/\s+/g, ' '), keys: [squeezed(said)] }];
  });
}

/** Where one that begins like this may end: as long as those of its country are, or else in front of a gap. */
function endsOf(run: string): number[] {
  const signs = [...run.matchAll(/[A-Z\d]/gi)];
  const country = `${signs[0]?.[0]}${signs[1]?.[0]}`.toUpperCase();
  const length = LENGTHS.get(country);
  const ends = signs.map(({ index }) => index + 1);
  if (length !== undefined) return ends.slice(length - 1, length);
  return ends.filter((end) => end === run.length || !/[A-Z\d]/i.test(run.charAt(end)));
}

const isAccount = (key: string): boolean =>
  key.length >= 15 && key.length <= 34 && key.slice(4).replace(/\D+/g, '').length >= MIN_DIGITS && isChecked(key);

function isChecked(account: string): boolean {
  let rest = 0;
  for (const sign of `${account.slice(4)}${account.slice(0, 4)}`) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

const WALLET = /(?<![\p{L}\p{N}])(?:0x[0-9a-f]{40}|(?:bc|tb|ltc|addr)1[02-9ac-hj-np-z]{11,110})(?![\p{L}\p{N}])/giu;
const BASE58 = /(?<![\p{L}\p{N}])[1-9A-HJ-NP-Za-km-z]{26,35}(?![\p{L}\p{N}])/gu;

function walletsIn(text: string): Account[] {
  const others = upTo(MAX_ACCOUNTS, text.matchAll(BASE58)).filter(
    ([one], at) => /[a-z]/.test(one) && /[A-Z]/.test(one) && (at >= MAX_CHECKED || isWallet(one)),
  );
  return [...upTo(MAX_ACCOUNTS, text.matchAll(WALLET)), ...others].map(([said]) => ({ said, keys: [squeezed(said)] }));
}

const SIGNS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** 25 bytes, of which the last four are the beginning of a hash of the others. */
function isWallet(text: string): boolean {
  let value = 0n;
  for (const sign of text) value = value * 58n + BigInt(SIGNS.indexOf(sign));
  const hex = value.toString(16);
  if (hex.length > 50) return false;
  const bytes = Buffer.from(hex.padStart(50, '0'), 'hex');
  return hashOf(hashOf(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

function upTo(most: number, matches: Iterable<RegExpExecArray>): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of matches) {
    if (found.length >= most) break;
    found.push(match);
  }
  return found;
}
