import { namesAnotherMail } from '../mime/message-ids.ts';
import type { ParsedMail } from '../mime/types.ts';
import { isForwardSubject, isReplySubject } from '../text/subject.ts';
import { linesOf } from './approval-answer.ts';
import { lineOf, strangerIn } from './body.ts';
import { fold } from './fold.ts';
import { COMMAND } from './grammar.ts';
import { lettersOf, lexLine } from './lexer.ts';
import { phrasesOf } from './phrases.ts';

export type OwnerCommand = 'stop' | 'resume';

const WORDS: ReadonlyMap<string, OwnerCommand> = new Map([
  ...phrasesOf('stop').map((word) => [word, 'stop'] as const),
  ...phrasesOf('resume').map((word) => [word, 'resume'] as const),
]);

type Written = Pick<ParsedMail, 'subject' | 'headers' | 'forwardedText' | 'pieces'> & {
  readonly attachments: readonly { readonly type: string }[];
};

/**
 * STOP or RESUME as the whole subject, where this mail began it, or as the first word of the first line that was written.
 * The subject of an answer, of what was handed on, or of a meeting that was made of a mail is as a rule somebody else's. In capitals STOP may be followed by
 * anything on that line; otherwise the word must stand alone: "Stop by on Friday" is an invitation.
 */
export function readOwnerCommand(mail: Written): OwnerCommand | null {
  return (beginsItsSubject(mail) ? inSubject(mail) : null) ?? commandIn(firstLine(mail), true);
}

const beginsItsSubject = ({ subject, headers, attachments }: Written): boolean =>
  !namesAnotherMail(headers) &&
  !isReplySubject(subject) &&
  !isForwardSubject(subject) &&
  !attachments.some(({ type }) => type === 'text/calendar');

/** Above what was handed on, RESUME may be its subject; STOP may be, too, but what stops too much is set right by one word. */
function inSubject({ subject, forwardedText }: Written): OwnerCommand | null {
  const command = commandIn(subject, false);
  return command === 'resume' && forwardedText !== '' ? null : command;
}

const firstLine = ({ pieces }: Pick<ParsedMail, 'pieces'>): string =>
  pieces
    .find(({ kind }) => kind === 'written')
    ?.text.trimStart()
    .split('\n', 1)[0] ?? '';

function commandIn(line: string, mayGoOn: boolean): OwnerCommand | null {
  const text = line.trim();
  const word = /^\p{L}{1,20}(?![\p{L}\p{N}])/u.exec(text)?.[0];
  const command = word === undefined ? undefined : WORDS.get(fold(word));
  if (word === undefined || command === undefined) return null;
  // A loud RESUME is none: what went on too soon cannot be taken back.
  const isLoud = mayGoOn && command === 'stop' && /^\p{Lu}+$/u.test(word);
  return isLoud || COMMAND.pattern.test(lettersOf(lexLine(text.slice(word.length)))) ? command : null;
}

/**
 * What a mail that says RESUME says beside it: the first such line; null where there is none. `typed`: its typed words.
 */
export function besideCommand(typed: string): string | null {
  const lines = linesOf(typed).flatMap((line, index) => lineOf(line, index) ?? []);
  const [first] = lines;
  const said = first && commandIn(first.text, false) !== null ? lines.slice(1) : lines;
  return strangerIn(said, 'signature')?.text ?? null;
}

const PRIVATE = new Set(phrasesOf('private'));
const MAX_LINE = 40;

/**
 * Whether nothing of this mail's thread is to be remembered: `private` stands alone on the first line of the new text, with
 * or without brackets, a full stop or a colon.
 */
export function isMarkedPrivate({ newText }: Pick<ParsedMail, 'newText'>): boolean {
  return isPrivateMark(newText.trimStart().split('\n', 1)[0] ?? '');
}

/** A line that says so where it is the first. */
const isPrivateMark = (given: string): boolean => PRIVATE.has(markIn(given));

/** A line without what people put around a mark; empty where it is too long for one. */
function markIn(given: string): string {
  const line = given.trim();
  return line.length <= MAX_LINE ? fold(line.replace(/^[[(*]{0,2}/, '').replace(/[\])*:.!。！]{0,3}$/, '')) : '';
}

const TAKE = new Set(phrasesOf('take'));
const GIVE = new Set(phrasesOf('give'));

/**
 * Whether somebody says with the first line of their words, which says nothing else, that they answer in this thread from now on
 * (`take`), or that the persona does again (`give`).
 */
export function readWhoAnswers(mail: Pick<ParsedMail, 'pieces'>): 'take' | 'give' | null {
  const mark = markIn(firstLine(mail));
  return TAKE.has(mark) ? 'take' : GIVE.has(mark) ? 'give' : null;
}
