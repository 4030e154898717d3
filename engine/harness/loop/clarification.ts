const MAX_CHARS = 1500;
const QUESTION_MARK = /[?？؟]/;
const ENDS_AS_QUESTION = /[?？؟]["'”’»)\]*_]*$/;
const ENDS_A_SENTENCE = /[.!?。！？؟:…]["'”’»)\]*_]*$/;
const LIST_ITEM = /^([-*•–]|\(?[\da-zA-Z]{1,2}[.)])\s/;

/**
 * Whether an answer does nothing but ask its reader something. Judged by form alone, so that it holds in every
 * language and needs no second model: apart from lines that are no sentences (greeting, signature) and the choices
 * listed below a question, it ends with a question, and all of it is questions. One sentence before the question
 * ("I can help with that.") may lead in where no tool has given a result yet and it is shorter than the questions:
 * what was found is an answer. A run that has changed something never just asks: what it did has to be told.
 */
export function onlyAsks(text: string, run: { readonly anySucceeded: boolean; readonly anyChanged: boolean }): boolean {
  if (run.anyChanged || text.length > MAX_CHARS || !QUESTION_MARK.test(text)) return false;
  const sentences = sentencesOf(text);
  const asked = sentences.filter((sentence) => ENDS_AS_QUESTION.test(sentence));
  const said = sentences.filter((sentence) => !ENDS_AS_QUESTION.test(sentence));
  if (asked.length === 0 || !ENDS_AS_QUESTION.test(sentences.at(-1) ?? '')) return false;
  if (said.length === 0) return true;
  return !run.anySucceeded && said.length === 1 && lengthOf(said) < lengthOf(asked);
}

const lengthOf = (sentences: readonly string[]): number =>
  sentences.reduce((sum, sentence) => sum + sentence.length, 0);

/** Lines of one paragraph belong together, so that a sentence may be wrapped. */
function sentencesOf(text: string): readonly string[] {
  const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
  const paragraphs = text
    .split(/\n\s*\n/)
    .flatMap(withoutChoices)
    .filter((paragraph) => ENDS_A_SENTENCE.test(paragraph) || paragraph.length > 60);
  return paragraphs.flatMap((paragraph) =>
    [...segmenter.segment(paragraph)].map(({ segment }) => segment.trim()).filter((segment) => /\p{L}/u.test(segment)),
  );
}

/** A paragraph without the list below its question; a list by itself is nothing that was said. */
function withoutChoices(paragraph: string): readonly string[] {
  const lines = paragraph.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => LIST_ITEM.test(line));
  const head = (first < 0 ? lines : lines.slice(0, first)).join(' ').trim();
  return head === '' ? [] : [head];
}
