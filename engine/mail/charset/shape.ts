import { decode } from './library.ts';

/** How much a character speaks for a language: 1 what it is made of, 0 what it does not have. */
type Language = (character: string) => number;

/** Letters of an alphabet, the most frequent first: those of a text read by a wrong charset are as often rare ones. */
const byFrequency = (letters: string): Language => {
  const each = [...letters];
  const weights = new Map(each.map((letter, rank) => [letter, 1 - rank / each.length]));
  return (character) => weights.get(character.toLowerCase()) ?? 0;
};

/** What Latin letters a language has beyond those of ASCII. */
const byLetters = (letters: string): Language => {
  const has = new Set(letters);
  return (character) => (has.has(character.toLowerCase()) ? 1 : 0);
};

const byCommon = (common: string, others: readonly (readonly [range: RegExp, weight: number])[]): Language => {
  const has = new Set(common);
  return (character) => (has.has(character) ? 1 : (others.find(([range]) => range.test(character))?.[1] ?? 0));
};

const HAN: readonly [RegExp, number] = [/[\u4e00-\u9fff]/, 0.45];
const FULL_WIDTH: readonly [RegExp, number] = [/[\u3001-\u3003\u3008-\u3011\uff01-\uff5e\u2014\u2026]/, 0.8];

const WESTERN: readonly Language[] = [
  'äöüß',
  'éèàêçâîôûùëïœæÿ',
  'áéíóúñü¿¡ºª',
  'áàâãçéêíóôõúüºª',
  'àèéìòù',
  'åäöæøéü',
  'áðéíóúýþæö',
  'àçèéíïòóúü',
  'éëïöüèêá',
].map(byLetters);

const CENTRAL: readonly Language[] = [
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'ąćęłńóśźż',
  'áéíóöőúüű',
  'ăâîșțşţ',
  'čćđšž',
].map(byLetters);

const TURKISH: readonly Language[] = [byLetters('çğıöşüâîi̇İ')];
const BALTIC: readonly Language[] = ['ąčęėįšųūž', 'āčēģīķļņšūž', 'äõöüšž'].map(byLetters);
const VIETNAMESE: readonly Language[] = [byLetters('àáâãèéêìíòóôõùúýăđĩũơư\u0300\u0301\u0303\u0309\u0323')];

const CYRILLIC: readonly Language[] = [
  'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё',
  'оаинвітрескдлумпязьбгйчхцєжїшщюфґ',
  'аоиенрстјувдклмпзбгчњшцжљћђџх',
].map(byFrequency);
const GREEK: readonly Language[] = [byFrequency('αοιετσνηυρπκμλωςάίήόέγδύθχφώβξζψϊϋΐΰ')];
const HEBREW: readonly Language[] = [byFrequency('יוהלאתרבשמנדעחקפכגטםצןזסךףץ')];
const ARABIC: readonly Language[] = [byFrequency('اليمنتروبدهعسفكقحجذةأشىصخطضزثغإئءؤظآ،؟')];
const THAI: readonly Language[] = [byFrequency('า่นร้อกงเัีมวยลิสตดทะคืปบหุแพจขำ์ไใูชถโผณ็ธซศษฟภญฉฐฮๆฝฆ')];

const JAPANESE: readonly Language[] = [
  byCommon(
    '日本人年大一国会中出時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨注文椅送願致連絡件明新方三二十事者社自地業手力問代長場内',
    [[/[\u3041-\u3096]/, 1], [/[\u30a1-\u30fc]/, 0.85], FULL_WIDTH, HAN, [/[\uff61-\uff9f]/, 0.1]],
  ),
];
const SIMPLIFIED: readonly Language[] = [
  byCommon(
    '的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文几定本公特做外孩相西果走将月十实向声车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受听表德少克代员许先口由死安写性马光白或住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何度山觉路带万男边风解叫任金快原吃通师立象数四失满战远士音轻目条呢请订购您谢件收附联系电话把',
    [FULL_WIDTH, HAN],
  ),
];
const TRADITIONAL: readonly Language[] = [
  byCommon(
    '的一是了我不人在他有這個上們來到時大地為子中你說生國年著就那和要她出也得裡後自以會家可下而過天去能對小多然於心學麼之都好看起發當沒成只如事把還用第樣道想作種開美總從無情己面最女但現前些所同日手又行意動方期它頭經長兒回位分愛老因很給名法間斯知世什兩次使身者被高已親其進此話常與活正感見明問力理爾點文幾定本公特做外孩相西果走將月十實向聲車全信重三機工物氣每並別真打太新比才便夫再書部水像眼等體卻加電主界門利海受聽表德少克代員許先口由死安寫性馬光白或住難望教命花結樂色更拉東神記處讓母父應直字場平報友關放至張認接告入笑內英軍候民歲往何度山覺路帶萬男邊風解叫任金快原吃通師立象數四失滿戰遠士音輕目條呢請訂購您謝件收附聯繫',
    [FULL_WIDTH, HAN],
  ),
];
const KOREAN: readonly Language[] = [
  byCommon(
    '이다는의에을가고하지기를은사로들한도어리자나시그서게인해아대있라부으만일제정수여과구장주전보원니상스것었조안습요니까세면및연동신비내공관용무위우성진계년경생화모유드할오중마번분',
    [
      [/[\uac00-\ud7a3]/, 0.6],
      [/[\u3001-\u3003\u3008-\u3011\uff01-\uff5e]/, 0.5],
      [/[\u4e00-\u9fff]/, 0.1],
    ],
  ),
];

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

interface Shape {
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
