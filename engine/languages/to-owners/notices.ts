import type { Language, Wording } from '../language.ts';
import { type PartlyBecause, UNFINISHED } from '../to-senders/unfinished.ts';
import { de } from './notices/de.ts';
import { en } from './notices/en.ts';
import { es } from './notices/es.ts';
import { fr } from './notices/fr.ts';
import { it } from './notices/it.ts';
import { ja } from './notices/ja.ts';
import { nl } from './notices/nl.ts';
import { pl } from './notices/pl.ts';
import { pt } from './notices/pt.ts';
import { type MailCause, type NoticeWords, RUN_CAUSES, type RunCause } from './notices/words.ts';
import { zh } from './notices/zh.ts';

export type { MailCause, NoticeWords } from './notices/words.ts';

const NOTICES: Wording<NoticeWords> = { en, de, fr, es, it, nl, pt, pl, ja, zh };

/** What owners are told of what went wrong. */
export const noticeWords = (language: Language): NoticeWords => NOTICES[language];

const isCause = (code: string): code is RunCause => RUN_CAUSES.some((cause) => cause === code);

/** Codes of ends that left an answer in part, which senders are told in words, too. */
const isPartly = (code: string): code is PartlyBecause => Object.hasOwn(UNFINISHED.en.partly, code);

/**
 * A code in words; one that is not among them stands there as it is, since a guess would be worse. `partly`: of work that
 * was done in part, where the same code may mean another thing (`timeout`: of the whole work, not of one answer).
 */
export function causeOf(code: string, language: Language, { partly }: { readonly partly: boolean }): string {
  const { causes } = noticeWords(language);
  if (isPartly(code) && (partly || !isCause(code))) return UNFINISHED[language].partly[code];
  return isCause(code) && code !== 'other' ? causes[code] : `${causes.other} (${code})`;
}

const BY_STATUS: readonly (readonly [RegExp, MailCause])[] = [
  [/\.1\.(?:2|4|10)$/, 'no_domain'],
  [/\.1\.\d+$/, 'no_mailbox'],
  [/\.2\.2$/, 'full'],
  [/\.2\.1$/, 'no_mailbox'],
  [/\.(?:2|3)\.(?:3|4)$/, 'too_large'],
  [/\.4\.\d+$/, 'unreachable'],
];

/** Pure. What a status of RFC 3463 says of a mail that did not arrive; undefined where it says nothing that we know. */
export const causeOfStatus = (status: string | null): MailCause | undefined =>
  BY_STATUS.find(([pattern]) => status !== null && pattern.test(status))?.[1];
