import type { ModelMessage } from '#contract';

const LEFT_OUT = '[what the thread above says in the same words is left out]';
/** More of a quote is never shown; each paragraph is looked for in the whole history. */
const MAX_LOOKED_AT = 20_000;
/** A shorter paragraph may say something else here, and costs next to nothing. */
const SHORTEST = 20;

/**
 * A quote without the paragraphs that stand word for word in the history above it: 320 of the 543 tokens of a second
 * mail were its own answer quoted back, and stored blocks are sent again with each later mail. What was altered stays.
 */
export function withoutKnown(quoted: string, history: readonly ModelMessage[]): string {
  if (history.length === 0) return quoted;
  const known = history.map((message) => ` ${bare(textOf(message))} `);
  const isKnown = (lines: readonly string[]) => {
    const words = bare(lines.join('\n'));
    return words.length >= SHORTEST && known.some((text) => text.includes(` ${words} `));
  };
  const kept: string[] = [];
  for (const lines of paragraphsOf(quoted.slice(0, MAX_LOOKED_AT))) {
    if (!isKnown(lines)) kept.push(lines.join('\n'));
    else if (kept.at(-1) !== LEFT_OUT) kept.push(LEFT_OUT);
  }
  const isAll = kept.every((paragraph) => paragraph === LEFT_OUT);
  return (isAll ? '' : kept.join('\n')) + quoted.slice(MAX_LOOKED_AT);
}

/** Divided at blank lines, and where a quote begins or ends: the line above it says who wrote it. */
function paragraphsOf(text: string): readonly (readonly string[])[] {
  const paragraphs: string[][] = [];
  let depth = -1;
  for (const line of text.split('\n')) {
    const marks = /^[ \t>]*/.exec(line)?.[0] ?? '';
    const now = marks.length === line.length ? -1 : marks.split('>').length;
    if (now !== -1 && now === depth) paragraphs.at(-1)?.push(line);
    else if (now !== -1) paragraphs.push([line]);
    depth = now;
  }
  return paragraphs;
}

/** Without marks of quotes and of Markdown, which mail programs add and take away, and on one line. */
const bare = (text: string): string => text.replace(/[\s>*_`#|~]+/g, ' ').trim();

const textOf = (message: ModelMessage): string => {
  if (message.role === 'assistant') return message.text;
  if (message.role === 'tool') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
};
