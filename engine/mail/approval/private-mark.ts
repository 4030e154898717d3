import type { ParsedMail } from '../mime/types.ts';
import { fold } from './fold.ts';
import { phrasesOf } from './phrases.ts';

const WORDS = new Set(phrasesOf('private'));
const MAX_LINE = 40;

/**
 * Whether nothing of this mail's thread is to be remembered: `private` stands alone on the first line of the new text, with
 * or without brackets, a full stop or a colon.
 */
export function isMarkedPrivate({ newText }: Pick<ParsedMail, 'newText'>): boolean {
  const line = newText.trimStart().split('\n', 1)[0]?.trim() ?? '';
  return line.length <= MAX_LINE && WORDS.has(fold(line.replace(/^[[(*]{0,2}/, '').replace(/[\])*:.!]{0,3}$/, '')));
}
