/** How much of a choice is that it fits; the rest is that it says something new. */
const LAMBDA = 0.5;

interface Choice<Found> {
  readonly one: Found;
  /** 0 to 1. */
  readonly fits: number;
  readonly words: readonly string[];
  /** Of its words that nothing chosen has, the rarer ones more. */
  news: number;
}

interface Choices<Found> {
  readonly left: Set<Choice<Found>>;
  /** By each word that nothing chosen has, the choices that have it. */
  readonly having: Map<string, Choice<Found>[]>;
  /** Of a word that so many of the choices have. */
  tellingOf(many: number): number;
}

/**
 * The best of what was found that do not say the same (maximal marginal relevance). What is new in a mail are its words
 * that nothing chosen has; a word of few of those that were found tells more than one of all. So what everybody writes
 * leaves room for what only one mail says. In the order in which they were chosen.
 */
export function chooseDiverse<Found extends { readonly score: number; readonly words: ReadonlySet<string> }>(
  found: readonly Found[],
  limit: number,
): readonly Found[] {
  const choices = choicesOf(found);
  const { left } = choices;
  const average = [...left].reduce((sum, { news }) => sum + news, 0) / Math.max(1, found.length);
  const worthOf = ({ fits, news }: Choice<Found>): number =>
    LAMBDA * fits + (1 - LAMBDA) * (news === 0 ? 0 : news / (news + average));
  const chosen: Found[] = [];
  while (chosen.length < limit && left.size > 0) {
    const next = [...left].reduce((most, choice) => (worthOf(choice) > worthOf(most) ? choice : most));
    chosen.push(next.one);
    takeOut(choices, next);
  }
  return chosen;
}

function choicesOf<Found extends { readonly score: number; readonly words: ReadonlySet<string> }>(
  found: readonly Found[],
): Choices<Found> {
  const best = found.reduce((most, { score }) => Math.max(most, score), 0);
  const left = new Set(
    found.map(
      (one): Choice<Found> => ({ one, fits: best === 0 ? 0 : one.score / best, words: [...one.words], news: 0 }),
    ),
  );
  const having = new Map<string, Choice<Found>[]>();
  const tellingOf = (many: number): number => Math.log(1 + found.length / many);
  for (const choice of left) {
    for (const word of choice.words) {
      const others = having.get(word);
      if (others) others.push(choice);
      else having.set(word, [choice]);
    }
  }
  for (const choices of having.values()) for (const choice of choices) choice.news += tellingOf(choices.length);
  return { left, having, tellingOf };
}

/** Its words are new in no other any more. */
function takeOut<Found>({ left, having, tellingOf }: Choices<Found>, chosen: Choice<Found>): void {
  left.delete(chosen);
  for (const word of chosen.words) {
    const choices = having.get(word) ?? [];
    for (const choice of choices) choice.news -= tellingOf(choices.length);
    having.delete(word);
  }
}

/** The share of the words of both that are in both. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 1 : common / all;
}
