import { DESKTOP } from './desktop.ts';
import { PHONES } from './phones.ts';
import type { Program } from './program.ts';
import { REGIONAL } from './regional.ts';
import { WEBMAIL } from './webmail.ts';

export const PROGRAMS: readonly Program[] = [...WEBMAIL, ...PHONES, ...DESKTOP, ...REGIONAL];

/** Those that people of a language use. */
export const programsOf = (language: string): readonly Program[] =>
  PROGRAMS.filter(({ languages }) => languages === undefined || languages.includes(language));

/** Those that are known for one language or a few: rare among all, and as many people write with them. */
export const isRegional = ({ languages }: Program): boolean => languages !== undefined;
