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
export const hideSecrets = (text: string): string =>
  HINT.test(text) ? hideWebTokens(text.replace(SECRETS, '[REDACTED]')) : text;

/**
 * A JSON web token: three runs with dots between them, of which two begin with `eyJ`. Looked for from the beginning of
 * each run alone: from each `eyJ` of one long run to its end, 199 kB of them took thirteen seconds.
 */
const THREE_RUNS = /(?<![\w-])([\w-]{13,}\.)eyJ[\w-]{10,}\.[\w-]*/g;
const FIRST_RUN = /\beyJ/;
const SHORTEST_FIRST = 'eyJ'.length + 10 + '.'.length;

function hideWebTokens(text: string): string {
  if (!text.includes('.eyJ')) return text;
  const out: string[] = [];
  let end = 0;
  THREE_RUNS.lastIndex = 0;
  for (let found = THREE_RUNS.exec(text); found; found = THREE_RUNS.exec(text)) {
    const [whole, first = ''] = found;
    const start = first.search(FIRST_RUN);
    // The second run may be the first of a token itself.
    if (start < 0 || first.length - start < SHORTEST_FIRST) THREE_RUNS.lastIndex = found.index + first.length;
    else {
      out.push(text.slice(end, found.index + start), '[REDACTED]');
      end = found.index + whole.length;
    }
  }
  return out.join('') + text.slice(end);
}

/** The same where hidden characters may stand inside a key; a text without keys comes back as it was. */
export function hideDisguised(text: string): string {
  if (PLAIN.test(text)) return hideSecrets(text);
  const plain = text.replace(HIDDEN, '');
  const open = hideSecrets(plain);
  return open === plain ? text : open;
}
