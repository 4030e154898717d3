/** What follows `Bearer` in prose about bonds and rules, not in a header. */
const PROSE = 'of|bonds?|shares?|cheques?|tokens?|auth\\w*|and|or|is|in|to|for|the|with|must|may|shall';

/**
 * Shapes of keys as they stand in mails, files, pages and logs. Each begins with a fixed mark and runs over one class
 * of characters, so that no text makes the search slow. A private key whose end was cut off is one all the same.
 */
const SHAPES: readonly string[] = [
  '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]{0,8000}-----END [A-Z ]{0,30}PRIVATE KEY-----|[\\w+/=\\s]{0,8000})',
  '\\b(?i:authorization\\s{0,5}:\\s{0,5}(?:basic|bearer|token))\\s{1,5}[^\\s"\'\\\\<>]+',
  `\\b[Bb]earer[ \\t]{1,5}(?!(?:${PROSE})\\b)[\\w.~+/=-]{3,}`,
  '\\bsk-(?=[\\w-]*\\d)[\\w-]{8,}|\\bsk-[\\w-]{20,}',
  '\\bgh[pousr]_\\w{8,}|\\bgithub_pat_\\w{20,}',
  '\\b(?:AKIA|ASIA)[0-9A-Z]{12,}',
  '\\bxox[abeprs]-[\\w-]{10,}',
  '\\bAIza[\\w-]{30,}',
  '\\beyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]*',
];
const SECRETS = new RegExp(SHAPES.join('|'), 'g');

/** What one of these begins with or contains: most texts have none, and to see that takes a third of the time. */
const HINT = /PRIVATE KEY|(?i:authorization)|earer|\bsk-|\bgh[pousr]_|github_pat|AKIA|ASIA|xox|AIza|eyJ/;

/** No secret of a known shape is longer before it can be told from other text. */
export const LONGEST_SECRET = 9000;

/** Control and format characters, but line breaks, tabs and the joiners that emoji and Persian text are spelt with. */
export const HIDDEN = /[[\p{Cc}\p{Cf}]--[\n\r\t\u200c\u200d]]/gv;

/** Text without any character that could be hidden; most is, and to see that is cheap. */
const PLAIN = /^[\n\r\t -~]*$/;

/** A model's vendor, its later prompts and its replies are no places for keys. */
export const hideSecrets = (text: string): string => (HINT.test(text) ? text.replace(SECRETS, '[REDACTED]') : text);

/** The same where hidden characters may stand inside a key; a text without keys comes back as it was. */
export function hideDisguised(text: string): string {
  if (PLAIN.test(text)) return hideSecrets(text);
  const plain = text.replace(HIDDEN, '');
  const open = hideSecrets(plain);
  return open === plain ? text : open;
}
