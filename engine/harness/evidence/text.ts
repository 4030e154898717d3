/** A stretch of a text, with its place in it. */
export interface Sentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Enough of an answer to judge it; nobody writes more in a mail, and a model that does is not worth the time. */
const MAX_CHARS = 40_000;
const MAX_SENTENCES = 600;

const FENCE = /^\s{0,3}(?:```|~~~)/;
const QUOTE = /^\s{0,3}>/;
/** A line that begins something of its own: a list item, a heading, a row of a table. */
const OWN_LINE = /^\s*(?:[-*+•]\s|\d{1,3}[.)]\s|#{1,6}\s|\|)/;
const MARKER = /^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|\|\s*)/;
/** A full stop inside a name, an address or a number ends nothing. */
const SENTENCE_END = /(?<![.!?…])[.!?…]+["”»')\]*_]*(?=\s|$)|[。！？]["」』]?/gu;

/** What an answer says in its own words: no code, no quotes, sentence by sentence, list markers left out. */
export function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (const block of blocksOf(text.slice(0, MAX_CHARS))) {
    const skip = MARKER.exec(block.text)?.[0].length ?? 0;
    for (const { text: said, at } of divided(block.text, skip)) {
      const start = block.start + at;
      sentences.push({ text: said, start, end: start + said.length });
      if (sentences.length === MAX_SENTENCES) return sentences;
    }
  }
  return sentences;
}

/** What stands between the ends of sentences, from `at` on. Each end is looked for once, however the text goes on. */
function divided(text: string, at: number): readonly { text: string; at: number }[] {
  const ends = [...text.slice(at).matchAll(SENTENCE_END)].map((match) => at + match.index + match[0].length);
  let from = at;
  return [...ends, text.length].flatMap((end) => {
    const said = text.slice(from, end);
    const start = end - said.trimStart().length;
    from = end;
    return said.trim() === '' ? [] : [{ text: said.trim(), at: start }];
  });
}

/** Lines that belong together: hard-wrapped text is one block, so that a sentence is never judged by half. */
function blocksOf(text: string): readonly { text: string; start: number }[] {
  const blocks: { text: string; start: number }[] = [];
  let open: { text: string; start: number } | null = null;
  let fenced = false;
  let at = 0;
  for (const line of text.split('\n')) {
    const start = at;
    at += line.length + 1;
    if (FENCE.test(line)) fenced = !fenced;
    if (fenced || FENCE.test(line) || QUOTE.test(line) || line.trim() === '') open = null;
    else if (open !== null && !OWN_LINE.test(line)) open.text += `\n${line}`;
    else {
      open = { text: line, start };
      blocks.push(open);
    }
  }
  return blocks;
}

/** Where words stand in quotation marks (none runs over the beginning of another) they are somebody else's; blanked out, so that places stay the same. */
const QUOTED =
  /"[^"\n]{1,2000}"|“[^“”]{1,2000}”|„[^„“”]{1,2000}[“”]|«[^«»]{1,2000}»|「[^「」]{1,2000}」|`[^`\n]{1,2000}`/gu;

/** A sentence in one spelling, for matching: lower case, plain apostrophes, single spaces, quotations left out. */
export const plain = (text: string): string =>
  text
    .replace(QUOTED, (quoted) => ' '.repeat(quoted.length))
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’‘ʼ´`]/g, "'")
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?=\s|$|\p{P})/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Letters of scripts that set words apart by spaces; next to any other script a word needs no edge. */
const EDGE = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Arabic}\\p{Script=Hebrew}\\p{N}]';

/** Alternatives, written over several lines, as one pattern that begins and ends at the edge of a word. */
export const anyOf = (words: string, flags = 'u'): RegExp =>
  new RegExp(`(?<!${EDGE})(?:${unfold(words)})(?!${EDGE})`, flags);

/** The same at the beginning of what is said. */
export const startsWithAny = (words: string, after = `(?!${EDGE})`): RegExp =>
  new RegExp(`^(?:${unfold(words)})${after}`, 'u');
/** And at its end, before its full stop. */
export const endsWithAny = (words: string): RegExp =>
  new RegExp(`(?<!${EDGE})(?:${unfold(words)})[\\s.!?。！？…]*$`, 'u');

/** As the whole last clause of what is said. */
export const lastClause = (words: string): RegExp =>
  new RegExp(
    `(?:^|[，；：]|[,;:–—-] |(?:^| )(?:${AND}) | (?=(?:without|ohne|sans|sin|senza|sem) ))(?:${unfold(words)})[.!…。！]*$`,
    'u',
  );

const AND = 'and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|ale|och|men|og|и|но';

/** Lines become one; behind a sign that begins an alternative without a blank. */
const unfold = (words: string): string =>
  words
    .split('\n')
    .map((line) => line.trim())
    .reduce((all, line) => (/[|(]$/.test(all) ? all + line : `${all} ${line}`));
