import { type Judged, quoted } from './claims.ts';
import type { Evidence } from './evidence.ts';
import type { Sentence } from './text.ts';

/**
 * An id of a call, of a result or of an artifact in brackets, in the spellings of the vendors and of our own traces.
 * It has a digit: "(call_back)" is a word.
 */
const CITED =
  /\s?[[(](?:(?:ref|evidence|source|artifact|call|result)[: ]\s?)?((?:tr|call|toolu|fc|ev|obs|art|artifact|ref)_(?=[\w.:-]{0,99}\d)[\w.:-]{1,100}|[0-9a-f]{64})[\])]/giu;

/**
 * Whether what an answer cites exists: among the results of the run, or anywhere in what the model was shown.
 * `isShown` is asked only about ids that no result has, because it looks through the whole prompt.
 */
export function judgeCitations(
  sentences: readonly Sentence[],
  known: { readonly evidence: readonly Evidence[]; isShown(id: string): boolean },
): readonly Judged[] {
  return sentences.flatMap((sentence) =>
    [...sentence.text.matchAll(CITED)].map((match): Judged => {
      const [whole, id = ''] = match;
      const behind = known.evidence.filter((item) => item.id === id || item.ref === id);
      const base = { kind: 'citation', claim: quoted(sentence.text) } as const;
      if (behind.some(({ ok }) => ok) || (behind.length === 0 && known.isShown(id))) {
        return { claim: { ...base, verdict: 'supported', evidence_ids: [id] } };
      }
      const failed = behind.length > 0;
      const start = sentence.start + match.index;
      return {
        claim: {
          ...base,
          verdict: 'unsupported',
          evidence_ids: behind.map((item) => item.id),
          why: `it cites ${id}, ${failed ? 'a call that failed' : 'and there is no result with that id'}`,
        },
        change: {
          at: 'place',
          start,
          end: start + whole.length,
          by: ` [unconfirmed: the source that was named here ${failed ? 'could not be read' : 'does not exist'}]`,
        },
      };
    }),
  );
}
