import type { Json } from '#contract';
import { markdownToHtml } from '../../mail/compose/markdown.ts';
import { addressKey } from '../../mail/mime/address.ts';
import {
  accountsIn,
  addressesIn,
  eachNumber,
  isTooMuch,
  keysOfUrl,
  numbersIn,
  plain,
  plainly,
  squeezed,
  trimmed,
  urlKey,
  urlsIn,
  type ValueKind,
} from './values.ts';

/** Something in a call's arguments by which it reaches somebody, or somebody's money. */
export interface Value {
  readonly kind: ValueKind;
  /** The value as it is written there. */
  readonly said: string;
  /** The argument that it stands in. */
  readonly at: string;
  /** What it may be found by; one of them is enough. */
  readonly keys: readonly string[];
  /** A bare number, of which nothing here says that it is money: it is, where it is known as such from elsewhere. */
  readonly isBare?: true;
  /** Words that count as named where they stand, one after the other, in a text. */
  readonly phrase?: string;
}

interface Reading {
  /** The call is not one that only reads, so that a number may be what somebody is to pay; a limit or a page is none. */
  readonly changes: boolean;
  /** It goes to hosts by their names: what has the shape of one is one, and no file. */
  readonly connects: boolean;
  /** It makes tasks: what it is told now is somebody's word later, when nobody knows any more where it came from. */
  readonly plans?: boolean;
}

const MAX_PARTS = 5000;
const HOST =
  /^(?:(?:[\p{L}\p{N}_-]{1,63}\.){1,20}[\p{L}\p{N}-]{1,63}\.?|localhost|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/iu;
/** Names that a tool gives to money. They are its author's, not a sender's. */
const MONEY = new Set(['amount', 'price', 'total', 'sum', 'cost', 'fee', 'payment', 'salary', 'balance', 'usd', 'eur']);

/** Names that a tool gives to where money or a message goes. `to` is none: it is the end of a time, of a stretch, of a page, too. */
const ACCOUNTS = new Set(
  'account iban bic swift recipient payee beneficiary receiver destination target wallet card phone'.split(' '),
);
const MIN_ACCOUNT_DIGITS = 4;
/** `from: 2020, to: 2026` are no accounts. */
const MIN_ACCOUNT_NUMBER = 6;

/** The values of a call's arguments, wherever in them they stand. */
export function valuesOfArguments(args: Json, reading: Reading): Value[] {
  const found = valuesWithin(args, reading);
  return reading.plans === true ? [...found, ...promptIn(args)] : found;
}

/** A name may be a page's and still be called by other words: of a task's prompt every word counts. */
function promptIn(args: Json): Value[] {
  if (typeof args !== 'object' || args === null || !('prompt' in args)) return [];
  const said = textOfWords(args.prompt);
  return said === '' ? [] : [{ kind: 'words', said, at: 'prompt', keys: [], phrase: phraseOf(said) }];
}

const textOfWords = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '');

/** Removes what changes when people copy a phrase: case, blanks, punctuation. */
export const phraseOf = (text: string): string =>
  plainly(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}@]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();

function valuesWithin(args: Json, reading: Reading): Value[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return valuesAt('arguments', args, reading);
  // A currency beside it says of a number what it is.
  const isMoney = 'currency' in args;
  return Object.entries(args).flatMap(([at, value]) => valuesAt(at, value, reading, isMoney));
}

interface Part {
  readonly value: Json;
  /** By its name, or for a currency beside it. */
  readonly isMoney: boolean;
  readonly name: string;
}

function valuesAt(at: string, value: Json, reading: Reading, besideCurrency = false): Value[] {
  const found: Value[] = [];
  const open: Part[] = [{ value, isMoney: besideCurrency || isNamed(at, MONEY), name: at }];
  for (let seen = 0; open.length > 0 && seen < MAX_PARTS; seen += 1) {
    const part = open.pop() as Part;
    const { value: one, isMoney, name: inside } = part;
    if (typeof one === 'string') found.push(...valuesOfString(one, at, reading, part));
    else if (typeof one === 'number') found.push(...numberAt(String(Math.abs(one)), at, reading, part));
    else if (Array.isArray(one)) open.push(...one.map((each) => ({ value: each, isMoney, name: inside })));
    else if (typeof one === 'object' && one !== null) open.push(...partsOf(one));
  }
  // What nobody has looked at may be anything.
  return open.length > 0 ? [...found, tooMuch(at)] : found;
}

const tooMuch = (at: string): Value => ({ kind: 'words', said: 'more than can be looked at', at, keys: [] });

function partsOf(fields: object): Part[] {
  const besideCurrency = 'currency' in fields;
  return Object.entries(fields).flatMap(([name, value]) => [
    // The name of a header or a field can carry as much as what stands in it.
    { value: name, isMoney: false, name: '' },
    { value, isMoney: besideCurrency || isNamed(name, MONEY), name },
  ]);
}

/** `total_price`, `feeEur`. */
const isNamed = (name: string, names: ReadonlySet<string>): boolean =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => names.has(word));

