/** What stands where a key would stand in documentation: `YOUR_TOKEN`, `<token>`, `${TOKEN}`, `xxxx`, `***`. */
const PLACEHOLDER =
  '(?:[A-Z_]{2,40}|[Yy]our[\\w-]{0,40}|[xX]{3,40}|[*.…]{2,40}|\\$?\\{{1,2}\\w{1,40}\\}{1,2}|\\$\\w{1,40}|%\\w{1,40}%)';

/** What follows `Bearer` in prose about bonds and rules, not in a header. */
const PROSE = 'of|bonds?|shares?|cheques?|tokens?|auth\\w*|and|or|is|in|to|for|the|with|must|may|shall';

/**
 * In upper and lower case, letter by letter. Not `(?i:…)`: V8 compiles without optimisation once a process has a lot of
 * regular expressions, and such a group then found `authorization` in lower case alone (Node 24, V8 13.6).
 */
const anyCase = (words: string): string => words.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);

interface Shape {
  /** Stands in each such secret, and in few other texts. */
  readonly mark: string;
  /** Begins with a fixed mark and runs over one class of characters, so that no text makes the search slow. */
  readonly shape: string;
}

/**
 * Keys as their vendors document them (prefix, alphabet, length), besides the forms in which passwords travel: headers,
 * URLs and PEM. Alphabet and length tell a key from an article number: `sk-1044-2026` and `ASIA2026…` were hidden once.
 */
