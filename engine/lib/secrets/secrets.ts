import { SHAPES } from './secret-shapes.ts';

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
