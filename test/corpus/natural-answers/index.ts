import { effects } from './effects.ts';
import type { NaturalCase } from './natural-case.ts';
import { noEffect } from './no-effect.ts';
import { refused } from './refused.ts';
import { unusual } from './unusual.ts';

/**
 * Mails with answers as a good model writes them: true ones in most cases, sometimes one that says what is not so. No
 * answer is changed for its words; what was done stands below it.
 */
export const naturalAnswers: readonly NaturalCase[] = [...noEffect, ...effects, ...refused, ...unusual];
