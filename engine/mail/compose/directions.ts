const SCRIPTS = [
  [/\p{Script=Arabic}/gu, 'ar'],
  [/\p{Script=Hebrew}/gu, 'he'],
  [/\p{Script=Syriac}/gu, 'syr'],
  [/\p{Script=Thaana}/gu, 'dv'],
] as const;

/** A text most of whose letters run from right to left, and the language that its letters are most of all those of. */
export function rightToLeft(text: string): { readonly language: string } | null {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const counted = SCRIPTS.map(([script, language]) => ({ language, count: text.match(script)?.length ?? 0 }));
  const most = counted.reduce((one, other) => (other.count > one.count ? other : one));
  return most.count > letters / 2 ? { language: inLanguage(text, most.language) } : null;
}

/** Letters that Persian and Urdu have and Arabic has not. */
const inLanguage = (text: string, language: string): string => {
  if (language !== 'ar') return language;
  if (/[ٹڈڑےں]/.test(text)) return 'ur';
  return /[پچژگ]/.test(text) ? 'fa' : 'ar';
};

/** Digits in groups, with the letters that an account begins with: a telephone number, an account, a day. Sums and times are one group. */
const GROUPS = /[A-Z]{0,4}[+(]{0,2}\d[\d()\u00a0 .,/-]{1,40}\d/g;
const isGrouped = (digits: string): boolean => /\d[^\d.,]\D{0,3}\d/.test(digits);
const LINK = /<a href="([^"]{1,4000})">([^<]{1,4000})<\/a>/g;

export const LEFT_TO_RIGHT = '<span dir="ltr">';
const isolated = (html: string): string => `${LEFT_TO_RIGHT}${html}</span>`;

/**
 * The same HTML of a text that runs from right to left, where what is read from left to right all the same keeps its order: between
 * Arabic letters the groups of a telephone number would stand the other way round, and the end of a web address before it.
 */
export function withoutTurning(html: string): string {
  return html
    .split(/(<[^<>]*>)/)
    .map((piece, at) =>
      at % 2 === 1 ? piece : piece.replace(GROUPS, (digits) => (isGrouped(digits) ? isolated(digits) : digits)),
    )
    .join('')
    .replace(LINK, (link, address, name) => (address === name ? isolated(link) : link));
}

/** Of the HTML of a quote. */
export const RIGHT_TO_LEFT = ' dir="rtl"';

/**
 * Whether something in the bytes of a mail of ours was kept from turning about, as older versions did not do. Where there was
 * nothing to be kept, both ways give the same bytes.
 */
export function keptInOrder(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1').replaceAll('=\r\n', '');
  return [LEFT_TO_RIGHT, `type="cite"${RIGHT_TO_LEFT}`].some((mark) => bytes.includes(mark.replaceAll('=', '=3D')));
}
