import {
  ARABIC,
  BALTIC,
  CENTRAL,
  CYRILLIC,
  GREEK,
  HEBREW,
  JAPANESE,
  KOREAN,
  type Language,
  SIMPLIFIED,
  THAI,
  TRADITIONAL,
  TURKISH,
  VIETNAMESE,
  WESTERN,
} from './languages.ts';
import { decode } from './library.ts';

/** What bytes may be where nothing says so, and the languages that are written in it. Of two that fit alike the first. */
const CANDIDATES: readonly (readonly [charset: string, languages: readonly Language[], isWide: boolean])[] = [
  ['windows-1252', WESTERN, false],
  ['windows-1251', CYRILLIC, false],
  ['koi8-u', CYRILLIC, false],
  ['shift_jis', JAPANESE, true],
  ['euc-jp', JAPANESE, true],
  ['euc-kr', KOREAN, true],
  ['gb18030', SIMPLIFIED, true],
  ['big5', TRADITIONAL, true],
  ['windows-1250', CENTRAL, false],
  ['windows-1254', TURKISH, false],
  ['windows-1257', BALTIC, false],
  ['windows-1253', GREEK, false],
  ['windows-1255', HEBREW, false],
  ['windows-1256', ARABIC, false],
  ['windows-874', THAI, false],
  ['windows-1258', VIETNAMESE, false],
  ['iso-8859-2', CENTRAL, false],
  ['iso-8859-5', CYRILLIC, false],
  ['ibm866', CYRILLIC, false],
];
const ALL = [...new Set(CANDIDATES.flatMap(([, languages]) => languages))];

/** Of so many bytes with a high bit a charset is told; more make it slower, not surer. */
const SAMPLE = 1200;
/** Below this no language is recognised. */
const LEAST = 0.4;
/** A pair of bytes is a common character of some language by chance; three in a row are not. */
const FEW = 3;
const FEW_COUNT_LESS = 0.7;

export interface Shape {
  readonly charset: string;
  /** How much the text reads like a language that it is written in: 1 at most. */
  readonly plausible: number;
}

/** Which charset bytes have that say so nowhere and are not UTF-8; null where they read like no language. */
export function shapeOf(bytes: Buffer): Shape | null {
  const sample = sampleOf(bytes);
  let best: Shape | null = null;
  for (const [charset, languages, isWide] of CANDIDATES) {
    const text = decode(sample, charset);
    const plausible = howPlausible(text, languages, isWide);
    if (plausible > (best?.plausible ?? LEAST) + 0.001) best = { charset, plausible };
  }
  return best;
}

/** How much a text reads like any language. */
export const plausibilityOf = (text: string): number => howPlausible(text.slice(0, SAMPLE), ALL, false);

/** The beginning of each stretch that is not ASCII, with what stands around it, at whole lines where there are any. */
function sampleOf(bytes: Buffer): Buffer {
  if (bytes.length <= SAMPLE) return bytes;
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, bytes.lastIndexOf(LF, first) + 1, first - 200);
  const end = bytes.lastIndexOf(LF, start + SAMPLE);
  return bytes.subarray(start, end > first ? end : start + SAMPLE);
}

const LF = 0x0a;

interface Counted {
  readonly character: string;
  times: number;
  /** How often it stands where no writer puts it. */
  misplaced: number;
}

function howPlausible(text: string, languages: readonly Language[], isWide: boolean): number {
  const counts = [...countOf(text).values()];
  const total = counts.reduce((sum, { times }) => sum + times, 0);
  if (total === 0) return 0;
  const impossible = counts.reduce((sum, { character, times }) => sum + (IMPOSSIBLE.test(character) ? times : 0), 0);
  if (impossible > total / 3) return 0;
  const signs = counts.map(({ character }) => (TYPOGRAPHY.test(character) ? 0.35 : 0));
  const fits = languages.map((language) =>
    counts.reduce(
      (sum, { character, times, misplaced }, index) =>
        sum + (times - misplaced) * Math.max(language(character), signs[index] ?? 0),
      0,
    ),
  );
  const best = (Math.max(...fits) - impossible) / total;
  return isWide && total < FEW ? best * FEW_COUNT_LESS : best;
}

