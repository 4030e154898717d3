import type { Language, Wording } from '../language.ts';
import { latin } from './clarify/latin.ts';
import { others } from './clarify/others.ts';
import type { ClarifyWords } from './clarify/words.ts';

export type { ClarifyWords } from './clarify/words.ts';

const CLARIFY: Wording<ClarifyWords> = { ...latin, ...others };

/** What is said about an owner's answer that could not be acted on, or that came when all was decided. */
export const clarifyWords = (language: Language): ClarifyWords => CLARIFY[language];
