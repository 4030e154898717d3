import { createHash } from 'node:crypto';

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

export function upTo(most: number, matches: Iterable<RegExpExecArray>): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of matches) {
    if (found.length >= most) break;
    found.push(match);
  }
  return found;
}
