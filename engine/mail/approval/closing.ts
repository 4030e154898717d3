import { isFooter } from '../text/phrases.ts';
import { lettersOf, type Token } from './lexer.ts';

const MAX_SIGNATURE_LINE = 200;
const DISCLAIMER =
  /^[\s*_]*(?:confidential|disclaimer|legal notice|important notice|privileged|(?:this|the) (?:(?:content|information) .{0,40})?(?:e-?mail|message|communication|transmission)\b.{0,80}\b(?:confidential|intended|privileged)|the (?:information|contents?) (?:contained )?(?:in|of) this|please consider the environment|(?:please )?think before you print|diese (?:e-?mail|nachricht)\b.{0,80}\bvertraulich|der inhalt dieser e-?mail|ce (?:message|courriel|mail)\b.{0,80}\bconfidenti|este (?:correo|mensaje|e-?mail)\b.{0,80}\bconfidenci|questo messaggio\b.{0,80}\b(?:riservat|confidenzial)|dit (?:bericht|e-?mail)\b.{0,80}\bvertrouwelijk|esta mensagem\b.{0,80}\bconfidenci)/iu;
/** What comes after everything else and still counts. */
const POSTSCRIPT = /^[\s*_]*p\.?\s?p?\.?s\b[\s.:,-]/iu;
const PICTURE = /\[(?:image|cid|bild|logo)\b[^\]]{0,200}\]/giu;

export type Closing =
  /** The name and what follows it: signatureFits says what may stand there. */
  | 'signature'
  /** A footer of lawyers: nothing below it is an answer any more. */
  | 'end'
  | null;

export const isPostscript = (line: string): boolean => POSTSCRIPT.test(line);

/** What a line that says nothing about the items begins. `thanked`: courtesy went before, so that a name may be bare. */
export function closingOf(line: string, tokens: readonly Token[], thanked: boolean): Closing {
  const letters = lettersOf(tokens);
  if (DISCLAIMER.test(line)) return 'end';
  if (isFooter(line)) return 'signature';
  if (/^(?:Tt*[,C]?)*v(?:[,.!-]*(?:v|M{1,4}))*[,.!E]*$/.test(letters)) return 'signature';
  if (/^-*(?:M[,.]?){1,4}$/.test(letters) && line.length <= 60) return 'signature';
  return thanked && signatureFits(line, tokens) ? 'signature' : null;
}

const MEANS_SOMETHING = /[AJDwqQZHFeK?]/;

/**
 * Whether a line can stand in a signature below an approval: names, titles, addresses. A sentence cannot, nor a word
 * that could take the approval back: what is written below a name is read by people too.
 */
export function signatureFits(line: string, tokens: readonly Token[]): boolean {
  if (line.length > MAX_SIGNATURE_LINE || isPostscript(line)) return false;
  const letters = lettersOf(tokens.filter(({ start }) => !inPicture(line, start)));
  if (MEANS_SOMETHING.test(letters)) return false;
  const lowerCase = tokens.filter(({ letter, text }) => letter === 'X' && /\p{Ll}/u.test(text)).length;
  const shown = letters.replace(/[XaCROPStTGvgkI]/g, '');
  return lowerCase <= (shown === '' ? 1 : 2);
}

const inPicture = (line: string, at: number): boolean =>
  [...line.matchAll(PICTURE)].some((match) => at >= match.index && at < match.index + match[0].length);

/** "Hi Ada," or "Ada," before the answer: how many tokens it takes; 0 when there is none. */
export function greetingLength(tokens: readonly Token[]): number {
  const letters = lettersOf(tokens);
  return /^gg?[MXLG]{0,4}(?:[-,.!:]+|$)/.exec(letters)?.[0].length ?? (/^M{1,3},$/.test(letters) ? letters.length : 0);
}
