/** What servers write into Received lines (RFC 5321 section 4.4). */
const MAX_CHARS = 4000;

/**
 * Words of a Received line outside of its comments, in lower case. Null where it cannot be told which of them its server
 * wrote: a greeting with half a comment or half a quotation, or a very long one, hides all that stands behind it.
 */
function wordsOf(value: string): readonly string[] | null {
  if (value.length > MAX_CHARS) return null;
  const read = lexed(value);
  return read.isWhole ? read.words.filter((word) => word !== ';').map((word) => word.toLowerCase()) : null;
}

const countOf = (words: readonly string[], wanted: string): number => words.filter((word) => word === wanted).length;

/**
 * The host after `by`; comments are left out first, because the sender's greeting stands in some of them. Null where `by`
 * stands there twice: one of them may be the greeting's.
 */
export function receivedBy(value: string): string | null {
  const words = wordsOf(value);
  if (words === null || countOf(words, 'by') !== 1) return null;
  return words[words.indexOf('by') + 1]?.replace(/(?<![;.])[;.]+$/, '') ?? null;
}

const WITH_LOGIN: ReadonlySet<string | undefined> = new Set(['esmtpsa', 'esmtpa', 'utf8smtpsa', 'utf8smtpa']);

/**
 * Whether the line says that its server took the mail from somebody who had logged in (RFC 3848). A line in which `by`
 * or a protocol stands twice says nothing, also where one of them is in a comment: the sender's greeting may be the other.
 */
export function isTakenWithLogin(value: string): boolean {
  const words = wordsOf(value);
  if (words === null) return false;
  const by = words.indexOf('by');
  const written = value.toLowerCase().split(/[\s()"\\]{1,200}/);
  const protocols = written.filter((word, at) => word === 'with' && PROTOCOL.test(written[at + 1] ?? ''));
  const isOnce = countOf(words, 'with') === 1 && countOf(written, 'by') === 1 && protocols.length === 1;
  return by >= 0 && isOnce && words[by + 2] === 'with' && WITH_LOGIN.has(words[by + 3]);
}

/** How its server took the mail, as the line says behind `by`; null where it does not. */
export function protocolIn(value: string): string | null {
  const words = wordsOf(value) ?? [];
  const by = words.indexOf('by');
  return by >= 0 && words[by + 2] === 'with' ? (words[by + 3] ?? null) : null;
}

/** Of mail that a server has handed to a program of its own house. */
export const isLmtp = (protocol: string | null): boolean => /^(?:utf8)?lmtp/.test(protocol ?? '');

const PROTOCOL = /^(?:utf8)?e?(?:smtp|lmtp)/;

/**
 * Whether nothing that a sender chose (his greeting, his reverse name) can have ended a comment of this line or begun
 * a piece of its own: the same words stand in what a border says of the mail.
 */
export function isPlainLine(value: string): boolean {
  if (value.length > MAX_CHARS || /["\\]/.test(value) || RESULT.test(value)) return false;
  const { words, isWhole } = lexed(value);
  return isWhole && countOf(words, ';') <= 1;
}

/** No server names a result there, and a greeting that does was made to be read as one. */
const RESULT = /(?:dkim|spf|dmarc)[ \t]{0,40}=/i;

/** A semicolon or blanks: nothing else parts two words. */
const PARTS = /^[; \t\r\n]/;

/** Words and semicolons, without comments, quoted strings as part of their word. */
function lexed(value: string): { readonly words: string[]; readonly isWhole: boolean } {
  const found: string[] = [];
  // Another blank of Unicode parts no words: with one, a greeting of one word would become several.
  const lexeme = /"(?:[^"\\]|\\.)*"?|\\.|[();]|[ \t\r\n]+|[^ \t\r\n"();\\]+/gs;
  let word = '';
  let depth = 0;
  let isWhole = true;
  for (let match = lexeme.exec(value); match; match = lexeme.exec(value)) {
    const [text] = match;
    if (text === '(' || text === ')') {
      isWhole &&= text === '(' || depth > 0;
      depth = Math.max(0, depth + (text === '(' ? 1 : -1));
    } else if (depth > 0) {
      // A quotation mark means nothing in a comment, and must not swallow its end.
      if (text.startsWith('"')) lexeme.lastIndex = match.index + 1;
    } else if (PARTS.test(text)) {
      found.push(word, text.trim());
      word = '';
    } else {
      isWhole &&= !isHalfQuoted(text);
      word += plainWord(text);
    }
  }
  return { words: [...found, word].filter((each) => each !== ''), isWhole: isWhole && depth === 0 };
}

/** A quotation that does not end. */
const isHalfQuoted = (text: string): boolean => text.startsWith('"') && !/^"(?:[^"\\]|\\.)*"$/s.test(text);

const plainWord = (text: string): string => {
  if (text.startsWith('"'))
    return text
      .replace(/^"|"$/g, '')
      .replace(/\\(.)/gs, '$1')
      .replace(/[\s;=]/g, '_');
  return text.startsWith('\\') ? text.slice(1) : text;
};