const IMPOSSIBLE = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/u;
const TYPOGRAPHY = /[\u2010-\u203a\u20ac\u2116\u2122\u00a7\u00a9\u00ab\u00ae\u00b0\u00b7\u00bb]/;

/** All that is not ASCII and no blank, with how often it stands in a place where it makes no word. */
function countOf(text: string): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  const characters = [...text];
  // Few characters make a text, and each asks four questions of Unicode.
  const known = new Map<string, Kind>();
  const kinds = characters.map((character) => {
    const found = known.get(character);
    if (found) return found;
    const kind = kindOf(character);
    known.set(character, kind);
    return kind;
  });
  for (let at = 0; at < characters.length; at += 1) {
    const kind = kinds[at];
    if (kind === undefined || kind.isAscii || kind.isBlank) continue;
    const character = characters[at] ?? '';
    let counted = counts.get(character);
    if (!counted) {
      counted = { character, times: 0, misplaced: 0 };
      counts.set(character, counted);
    }
    counted.times += 1;
    if (isMisplaced(kinds, at, kind)) counted.misplaced += 1;
  }
  return counts;
}

interface Kind {
  readonly isAscii: boolean;
  readonly isBlank: boolean;
  readonly isLetter: boolean;
  readonly isLatin: boolean;
  readonly isLower: boolean;
  readonly isUpper: boolean;
  /** Letters of Italian that end their words. */
  readonly isLast: boolean;
}

const NOTHING: Kind = {
  isAscii: true,
  isBlank: true,
  isLetter: false,
  isLatin: false,
  isLower: false,
  isUpper: false,
  isLast: false,
};

function kindOf(character: string): Kind {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) {
    const isLower = code >= 0x61 && code <= 0x7a;
    const isUpper = code >= 0x41 && code <= 0x5a;
    if (!isLower && !isUpper) return NOTHING;
    return { isAscii: true, isBlank: false, isLetter: true, isLatin: true, isLower, isUpper, isLast: false };
  }
  const lower = character.toLowerCase();
  const isUpper = lower !== character;
  return {
    isAscii: false,
    isBlank: code === 0xa0 || code === 0x3000,
    isLetter: LETTER.test(character),
    isLatin: code < 0x250 || (code >= 0x1e00 && code < 0x1f00),
    isLower: !isUpper && lower !== character.toUpperCase(),
    isUpper,
    isLast: character === 'ì' || character === 'ù',
  };
}

const LETTER = /[\p{L}\p{M}]/u;
/** No word of a language with Latin letters has so many accents in a row. */
const MOST_ACCENTS = 4;

/**
 * A sign within a word, a capital behind a small letter, letters of two scripts in one word, a word of accents alone:
 * that is what a text looks like that was read by a wrong charset.
 */
function isMisplaced(kinds: readonly Kind[], at: number, kind: Kind): boolean {
  const before = kinds[at - 1] ?? NOTHING;
  const after = kinds[at + 1] ?? NOTHING;
  if (!kind.isLetter) return before.isLetter && after.isLetter && before.isLatin && after.isLatin;
  if (kind.isUpper && before.isLower) return true;
  if (kind.isLast && after.isLetter) return true;
  if (!kind.isLatin) return (before.isLetter && before.isLatin) || (after.isLetter && after.isLatin);
  return isOfAccents(kinds, at);
}

/** Whether a letter stands in a row of accents that is too long, or is all of a word of several. */
function isOfAccents(kinds: readonly Kind[], at: number): boolean {
  let [from, to] = [at, at];
  while (to - from <= MOST_ACCENTS && isAccented(kinds[from - 1])) from -= 1;
  while (to - from <= MOST_ACCENTS && isAccented(kinds[to + 1])) to += 1;
  const isAlone = !isAsciiLetter(kinds[from - 1]) && !isAsciiLetter(kinds[to + 1]);
  return to - from >= MOST_ACCENTS || (to > from && isAlone);
}

const isAccented = (kind: Kind | undefined): boolean => kind?.isLetter === true && kind.isLatin && !kind.isAscii;
const isAsciiLetter = (kind: Kind | undefined): boolean => kind?.isAscii === true && kind.isLetter;
