import type { Language, Wording } from '../language.ts';
import { latin } from './refused-answers/latin.ts';
import { others } from './refused-answers/others.ts';
import type { RefusedAnswerWords } from './refused-answers/words.ts';

export type { RefusedAnswerWords } from './refused-answers/words.ts';

const REFUSED_ANSWERS: Wording<RefusedAnswerWords> = { ...latin, ...others };

/** How owners answer about senders who were refused, and what they are told of it. */
export const refusedAnswerWords = (language: Language): RefusedAnswerWords => REFUSED_ANSWERS[language];
