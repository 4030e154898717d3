import { folded } from './fold.ts';
import type { Term } from './terms.ts';

const SNIPPET = 300;
/** Characters of the text before the first hit. */
const BEFORE = 60;
const MAX_READ = 200_000;
const MAX_HITS = 200;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

interface Hit {
  readonly at: number;
  readonly terms: readonly number[];
}

/**
 * About 300 characters, or `most`, of the first text that has one of the terms, around where most of them stand together; the
 * beginning of the first text where none has any. On one line.
 */
export function snippetOf(texts: readonly string[], terms: readonly Term[], most = SNIPPET): string {
  for (const text of texts) {
    const hits = hitsIn(text.slice(0, MAX_READ), terms);
    if (hits.length > 0) return pieceOf(text, around(text, densest(hits, most), most));
  }
  const first = texts.find((text) => text.trim() !== '') ?? '';
  return pieceOf(first, around(first, 0, most));
}

/** A piece of a text, in characters. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

/** The piece of one text that `snippetOf` would show; all of a text that is short enough. */
export function extentOf(text: string, terms: readonly Term[], most: number): Extent {
  if (text.length <= most) return { from: 0, to: text.length };
  const hits = hitsIn(text.slice(0, MAX_READ), terms);
  return around(text, hits.length > 0 ? densest(hits, most) : 0, most);
}

/** All white space but a single space, which most of it is. */
const NOT_ONE_SPACE = /[^\S ]\s*| \s+/g;

/** On one line, and whether more stands before or behind it. */
export function pieceOf(text: string, { from, to }: Extent): string {
  const line = text.slice(from, to).replace(NOT_ONE_SPACE, ' ').trim().toWellFormed();
  return `${from > 0 ? '…' : ''}${line}${to < text.length ? '…' : ''}`;
}

function hitsIn(text: string, terms: readonly Term[]): Hit[] {
  const hits: Hit[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const one = folded(word);
    const found = terms.flatMap((term, n) => (term.matches(one) ? [n] : []));
    if (found.length > 0) hits.push({ at: index, terms: found });
    if (hits.length >= MAX_HITS) break;
  }
  return hits;
}

function densest(hits: readonly Hit[], most: number): number {
  const inReach = ({ at }: Hit) => hits.filter((hit) => hit.at >= at && hit.at < at + most - BEFORE);
  const counted = hits.map((hit) => ({ at: hit.at, many: new Set(inReach(hit).flatMap(({ terms }) => terms)).size }));
  return counted.reduce((best, one) => (one.many > best.many ? one : best)).at;
}

function around(text: string, at: number, most: number): Extent {
  const early = Math.max(0, at - BEFORE);
  // No word is cut in two, where there are spaces.
  const space = early === 0 ? -1 : text.slice(early, at).search(/\s/);
  const from = early === 0 ? 0 : space < 0 ? early : early + space;
  return { from, to: Math.min(text.length, from + most) };
}