function numberAt(said: string, at: string, { changes }: Reading, { isMoney, name }: Omit<Part, 'value'>): Value[] {
  if (!changes) return [];
  if (!isMoney && isNamed(name, ACCOUNTS) && said.length >= MIN_ACCOUNT_NUMBER) {
    return [{ kind: 'account', said, at, keys: [said] }];
  }
  const [whole = '', decimals = ''] = said.split('.');
  return [{ kind: 'amount', said, at, keys: [plain(whole, decimals)], ...(isMoney ? {} : { isBare: true as const }) }];
}

function valuesOfString(text: string, at: string, reading: Reading, part: Omit<Part, 'value'>): Value[] {
  const { changes, connects } = reading;
  const whole = text.trim();
  const url = urlKey(whole);
  // What the web would be asked for, also where it is spelled as no text spells it: `https:/x`, with a blank in it.
  if (url !== null && (connects || !/\s/.test(whole))) return [{ kind: 'url', said: whole, at, keys: [url] }];
  // To an address that is all of an argument mail goes as it is spelled there, whatever a reader would make of it.
  const address = whole.includes('@') ? addressKey(whole) : null;
  if (address !== null) return [{ kind: 'address', said: whole, at, keys: [address] }];
  const read = plainly(whole);
  if (connects && HOST.test(whole) && !/^\d+(?:\.\d+)?$/.test(whole)) {
    return [{ kind: 'host', said: whole, at, keys: [whole.toLowerCase().replace(/\.(?=:|$)/, '')] }];
  }
  const found = changes
    ? [...valuesOfProse(read, at, reading), ...valuesOfMarkdown(read, at, reading)]
    : valuesOfProse(read, at, reading);
  const numbers = changes && part.isMoney ? numbersIn(read) : [];
  const amounts = numbers.flatMap(eachNumber).map((one): Value => ({ kind: 'amount', at, ...one }));
  return unique([...found, ...amounts, ...(changes ? valuesOfName(read, at, part, found) : [])]);
}

/** By the name of its argument a string is a sum or an account, also one that has the shape of none. */
function valuesOfName(read: string, at: string, { name }: Omit<Part, 'value'>, found: readonly Value[]): Value[] {
  if (isNamed(name, MONEY) && read !== '' && !/\d/.test(read))
    return [{ kind: 'amount', said: read, at, keys: [], phrase: phraseOf(read) }];
  const digits = read.replace(/\D+/g, '').length;
  if (!isNamed(name, ACCOUNTS) || found.length > 0 || digits < MIN_ACCOUNT_DIGITS) return [];
  return [{ kind: 'account', said: read, at, keys: [squeezed(read)] }];
}

/** What a mail program shows of Markdown, where it can be more than what stands there: entities, escapes, links. */
function valuesOfMarkdown(text: string, at: string, reading: Reading): Value[] {
  if (!/[&\\*_[\]<`~]/.test(text)) return [];
  const html = markdownToHtml(text);
  const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => unescaped(href));
  const urls = links.flatMap((link): Value[] => {
    const key = urlKey(link);
    return key === null ? [] : [{ kind: 'url', said: link, at, keys: [key] }];
  });
  const shown = unescaped(html.replace(/<\/?(?:em|strong|s|a|code)(?: [^<>]*)?>/g, '').replace(/<[^<>]*>/g, '\n'));
  const mailed = links
    .filter((link) => /^mailto:/i.test(link))
    .map(decoded)
    .join('\n');
  return [...urls, ...valuesOfProse(`${shown}\n${mailed}`, at, reading).filter(({ isBare }) => isBare !== true)];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const unescaped = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function valuesOfProse(text: string, at: string, { changes }: Reading): Value[] {
  const addresses = addressesIn(text, true);
  const tokens = urlsIn(text);
  const numbers = numbersIn(text);
  const urls = tokens.map((token): Value => {
    const ends = trimmed(token);
    return { kind: 'url', said: ends.at(-1) ?? token, at, keys: ends.flatMap(keysOfUrl) };
  });
  const amounts = numbers.flatMap((number): Value[] => {
    const { said, keys, beside } = number;
    if (beside.isMoney) return eachNumber(number).map((one) => ({ kind: 'amount', at, ...one }));
    return changes && said === text ? [{ kind: 'amount', said, at, keys, isBare: true }] : [];
  });
  const accounts = changes ? accountsIn(text).map((one): Value => ({ kind: 'account', at, ...one })) : [];
  const much = isTooMuch({ urls: tokens.length, addresses: addresses.length, numbers: numbers.length });
  return [
    ...urls,
    ...addresses.map((one): Value => ({ kind: 'address', at, ...one })),
    ...amounts,
    ...accounts,
    ...(much ? [tooMuch(at)] : []),
  ];
}

/** The same value in a text and in what a mail program makes of it is one. */
function unique(values: readonly Value[]): Value[] {
  const kept: Value[] = [];
  const seen = new Set<string>();
  for (const value of values.toSorted((one, other) => Number(one.isBare ?? false) - Number(other.isBare ?? false))) {
    const names = (value.keys.length === 0 ? [value.said] : value.keys).map((key) => `${value.kind} ${key}`);
    if (names.some((name) => seen.has(name))) continue;
    for (const name of names) seen.add(name);
    kept.push(value);
  }
  return kept;
}
