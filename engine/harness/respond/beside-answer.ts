import type { Persona } from '../../config/types.ts';
import { LANGUAGES } from '../../languages/language.ts';
import { signatureOf } from '../../languages/signature.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';

const MAX_QUOTE_CHARS = 600;

/** So much of a mail an answer to it quotes. */
export function quotedText({ new_text }: Pick<StoredMessage, 'new_text'>): string {
  const text = new_text.trim();
  return text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS).trimEnd()} …` : text;
}

/** Who answers. */
export type AnswerVoice = Pick<Persona, 'name' | 'address' | 'aliases' | 'signature'>;

/** What stands below answers beside their words, in whatever language. */
export const besideAnswers = (voice: AnswerVoice): readonly string[] => [
  ...new Set(LANGUAGES.flatMap((language) => signatureOf(voice, language))),
];
