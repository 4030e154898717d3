import type { Clue } from '../../search/windows.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { type Extent, mailsHaving } from './having-words.ts';

/** A word that stands in more mails than this tells too little for what it costs, where there are others. */
export const COMMON = 300;
/** Of these, 5 MB at the most. */
const MAX_KNOWN = 2000;

/** A word and the mails that have it. */
export interface KnownWord {
  /** In how many, when it was last looked for, which was when this was the newest one. */
  readonly mails: number;
  readonly last: number;
  /** The newest of them, whoever may see them. */
  readonly seqs: readonly number[];
}

/** Which mails have the words that were looked for, kept at hand: to find them again is what costs most. */
export interface KnownWords {
  /** Of each clue, in how many mails it is, and the newest of these; of words that are known to be common, as it was. */
  of(db: Reader, clues: readonly Clue[], extent: Extent): Promise<ReadonlyMap<Clue, KnownWord>>;
}

export function knownWords(): KnownWords {
  const words = new Map<string, KnownWord>();
  const seen = { state: '' };
  const keep = (clue: Clue, word: KnownWord): void => {
    if (words.size >= MAX_KNOWN) words.clear();
    words.set(clue.expression, word);
  };
  return {
    async of(db, clues, extent) {
      const state = JSON.stringify([extent.first, extent.version, extent.hidden]);
      // Other mails than newer ones came into it or were taken out.
      if (state !== seen.state) words.clear();
      seen.state = state;
      const counts = new Map<Clue, KnownWord>();
      const asked: Clue[] = [];
      for (const clue of clues) {
        const known = words.get(clue.expression);
        if (known && isFresh(known, extent.last)) counts.set(clue, known);
        else asked.push(clue);
      }
      const before = (clue: Clue) => words.get(clue.expression);
      for (const [clue, word] of await lookedUp(db, asked, { before, extent })) {
        counts.set(clue, word);
        keep(clue, word);
      }
      return counts;
    },
  };
}

/** The mails of words anew, and of those that were known before only the newer ones. */
async function lookedUp(
  db: Reader,
  clues: readonly Clue[],
  { before, extent }: { before(clue: Clue): KnownWord | undefined; extent: Extent },
): Promise<readonly (readonly [Clue, KnownWord])[]> {
  const limit = COMMON + 1;
  const anew = await mailsHaving(
    db,
    clues.filter((clue) => !before(clue)),
    { limit, after: -1 },
  );
  const known = clues.flatMap((clue) => {
    const word = before(clue);
    return word ? [{ clue, word }] : [];
  });
  const newer = await mailsHaving(
    db,
    known.map(({ clue }) => clue),
    { limit, after: Math.min(...known.map(({ word }) => word.last)) },
  );
  const further = known.map(({ clue, word }) => {
    // The index may have grown between the look at its extent and the look for the word.
    const newest = Math.max(word.last, word.seqs[0] ?? -1);
    const seqs = [...(newer.get(clue) ?? []).filter((seq) => seq > newest), ...word.seqs].slice(0, limit);
    return [clue, wordOf(seqs, extent)] as const;
  });
  return [...[...anew].map(([clue, seqs]) => [clue, wordOf(seqs, extent)] as const), ...further];
}

function wordOf(seqs: readonly number[], { first, last }: Extent): KnownWord {
  const mails = last - first + 1;
  // As often as in the newest mails, in all of them.
  const many = seqs.length > COMMON ? Math.round((seqs.length * mails) / (last - (seqs.at(-1) ?? 0) + 1)) : seqs.length;
  return { mails: many, last, seqs };
}

/** A common word until a fourth of the newest mails that have it are others; any other until there are newer mails. */
const isFresh = ({ last: then, seqs }: KnownWord, last: number): boolean =>
  then === last || (seqs.length > COMMON && (last - then) * 3 < then - (seqs.at(-1) ?? 0));
