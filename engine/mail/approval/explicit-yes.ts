import { linesOf } from './approval-answer.ts';
import { fold } from './fold.ts';
import { lexLine } from './lexer.ts';
import { CLASSES, LETTERS_OF, phrasesOf } from './phrases.ts';

const DECIDES: ReadonlySet<string> = new Set([
  CLASSES.approve,
  CLASSES.yes,
  CLASSES.yesOrThanks,
  CLASSES.goAhead,
  CLASSES.send,
  CLASSES.delete,
  CLASSES.please,
]);
const POLITE: ReadonlySet<string> = new Set([CLASSES.sure, CLASSES.praise, CLASSES.thanks, CLASSES.thanksMore]);
const ACKNOWLEDGED: ReadonlySet<string> = new Set(phrasesOf('acknowledged'));

/** "Ok", "ok parfait": every word of it may as well say that something was read. */
const onlyAcknowledges = (text: string): boolean =>
  ACKNOWLEDGED.has(text) ||
  text
    .split(' ')
    .every((word) => ACKNOWLEDGED.has(word) || (LETTERS_OF.get(word) ?? ['']).every((letter) => POLITE.has(letter)));

/**
 * Whether a word of an answer says yes and nothing but yes. "Ok, thanks" is a yes to a question that stands alone; below news it is what
 * people write who have read them (`acknowledged` in `languages/phrases/`).
 */
export const isExplicitYes = (newText: string, language: string | null): boolean =>
  linesOf(newText)
    .flatMap((line) => lexLine(line, language === null ? [] : [language]))
    .some(({ letter, text }) => DECIDES.has(letter) && text !== '' && !onlyAcknowledges(fold(text)));
