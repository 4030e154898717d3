const MAX_COMPARED = 100_000;
const LINK = /\bhttps?:\/\/[^\s<>[\]()]+|\[image: [^[\]]{0,110}\]/giu;
const WORD = /[\p{L}\p{N}]{2,}/gu;

function wordsOf(text: string): Set<string> {
  return new Set(text.slice(0, MAX_COMPARED).replace(LINK, ' ').toLowerCase().match(WORD) ?? []);
}

/**
 * Whether the plain text tells something else than the HTML. A few words of difference are normal (footers, pictures'
 * texts); a sentence that only one of them has is not, and is a known way to speak to a machine behind a person's back.
 */
export function versionsDiffer(plain: string, html: string): boolean {
  const inPlain = wordsOf(plain);
  const inHtml = wordsOf(html);
  const onlyPlain = [...inPlain].filter((word) => !inHtml.has(word)).length;
  const onlyHtml = [...inHtml].filter((word) => !inPlain.has(word)).length;
  return isMuch(onlyPlain, inPlain.size, 0.1) || isMuch(onlyHtml, inHtml.size, 0.3);
}

/** What a mail says of itself where that is so. */
export const VERSIONS_DIFFER = 'The plain text and the HTML of this mail say different things; the HTML was read.';

const isMuch = (count: number, of: number, share: number): boolean => count >= 3 && (count > of * share || count >= 12);

/** The same words in the same order, whatever stands between them. */
export function sameWords(left: string, right: string): boolean {
  const flat = (text: string) => (text.replace(LINK, ' ').toLowerCase().match(WORD) ?? []).join(' ');
  return flat(left) === flat(right);
}

/** Letters and digits alone. */
export const lettersIn = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** Whether the words of one text stand in another in their order, and are no parts of longer ones. A text without words does. */
export const holdsWords = (text: string, words: string): boolean => apart(text).includes(apart(words));

/** Words that versions of one mail write each in their way: where a link goes, a short name of a picture, the sign of a list. */
const TARGET = /\[(?:https?:|mailto:|tel:)[^\s[\]]*\]|<(?:https?:|mailto:|tel:)[^\s<>]*>/giu;
const ADDRESS = /\b(?:https?:\/\/|mailto:|tel:)[^\s<>[\]()]+/giu;
const PICTURE = /\[image: (?:[^\s[\]]+ ){0,2}[^\s[\]]+\]|\[cid:[^\s[\]]*\]/giu;
const NOTE = /\[may be hidden: |~~/g;
const ITEM = /^[\s>]*(?:[-*+•·o]|[\p{L}\p{N}]{1,4}[.)])\s+/u;

/** Whether words of a text are struck out, or may be seen by nobody: who wrote them may not mean them. */
export const isNoted = (text: string): boolean => text.includes('~~') || text.includes('[may be hidden: ');

const withoutTargets = (text: string): string => text.replace(NOTE, '').replace(TARGET, ' ');
const bare = (text: string): string => withoutTargets(text).replace(PICTURE, ' ').replace(ADDRESS, ' ');

/**
 * Whether the words of a line of the HTML stand in the plain text of the same mail. One that holds nothing but a picture or a
 * target has to stand there whole: somebody else may have named it.
 */
export function heldByPlain(plain: string): (line: string) => boolean {
  const whole = apart(plain);
  const told = apart(withoutTargets(plain));
  const short = apart(bare(plain));
  const stands = (text: string, line: string): boolean => {
    const words = apart(line);
    return words !== '' && text.includes(words);
  };
  return (line) => {
    if (apart(line) === '' || stands(whole, line) || stands(told, withoutTargets(line))) return true;
    const words = bare(line);
    return stands(short, words) || stands(short, words.replace(ITEM, ''));
  };
}

const apart = (text: string): string => ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `.replace(/^ +$/, '');
