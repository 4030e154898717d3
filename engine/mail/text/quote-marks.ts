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
