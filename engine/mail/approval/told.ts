import { lettersOf, type Token } from './lexer.ts';
import { pattern } from './pattern.ts';
import { CLASSES, phrasesOf } from './phrases.ts';

/**
 * What somebody only tells beside a yes: "he has asked twice", "I am with the kids". It begins a sentence or a part of one, says whom it is
 * about, and consists of words that cannot change what was asked (`who`, `tells` in `languages/phrases/`); a single other word, and it stays
 * what nobody has understood. It takes no yes from anybody, so what is left has to be one by itself: of "ok, I'm in a meeting" it is not.
 */
export function withoutTold(tokens: readonly Token[]): readonly Token[] | null {
  const letters = lettersOf(tokens);
  const left: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const [told] = (begins(letters, at) && TOLD.exec(letters.slice(at))) || [];
    const token = tokens[at];
    if (told !== undefined) at += told.length;
    else {
      if (token) left.push(token);
      at += 1;
    }
  }
  const isNoted = tokens.some((token) => token.letter === CLASSES.noted && !left.includes(token));
  const isYes = isNoted ? SAYS_MORE.test(lettersOf(left)) : saysYesItself(left);
  return left.length < tokens.length && isYes ? left : null;
}

const TOLD = pattern(
  '^ [because and filler]* (we* who | we+ (?= [excuse noted]) | recipient (?= tells) | iAm+ | excuse | noted | because) [tells noted who object filler iAm excuse recipient to we today because thus thanksMore]* (?<= [tells excuse noted] [object filler today recipient thus thanksMore who]*) (?= [comma dash dot bang] | and [yes goAhead send approve sure praise please] | [yes sure praise please thanks sorry closing noProblem] | $)',
);
/** Behind a sign, and behind a word that is a yes without it. */
const begins = (letters: string, at: number): boolean => at === 0 || BEFORE.test(letters.charAt(at - 1));
const BEFORE = pattern('[comma dash dot bang yes approve goAhead sure please thanks]');

const DECIDES = pattern('[approve goAhead send delete please]');
const ACKNOWLEDGED: ReadonlySet<string> = new Set(phrasesOf('acknowledged'));
/** "Yes, I saw that" answers whether it was seen. */
const SAYS_MORE = pattern('[approve goAhead send delete] | yes any* [sure praise] | [sure praise] any* yes');
const IS_YES = pattern('yes');

/** "Ok" may as well say that something was read. */
const saysYesItself = (tokens: readonly Token[]): boolean =>
  DECIDES.test(lettersOf(tokens)) || tokens.some(({ letter, text }) => IS_YES.test(letter) && !ACKNOWLEDGED.has(text));
