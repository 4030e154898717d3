import { addressKey } from '../../mail/address.ts';

export type ValueKind = 'url' | 'address' | 'host' | 'amount';

/** The literal values of a text, each in every reading that its spelling allows. */
export interface TextValues {
  readonly urls: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
  readonly amounts: ReadonlySet<string>;
  /** Those of the amounts beside which a currency stands. */
  readonly money: ReadonlySet<string>;
}

// Every expression here runs once over a text of whatever size: no two of its parts can match the same characters.
const URL_IN_TEXT = /(?:(?:https?|ftp|wss?):\/\/|www\.)[^\s<>"\\^`{|}\u3000-\u303f\uff00-\uff65]{1,4096}/giu;
const BEFORE_AT = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const AFTER_AT = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,251}[\p{L}\p{N}])?/u;
const NUMBER_IN_TEXT = /\d+(?:[.,'’\u00a0\u202f ]\d+)*/g;
const CLOSING = /[.,;:!?)\]}'’”»*_~]$/u;
const WEB = new Set(['http:', 'https:', 'ftp:', 'ws:', 'wss:']);
const MAX_TRIMMED = 8;
/** Of one text. What stands behind more than that counts as not there: nothing is let go for it. */
const MAX_URLS = 2000;
const MAX_ADDRESSES = 5000;
const MAX_NUMBERS = 20_000;

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

export function valuesInText(text: string): TextValues {
  const tokens = new Set(urlsIn(text));
  const urls = new Set([...tokens].flatMap(spellingsOf).flatMap(keysOfUrl));
  const addresses = new Set(addressesIn(text).flatMap(({ keys }) => keys));
  const numbers = numbersIn(text);
  const amounts = new Set(numbers.flatMap(({ keys }) => keys));
  const money = new Set(numbers.flatMap(({ isMoney, keys }) => (isMoney ? keys : [])));
  return { urls, addresses, amounts, money };
}

/** Web addresses as they stand in a text, with whatever closes the sentence behind them. */
export const urlsIn = (text: string): string[] => upTo(MAX_URLS, text.matchAll(URL_IN_TEXT)).map(([token]) => token);

function upTo(most: number, matches: Iterable<RegExpExecArray>): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of matches) {
    if (found.length >= most) break;
    found.push(match);
  }
  return found;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const CODE_BEHIND = /^[^\S\n]?([A-Z]{3})(?!\p{L})/u;
const CODE_BEFORE = /(?<!\p{L})([A-Z]{3})[^\S\n]?$/u;

/** The numbers of a text, and whether the sign or the code of a currency stands beside each. */
export function numbersIn(text: string): { said: string; keys: string[]; isMoney: boolean }[] {
  return upTo(MAX_NUMBERS, text.matchAll(NUMBER_IN_TEXT)).map((match) => {
    const [said] = match;
    const end = match.index + said.length;
    const before = text.slice(Math.max(0, match.index - 5), match.index);
    const behind = text.slice(end, end + 5);
    const codes = [CODE_BEFORE.exec(before)?.[1], CODE_BEHIND.exec(behind)?.[1]];
    const isMoney =
      /\p{Sc}[^\S\n]?$/u.test(before) ||
      /^[^\S\n]?\p{Sc}/u.test(behind) ||
      codes.some((code) => code !== undefined && CURRENCIES.has(code));
    return { said, keys: readingsOf(said), isMoney };
  });
}

/** Where a web address ends in a text is a guess, so each end is one that a reader may have meant. */
function spellingsOf(token: string): string[] {
  const cuts = [/[',;)\]]/, /[)\]]/, /['’]/].map((cut) => token.slice(0, endAt(token, cut)));
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
  (/^www\./i.test(text) ? [`https://${text}`, `http://${text}`] : [text]).flatMap((one) => urlKey(one) ?? []);

/** From each @ outwards: what stands between two of them is looked at once. */
export function addressesIn(text: string): { said: string; keys: string[] }[] {
  const found: { said: string; keys: string[] }[] = [];
  let left = MAX_ADDRESSES;
  for (let at = text.indexOf('@'); at >= 0 && left > 0; at = text.indexOf('@', at + 1)) {
    left -= 1;
    const local = BEFORE_AT.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    const domain = local === undefined ? undefined : AFTER_AT.exec(text.slice(at + 1, at + 255))?.[0];
    if (local === undefined || domain === undefined) continue;
    // Quotes and marks of emphasis are allowed in an address, and are as a rule none of its parts.
    const bare = local.replace(/^[^\p{L}\p{N}]+/u, '');
    const keys = [local, bare].flatMap((one) => addressKey(`${one}@${domain}`) ?? []);
    if (keys.length > 0) found.push({ said: `${local}@${domain}`, keys: [...new Set(keys)] });
  }
  return found;
}

/** `1.250` is 1250 or 1.25; `5 000` is 5000, or 5 and 0. */
function readingsOf(token: string): string[] {
  const groups = token.split(/['’\u00a0\u202f ]/);
  const isOne = groups.length > 1 && groups.slice(1).every((group) => /^\d{3}(?:[.,]|$)/.test(group));
  const readings = [...groups, ...(isOne ? [groups.join('')] : [])].flatMap(readingsOfOne);
  return [...new Set(readings)];
}

function readingsOfOne(text: string): string[] {
  const parts = text.split(/[.,]/);
  const last = parts.at(-1) ?? '';
  const whole = parts.slice(0, -1).join('');
  const asWhole = parts.length === 1 || parts.slice(1).every(({ length }) => length === 3 || length === 2);
  return [...(asWhole ? [plain(parts.join(''))] : []), ...(parts.length > 1 ? [plain(whole, last)] : [])];
}

/** Without what makes no difference: zeros in front, and behind the point. */
export function plain(whole: string, decimals = ''): string {
  const rest = decimals.replace(/(?<!0)0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`;
}
