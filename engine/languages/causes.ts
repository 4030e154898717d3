import type { Language } from './language.ts';
import { isKey, say, type Under } from './say.ts';

/**
 * A code in words; one that is not among them stands there as it is, since a guess would be worse. `partly`: of work that
 * was done in part, where the same code may mean another thing (`timeout`: of the whole work, not of one answer).
 */
export function causeOf(code: string, language: Language, { partly }: { readonly partly: boolean }): string {
  const [cause, part] = [`notices.causes.${code}`, `unfinished.partly.${code}`] as const;
  if (isKey(part) && (partly || !isKey(cause))) return say(language, part);
  return isKey(cause) && code !== 'other' ? say(language, cause) : `${say(language, 'notices.causes.other')} (${code})`;
}

type MailCause = Under<'notices.mailCauses'>;

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
