import type { Json } from '#contract';
import { addressesIn, keysOfUrl, numbersIn, plain, trimmed, urlKey, urlsIn, type ValueKind } from './values.ts';

/** Something in a call's arguments by which it reaches somebody, or somebody's money. */
export interface Value {
  readonly kind: ValueKind;
  /** As it stands there. */
  readonly said: string;
  /** The argument that it stands in. */
  readonly at: string;
  /** What it may be found by; one of them is enough. */
  readonly keys: readonly string[];
  /** A bare number, of which nothing here says that it is money: it is, where it is known as such from elsewhere. */
  readonly isBare?: true;
}

export interface Reading {
  /** The call is not one that only reads, so that a number may be what somebody is to pay; a limit or a page is none. */
  readonly changes: boolean;
  /** It goes to hosts by their names: what has the shape of one is one, and no file. */
  readonly connects: boolean;
}

const MAX_PARTS = 5000;
const HOST =
  /^(?:(?:[\p{L}\p{N}_-]{1,63}\.){1,20}[\p{L}\p{N}-]{1,63}\.?|localhost|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/iu;
/** Names that a tool gives to money. They are its author's, not a sender's. */
const MONEY = new Set(['amount', 'price', 'total', 'sum', 'cost', 'fee', 'payment', 'salary', 'balance', 'usd', 'eur']);

/** The values of a call's arguments, wherever in them they stand. */
export function valuesOfArguments(args: Json, reading: Reading): Value[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return valuesAt('arguments', args, reading);
  // A currency beside it says of a number what it is.
  const isMoney = 'currency' in args;
  return Object.entries(args).flatMap(([at, value]) => valuesAt(at, value, reading, isMoney));
}

interface Part {
  readonly value: Json;
  readonly isMoney: boolean;
}

function valuesAt(at: string, value: Json, reading: Reading, besideCurrency = false): Value[] {
  const found: Value[] = [];
  const open: Part[] = [{ value, isMoney: besideCurrency || isMoneyName(at) }];
  for (let seen = 0; open.length > 0 && seen < MAX_PARTS; seen += 1) {
    const part = open.pop() as Part;
    const { value: one, isMoney } = part;
    if (typeof one === 'string') found.push(...valuesOfString(one, at, reading, isMoney));
    else if (typeof one === 'number') found.push(...numberAt(String(Math.abs(one)), at, reading, isMoney));
    else if (Array.isArray(one)) open.push(...one.map((each) => ({ value: each, isMoney })));
    else if (typeof one === 'object' && one !== null) open.push(...partsOf(one));
  }
  return found;
}

function partsOf(fields: object): Part[] {
  const besideCurrency = 'currency' in fields;
  return Object.entries(fields).flatMap(([name, value]) => [
    // The name of a header or a field can carry as much as what stands in it.
    { value: name, isMoney: false },
    { value, isMoney: besideCurrency || isMoneyName(name) },
  ]);
}

/** `total_price`, `feeEur`. */
const isMoneyName = (name: string): boolean =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => MONEY.has(word));

function numberAt(said: string, at: string, { changes }: Reading, isMoney: boolean): Value[] {
  if (!changes) return [];
  const [whole = '', decimals = ''] = said.split('.');
  return [{ kind: 'amount', said, at, keys: [plain(whole, decimals)], ...(isMoney ? {} : { isBare: true as const }) }];
}

function valuesOfString(text: string, at: string, { changes, connects }: Reading, isMoney: boolean): Value[] {
  const whole = text.trim();
  const url = urlKey(whole);
  // What the web would be asked for, also where it is spelled as no text spells it: `https:/x`, with a blank in it.
  if (url !== null && (connects || !/\s/.test(whole))) return [{ kind: 'url', said: whole, at, keys: [url] }];
  const addresses = addressesIn(whole).map((one): Value => ({ kind: 'address', at, ...one }));
  if (connects && addresses.length === 0 && HOST.test(whole) && !/^\d+(?:\.\d+)?$/.test(whole)) {
    return [{ kind: 'host', said: whole, at, keys: [whole.toLowerCase().replace(/\.(?=:|$)/, '')] }];
  }
  const urls = urlsIn(whole).map((token): Value => {
    const ends = trimmed(token);
    return { kind: 'url', said: ends.at(-1) ?? token, at, keys: ends.flatMap(keysOfUrl) };
  });
  const amounts = numbersIn(whole).flatMap(({ said, keys, isMoney: isMarked }): Value[] => {
    if (isMarked || (changes && isMoney)) return [{ kind: 'amount', said, at, keys }];
    return changes && said === whole ? [{ kind: 'amount', said, at, keys, isBare: true }] : [];
  });
  return [...urls, ...addresses, ...amounts];
}