const SHAPES: readonly Shape[] = [
  // RFC 7468; one whose end was cut off is a key all the same.
  {
    mark: 'PRIVATE KEY',
    shape:
      '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]{0,8000}-----END [A-Z ]{0,30}PRIVATE KEY-----|[\\w+/=\\s]{0,8000})',
  },
  // RFC 6750, RFC 7617.
  {
    mark: anyCase('authorization'),
    shape: `\\b${anyCase('authorization')}\\s{0,5}:\\s{0,5}(?:${anyCase('basic|bearer|token')})\\s{1,5}(?!${PLACEHOLDER}(?![\\w.~+/=-]))[^\\s"'\\\\<>]+`,
  },
  {
    mark: 'earer',
    shape: `\\b[Bb]earer[ \\t]{1,5}(?!(?:${PROSE})\\b)(?!${PLACEHOLDER}(?![\\w.~+/=-]))[\\w.~+/=-]{3,}`,
  },
  // A password in a URL (RFC 3986 section 3.2.1), a database's above all. The host stays readable.
  {
    mark: '://[^\\s/?#@:]{0,100}:',
    shape: `\\b(?:[a-z]{2,12}(?:\\+[a-z]{2,8})?)://[^\\s/?#@:]{0,100}:(?!(?:password|${PLACEHOLDER})@)[^\\s/@]{1,200}@`,
  },
  // OpenAI, Anthropic, OpenRouter and Langfuse; without a second prefix one unbroken run.
  {
    mark: '\\bsk-',
    shape:
      '\\bsk-(?:(?:ant|proj|svcacct|admin|None|or|lf)-[\\w-]{6,}|(?=[A-Za-z]{0,40}\\d)[A-Za-z0-9]{10,}(?![\\w-])|[A-Za-z0-9]{20,})',
  },
  { mark: '\\b[rs]k_', shape: '\\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}' },
  { mark: 'whsec_', shape: '\\bwhsec_[A-Za-z0-9+/=]{20,}' },
  { mark: '\\bxai-', shape: '\\bxai-[A-Za-z0-9]{20,}' },
  { mark: '\\bgsk_', shape: '\\bgsk_[A-Za-z0-9]{20,}' },
  { mark: '\\bhf_', shape: '\\bhf_[A-Za-z0-9]{30,}' },
  { mark: 'AIza', shape: '\\bAIza[\\w-]{30,}' },
  { mark: 'GOCSPX', shape: '\\bGOCSPX-[\\w-]{20,}' },
  { mark: '\\bya29\\.', shape: '\\bya29\\.[\\w-]{20,}' },
  { mark: '\\bgh[pousr]_', shape: '\\bgh[pousr]_\\w{8,}' },
  { mark: 'github_pat', shape: '\\bgithub_pat_\\w{20,}' },
  { mark: '\\bgl[a-z]{2,5}-', shape: '\\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|oas|soat|agent|ffct)-[\\w-]{16,}' },
  { mark: 'npm_', shape: '\\bnpm_[A-Za-z0-9]{30,}' },
  { mark: 'pypi-', shape: '\\bpypi-[\\w-]{50,}' },
  { mark: 'dckr_', shape: '\\bdckr_(?:pat|oat)_[\\w-]{20,}' },
  // AWS: base32, twenty characters in all.
  { mark: '\\bA[KSBC][IC]A', shape: '\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\\b' },
  { mark: 'AccountKey=|SharedAccessKey=', shape: '\\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{30,}={0,2}' },
  { mark: '\\bdo[oprt]_v1_', shape: '\\bdo[oprt]_v1_[0-9a-f]{32,}' },
  { mark: 'xox|xapp-', shape: '\\b(?:xox[abeoprs]|xapp)-[\\w-]{10,}' },
  { mark: 'hooks\\.slack', shape: '\\bhooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/-]{10,}' },
  { mark: 'api/webhooks/', shape: '\\bdiscord(?:app)?\\.com/api/webhooks/\\d{5,25}/[\\w-]{20,}' },
  { mark: ':AA', shape: '\\b\\d{8,10}:AA[\\w-]{30,}' },
  { mark: '\\bSG\\.', shape: '\\bSG\\.[\\w-]{15,40}\\.[\\w-]{15,80}' },
  { mark: '\\bkey-', shape: '\\bkey-[0-9a-f]{32}\\b' },
  { mark: '\\bSK[0-9a-f]', shape: '\\bSK[0-9a-f]{32}\\b' },
  { mark: '-us\\d', shape: '\\b[0-9a-f]{32}-us\\d{1,2}\\b' },
  { mark: '\\bshp', shape: '\\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}' },
  { mark: '\\bsq0', shape: '\\bsq0[a-z]{3}-[\\w-]{20,}' },
  { mark: 'ATATT3', shape: '\\bATATT3[\\w=-]{20,}' },
  { mark: 'lin_api_', shape: '\\blin_api_[A-Za-z0-9]{30,}' },
  { mark: '\\bntn_|\\bsecret_', shape: '\\b(?:ntn|secret)_[A-Za-z0-9]{40,}' },
  { mark: '\\bdapi', shape: '\\bdapi[0-9a-f]{32}' },
  { mark: '\\bhv[bs]\\.', shape: '\\bhv[bs]\\.[\\w-]{20,}' },
  { mark: 'AGE-SECRET', shape: '\\bAGE-SECRET-KEY-1[A-Z0-9]{50,}' },
  { mark: 'PMAK-', shape: '\\bPMAK-[0-9a-f-]{40,}' },
  { mark: 'sntry', shape: '\\bsntry[su]_[\\w+/=-]{30,}' },
];

const SECRETS = new RegExp(SHAPES.map(({ shape }) => shape).join('|'), 'g');

/** What one of these begins with or contains: most texts have none, and to see that takes a third of the time. */
const HINT = new RegExp(SHAPES.map(({ mark }) => mark).join('|'));

/** No secret of a known shape is longer before it can be told from other text. */
export const LONGEST_SECRET = 9000;

/** Control and format characters, but line breaks, tabs and the joiners that emoji and Persian text are spelt with. */
export const HIDDEN = /[[\p{Cc}\p{Cf}]--[\n\r\t\u200c\u200d]]/gv;

/** Text without any character that could be hidden; most is, and to see that is cheap. */
const PLAIN = /^[\n\r\t -~]*$/;

/** A model's vendor, its later prompts and its replies are no places for keys. */
export const hideSecrets = (text: string): string =>
  hideWebTokens(HINT.test(text) ? text.replace(SECRETS, '[REDACTED]') : text);

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
