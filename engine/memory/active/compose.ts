import { hideDisguised } from '../../lib/secrets/secrets.ts';
import type { Fact } from '../../storage/types/facts.ts';

/** Of the whole file. */
const MOST_CHARACTERS = 2000;
/** What stands above is its owner's, what stands below is the gateway's. */
const KEPT_BY_HAND = '<!-- kept by hand above -->';
const HEAD =
  'Kept by the gateway: what an owner wants everybody to be told, newest first. Edits below the line above are lost.';
const BELOW = `${KEPT_BY_HAND}\n${HEAD}\n`;
/** As a resolver that puts it into a prompt is on record. */
const SHOWN_BY = /^load-file\(data\/personas\/[^/]{1,100}\/active\.md\)$/;

/** Whether a text of this resolver is that file: owners alone can say what everybody is told. */
export const isActive = (resolver: string): boolean => SHOWN_BY.test(resolver);

/** For the line that says what did not fit. */
const SPARE = 120;

interface Composed {
  /** Null: there is to be no file. */
  readonly text: string | null;
  /** Characters for lines beside what its owner wrote. */
  readonly room: number;
  /** What did not fit, in words; null: all is in it. */
  readonly error: string | null;
}

export const lineOf = ({ text, valid_from: from }: Pick<Fact, 'text' | 'valid_from'>): string =>
  `- ${hideDisguised(text).replace(/\s+/gu, ' ').trim()} (${new Date(from).toISOString().slice(0, 10)})\n`;

/** Whether these are told in so many characters. */
export const fits = (facts: readonly Pick<Fact, 'text' | 'valid_from'>[], room: number): boolean =>
  facts.reduce((sum, fact) => sum + lineOf(fact).length, 0) <= room;

export const ROOM_OF_EMPTY = MOST_CHARACTERS - BELOW.length - SPARE;

/** The file as it is to be. `before`: as it is; what its owner wrote into it stays to the byte. */
export function composeActive(before: string | null, facts: readonly Fact[]): Composed {
  const at = before?.indexOf(KEPT_BY_HAND) ?? -1;
  const hand = before === null ? '' : at === -1 ? before : before.slice(0, at);
  const above = hand === '' || hand.endsWith('\n') ? hand : `${hand}\n`;
  const room = Math.max(0, ROOM_OF_EMPTY - above.length);
  if (facts.length === 0) return { text: hand.trim() === '' ? null : hand, room, error: null };
  let left = room;
  const told = facts.filter((fact) => {
    left -= lineOf(fact).length;
    return left >= 0;
  });
  const missing = facts.length - told.length;
  const error =
    missing === 0 ? null : `${missing} more did not fit into ${MOST_CHARACTERS} characters: see memory list`;
  const lines = [...told.map(lineOf), ...(error === null ? [] : [`(${error})\n`])];
  return { text: `${above}${BELOW}${lines.join('')}`, room, error };
}
