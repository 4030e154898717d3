import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import type { Judged } from './claims.ts';

const MAX_LINES = 30;
const MAX_SHOWN = 80;

/**
 * The list under an answer that declares what it rests on: a line for each marker in its text, and for each declaration
 * that is not as it should be; empty where there is neither. The text itself stays as it is.
 */
export function sourceList(text: string, claims: readonly Judged[], language: Language): string {
  const marked = new Set(
    [...text.matchAll(/\[(\d{1,3}(?: ?, ?\d{1,3})*)\]/g)].flatMap(([, ns = '']) => ns.split(',').map(Number)),
  );
  const listed = claims
    .filter(({ n, verdict }) => marked.has(n) || (verdict !== 'supported' && verdict !== 'unchecked'))
    .slice(0, MAX_LINES);
  if (listed.length === 0) return '';
  return [
    `${say(language, 'sources.heading')}:`,
    ...listed.map((claim) => lineOf(claim, marked.has(claim.n), language)),
  ].join('\n');
}

function lineOf(claim: Judged, isMarked: boolean, language: Language): string {
  const { n, sources, limitations = [] } = claim;
  const notes = [
    ...(isMarked ? [] : [`“${short(claim.claim)}”`]),
    ...noteOf(claim, language),
    ...limitations.map(short),
  ];
  // A name beside it would say that it stands there.
  const about = sources.length > 0 && claim.verdict !== 'unchecked' ? [sources.join(', ')] : [];
  return `[${n}] ${[...about, ...notes].join(' – ')}`;
}

function noteOf({ verdict, detail }: Judged, language: Language): readonly string[] {
  switch (verdict) {
    case 'supported':
      return [];
    case 'unchecked':
      return [say(language, 'sources.unchecked')];
    case 'contradicted':
      return [
        detail ? say(language, 'sources.contradicted', { says: short(detail) }) : say(language, 'sources.unsupported'),
      ];
    case 'unsupported':
      return [say(language, 'sources.unsupported')];
    case 'drifted':
      return [say(language, 'sources.drifted')];
    case 'stale':
      return [say(language, 'sources.old', { when: detail ?? '?' })];
    case 'overstated':
      return [detail === undefined ? say(language, 'sources.lessSure') : lessOf(detail, language)];
  }
}

/** How much of it was read; null where nobody knows. */
const lessOf = (share: string | null, language: Language): string =>
  share === null ? say(language, 'sources.cut') : say(language, 'sources.cutShare', { share });

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : line;
};
