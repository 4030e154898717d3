import type { ParsedMail } from '../mime/types.ts';
import { fold } from './fold.ts';
import { COMMAND } from './grammar.ts';
import { lettersOf, lexLine } from './lexer.ts';
import { phrasesOf } from './phrases.ts';

export type OwnerCommand = 'stop' | 'resume';

const WORDS: ReadonlyMap<string, OwnerCommand> = new Map([
  ...phrasesOf('stop').map((word) => [word, 'stop'] as const),
  ...phrasesOf('resume').map((word) => [word, 'resume'] as const),
]);

/**
 * STOP or RESUME as the first word of the subject or of the new text's first line. In capitals it may be followed
 * by anything; otherwise it must stand alone: "Stop by on Friday" is an invitation.
 */
export function readOwnerCommand({ subject, newText }: Pick<ParsedMail, 'subject' | 'newText'>): OwnerCommand | null {
  const firstLine = newText.trimStart().split('\n', 1)[0] ?? '';
  return commandIn(subject.replace(/^((re|aw|sv|fwd?)\s*:\s*)+/i, '')) ?? commandIn(firstLine);
}

function commandIn(line: string): OwnerCommand | null {
  const text = line.trim();
  const word = /^\p{L}{1,20}(?![\p{L}\p{N}])/u.exec(text)?.[0];
  const command = word === undefined ? undefined : WORDS.get(fold(word));
  if (word === undefined || command === undefined) return null;
  const isLoud = /^\p{Lu}+$/u.test(word);
  return isLoud || COMMAND.pattern.test(lettersOf(lexLine(text.slice(word.length)))) ? command : null;
}

const PRIVATE = new Set(phrasesOf('private'));
const MAX_LINE = 40;

/**
 * Whether nothing of this mail's thread is to be remembered: `private` stands alone on the first line of the new text, with
 * or without brackets, a full stop or a colon.
 */
export function isMarkedPrivate({ newText }: Pick<ParsedMail, 'newText'>): boolean {
  const line = newText.trimStart().split('\n', 1)[0]?.trim() ?? '';
  return line.length <= MAX_LINE && PRIVATE.has(fold(line.replace(/^[[(*]{0,2}/, '').replace(/[\])*:.!]{0,3}$/, '')));
}
