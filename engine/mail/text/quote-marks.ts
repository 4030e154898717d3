/**
 * Signs that stand in the converted text where the HTML says that something begins or ends. They are noncharacters,
 * and no input can bring its own: they are removed from it before and after entities are decoded. Without that, mail
 * that is quoted in an owner's answer could close its own quote and speak as the owner.
 */
export const MARKS = {
  quoteStart: '\ufdd0',
  quoteEnd: '\ufdd1',
  /** From here to the end everything is older. */
  rest: '\ufdd2',
  attributionStart: '\ufdd3',
  attributionEnd: '\ufdd4',
  signatureStart: '\ufdd5',
  signatureEnd: '\ufdd6',
  /** Indented by whoever wrote it; only in an answer is that a quotation. */
  indentStart: '\ufddb',
  indentEnd: '\ufddc',
  /** Something indented ends here, or does not: in an answer all that follows may be quoted. */
  unclear: '\ufddd',
} as const;

/**
 * Around words of which a person sees that they do not count, or may not see at all. They become signs that can be
 * read (`NOTES` in to-text.ts) before any line is looked at.
 */
export const NOTE_MARKS = {
  struckStart: '\ufdd7',
  struckEnd: '\ufdd8',
  doubtfulStart: '\ufdd9',
  doubtfulEnd: '\ufdda',
} as const;

/** The sign before a quoted line of plain text. */
export const QUOTE_SIGN = /^\s*[>＞]/;

export const ANY_MARK = /[\ufdd0-\ufdef]/g;

/** Signs to put before and after an element, by what mail programs call their quotes. */
export function marksFor(tag: {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}): { before: string; after: string } | null {
  const { name, attributes } = tag;
  const classes = (attributes.get('class') ?? '').toLowerCase();
  const id = (attributes.get('id') ?? '').toLowerCase();
  if (name === 'blockquote') return blockquote(classes, attributes.get('type'));
  if (isRest(name, id, classes, attributes)) return { before: MARKS.rest, after: '' };
  if (/\b(gmail_attr|moz-cite-prefix)\b/.test(classes)) {
    return { before: MARKS.attributionStart, after: MARKS.attributionEnd };
  }
  // GMX and WEB.DE give theirs a name.
  if (/yahoo_quoted|\bzmail_extra\b/.test(`${classes} ${id}`) || (name === 'div' && attributes.get('name') === 'quote'))
    return { before: MARKS.quoteStart, after: MARKS.quoteEnd };
  if (
    /\b(gmail_signature|moz-signature)\b/.test(classes) ||
    id === 'signature' ||
    id === 'ms-outlook-mobile-signature'
  ) {
    return { before: MARKS.signatureStart, after: MARKS.signatureEnd };
  }
  return null;
}

function blockquote(classes: string, type: string | undefined) {
  const cited =
    /\b(gmail_quote|protonmail_quote|tutanota_quote|yahoo_quoted)\b/.test(classes) || type?.toLowerCase() === 'cite';
  return cited
    ? { before: MARKS.quoteStart, after: MARKS.quoteEnd }
    : { before: MARKS.indentStart, after: MARKS.indentEnd };
}

// Outlook puts the older mail behind these, not into them.
const REST_IDS = new Set([
  'divrplyfwdmsg',
  'appendonsend',
  'olk_src_body_section',
  'mail-editor-reference-message-container',
  'stopspelling',
]);

/** Thunderbird's around a mail that it hands on, and around the header of that. */
const REST_CLASSES = /(^|\s)moz-(forward-container|email-headers-table)(\s|$)/;

function isRest(name: string, id: string, classes: string, attributes: ReadonlyMap<string, string>): boolean {
  if (REST_CLASSES.test(classes)) return true;
  if (REST_IDS.has(id.replace(/^x_+/, '')) || REST_IDS.has(classes)) return true;
  if (name === 'hr' && attributes.get('tabindex') === '-1' && attributes.get('style')?.includes('98%')) return true;
  // Outlook for Windows: only a line above the header block tells.
  const style = (attributes.get('style') ?? '').toLowerCase().replace(/\s+/g, '');
  return name === 'div' && /^border:none;border-top:solid#[eb][0-9a-f]{5}1\.0pt;padding:3\.0pt/.test(style);
}

/** Signs that a program may put before quoted lines instead of `>`; what people begin the lines of a list with is none. */
const OTHER_SIGN = /^\s{0,8}(?<sign>(?:[|¦│┃▏▎▍║‖:;»›⟩〉》}\]%#~=/\\$&!]\s?){1,8})(?:\s|$)/u;
/** Those of them that mean nothing else at the beginning of two lines of a mail. */
const CITES = /^(?:[|¦│┃▏▎▍║‖:»›]+|.*[>＞])$/u;
/** The name or the letters of who is quoted, as Supercite puts them: `Mallory> `, `MM>> `. */
const NAMED_SIGN =
  /^\s{0,8}(?<sign>[\p{L}\p{N}][\p{L}\p{M}\p{N}._'’+-]{0,30}(?: [\p{L}\p{M}\p{N}._'’+-]{1,30}){0,3}[>＞]{1,8})(?:\s|$)/u;
const TABLE_END = /[|¦│┃║‖]\s*$/u;

/** The sign that a program may have put before this quoted line, where it is another one than `>`. */
function otherSign(line: string): string | null {
  const begin = line.slice(0, 200);
  const other = OTHER_SIGN.exec(begin)?.groups?.sign;
  return other?.replace(/\s+/gu, '') ?? NAMED_SIGN.exec(begin)?.groups?.sign ?? null;
}

/** Whether a name of one word is the sign: nobody begins a line of his own so. */
const isNamedSign = (sign: string): boolean => /^\S+[>＞]$/u.test(sign);

/** Whether lines with this sign look quoted by themselves: two of them with words, or one with a name of one word for its sign. */
export function looksQuoted(sign: string, lines: readonly string[]): boolean {
  const filled = lines.filter((line) => /[\p{L}\p{N}]/u.test(line)).length;
  return CITES.test(sign) && (filled > 1 || isNamedSign(sign)) && !lines.every(isTableRow);
}

/** A line with any sign of a quote. */
export const isSigned = (line: string): boolean => QUOTE_SIGN.test(line) || otherSign(line) !== null;

/** A line without its sign, as far as that is made of letters: they would be words of it. */
export function withoutNamedSign(line: string): string {
  const [whole = ''] = NAMED_SIGN.exec(line.slice(0, 200)) ?? [];
  return line.slice(whole.length);
}

/** A table has the sign at the ends of its lines, too. */
const isTableRow = (line: string): boolean => /^\s*[|¦│┃║‖]/u.test(line) && TABLE_END.test(line.slice(-80));

/** Lines in a row that carry one sign. */
interface SignedRun {
  readonly begin: number;
  /** Behind the last of them. */
  readonly end: number;
  readonly sign: string;
}

/** The runs of lines that carry the same sign; deeper quotations carry it several times. Pure. */
export function signedRuns(lines: readonly string[]): SignedRun[] {
  const runs: { begin: number; end: number; sign: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const sign = otherSign(line);
    if (sign === null) continue;
    const last = runs.at(-1);
    const isSame = last?.end === index && (last.sign.startsWith(sign) || sign.startsWith(last.sign));
    if (last && isSame) {
      last.end = index + 1;
      if (sign.length < last.sign.length) last.sign = sign;
    } else runs.push({ begin: index, end: index + 1, sign });
  }
  return runs;
}
