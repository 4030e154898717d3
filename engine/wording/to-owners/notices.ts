import type { Language, Wording } from '../language.ts';
import { de } from './notices/de.ts';
import { en } from './notices/en.ts';
import { es } from './notices/es.ts';
import { fr } from './notices/fr.ts';
import { it } from './notices/it.ts';
import { ja } from './notices/ja.ts';
import { nl } from './notices/nl.ts';
import { pl } from './notices/pl.ts';
import { pt } from './notices/pt.ts';
import { type NoticeWords, RUN_CAUSES, type RunCause } from './notices/words.ts';
import { zh } from './notices/zh.ts';

export type { MailCause, NoticeWords } from './notices/words.ts';

const NOTICES: Wording<NoticeWords> = { en, de, fr, es, it, nl, pt, pl, ja, zh };

/** What owners are told of what went wrong. */
export const noticeWords = (language: Language): NoticeWords => NOTICES[language];

const isCause = (code: string): code is RunCause => RUN_CAUSES.some((cause) => cause === code);

/** A code in words; one that is not among them stands there as it is, since a guess would be worse. */
export function causeOf(code: string, language: Language): string {
  const { causes } = noticeWords(language);
  return isCause(code) && code !== 'other' ? causes[code] : `${causes.other} (${code})`;
}
