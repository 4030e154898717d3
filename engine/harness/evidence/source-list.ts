import type { Language } from '../../languages/language.ts';
import { SOURCE_WORDS, type SourceWords } from '../../languages/to-senders/sources.ts';
import type { Judged } from './claims.ts';

const MAX_LINES = 30;
const MAX_SHOWN = 80;

/**
 * The list under an answer that declares what it rests on: a line for each marker in its text, and for each declaration
 * that is not as it should be; empty where there is neither. The text itself stays as it is.
 */
export function sourceList(text: string, claims: readonly Judged[], language: Language): string {
  const words = SOURCE_WORDS[language];
  const marked = new Set(
    [...text.matchAll(/\[(\d{1,3}(?: ?, ?\d{1,3})*)\]/g)].flatMap(([, ns = '']) => ns.split(',').map(Number)),
  );
  const listed = claims
    .filter(({ n, verdict }) => marked.has(n) || (verdict !== 'supported' && verdict !== 'unchecked'))
    .slice(0, MAX_LINES);
  if (listed.length === 0) return '';
  return [`${words.heading}:`, ...listed.map((claim) => lineOf(claim, marked.has(claim.n), words))].join('\n');
}

function lineOf(claim: Judged, isMarked: boolean, words: SourceWords): string {
  const { n, sources, limitations = [] } = claim;
  const notes = [...(isMarked ? [] : [`“${short(claim.claim)}”`]), ...noteOf(claim, words), ...limitations.map(short)];
  // A name beside it would say that it stands there.
  const about = sources.length > 0 && claim.verdict !== 'unchecked' ? [sources.join(', ')] : [];
  return `[${n}] ${[...about, ...notes].join(' – ')}`;
}

function noteOf({ verdict, detail }: Judged, words: SourceWords): readonly string[] {
  switch (verdict) {
    case 'supported':
      return [];
    case 'unchecked':
      return [words.unchecked];
    case 'contradicted':
      return [detail ? words.contradicted(short(detail)) : words.unsupported];
    case 'unsupported':
      return [words.unsupported];
    case 'drifted':
      return [words.drifted];
    case 'stale':
      return [words.old(detail ?? '?')];
    case 'overstated':
      return [detail === undefined ? words.lessSure : words.cut(detail)];
  }
}

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : line;
};
