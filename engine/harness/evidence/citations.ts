import type { Evidence } from './evidence.ts';

/**
 * An id of a call, of a result or of an artifact in brackets, in the spellings of the vendors and of our own traces.
 * It has a digit: "(call_back)" is a word.
 */
const CITED =
  /[[(](?:(?:ref|evidence|source|artifact|call|result)[: ]\s?)?((?:tr|call|toolu|fc|ev|obs|art|artifact|ref)_(?=[\w.:-]{0,99}\d)[\w.:-]{1,100}|[0-9a-f]{64})[\])]/giu;

/** Enough of an answer: nobody writes more in a mail. */
const MAX_CHARS = 40_000;

/**
 * Ids that an answer cites and that nothing has: no result of the run, and nothing that the model was shown. `isShown`
 * looks through the whole prompt, so it is asked only about ids that no result has.
 */
export function unknownIdsIn(
  text: string,
  evidence: readonly Evidence[],
  isShown: (id: string) => boolean,
): readonly string[] {
  const cited = [...text.slice(0, MAX_CHARS).matchAll(CITED)].map(([, id = '']) => id);
  return [...new Set(cited)].filter(
    (id) => !evidence.some((item) => item.id === id || item.ref === id) && !isShown(id),
  );
}
