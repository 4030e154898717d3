import type { NewSection } from '../../storage/types/knowledge.ts';
import { endOfPage } from '../documents/page.ts';

/** Of characters; a longer stretch under one heading becomes several sections. */
const MAX_SECTION = 2000;
const MAX_TITLE = 200;
const HEADING = /^ {0,3}(#{1,6})[ \t]+([^\n]{1,500})/;
const FENCE = /^ {0,3}(?:`{3}|~{3})/;

/**
 * A text cut where its headings or its pages begin. Nothing of it is left out: all sections one after the other are the
 * text. `pages`: where each page, slide or sheet begins; empty where there are none, then Markdown headings count.
 */
export function sectionsOf(text: string, pages: readonly number[]): readonly NewSection[] {
  const stretches = pages.length > 0 ? byPages(text, pages) : byHeadings(text);
  return stretches.flatMap(({ title, text: stretch }) => inParts(title, stretch));
}

function byPages(text: string, starts: readonly number[]): NewSection[] {
  const before = (starts[0] ?? 0) > 0 ? [{ title: '', text: text.slice(0, starts[0]) }] : [];
  // The page's own first line says which it is, such as `[slide 3]`.
  return [...before, ...starts.map((start, at) => titled(text.slice(start, starts[at + 1])))];
}

const titled = (text: string): NewSection => ({ title: firstLine(text), text });

const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]?.slice(0, MAX_TITLE).trimEnd() ?? '';

/** The title is the path of headings: `Prices > Shipping`. What stands in a block of code is no heading. */
function byHeadings(text: string): NewSection[] {
  const found: { title: string; from: number }[] = [{ title: '', from: 0 }];
  const open: { level: number; name: string }[] = [];
  let inFence = false;
  let at = 0;
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) inFence = !inFence;
    const [, marks, name] = (inFence ? null : HEADING.exec(line)) ?? [];
    if (marks !== undefined && name !== undefined) {
      while ((open.at(-1)?.level ?? 0) >= marks.length) open.pop();
      open.push({ level: marks.length, name: bare(name) });
      found.push({ title: titleOf(open.map((heading) => heading.name)), from: at });
    }
    at += line.length + 1;
  }
  return found
    .map(({ title, from }, number) => ({ title, text: text.slice(from, found[number + 1]?.from) }))
    .filter((section) => section.text !== '');
}

const titleOf = (names: readonly string[]): string => names.join(' > ').slice(0, MAX_TITLE);

/** `## Prices ##` is also written. */
function bare(name: string): string {
  let end = name.trimEnd().length;
  while (name[end - 1] === '#') end -= 1;
  return name.slice(0, end).trim();
}

function inParts(title: string, text: string): NewSection[] {
  const parts: NewSection[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPage(text, from, MAX_SECTION);
    parts.push({ title, text: text.slice(from, to) });
    from = to;
  }
  return parts;
}
