import type { Persona } from '../config/types.ts';
import type { Language } from './language.ts';
import { say } from './say.ts';

/** The lines below `-- `. Whoever reads a mail should know that no person wrote it, unless an owner words it otherwise. */
export const signatureOf = (persona: Pick<Persona, 'name' | 'signature'>, language: Language): readonly string[] =>
  persona.signature === null ? [persona.name, say(language, 'mails.assistant')] : persona.signature.split('\n');
