import type { Border } from './facts.ts';
import { FASTMAIL } from './fastmail.ts';
import { GMAIL, GMX, ICLOUD, MICROSOFT, PROTON, YAHOO, ZOHO } from './providers.ts';
import { EXIM, OPENDKIM, OPENDMARC, RSPAMD } from './self-run.ts';

/** Border servers as they write Authentication-Results, from their sources, documents and mails in public archives. */
export const BORDERS: readonly Border[] = [
  RSPAMD,
  OPENDKIM,
  OPENDMARC,
  EXIM,
  MICROSOFT,
  GMAIL,
  FASTMAIL,
  ICLOUD,
  YAHOO,
  PROTON,
  ZOHO,
  GMX,
];
