import type { Language, Wording } from './language.ts';
import { de } from './mails/de.ts';
import { en } from './mails/en.ts';
import { es } from './mails/es.ts';
import { fr } from './mails/fr.ts';
import { it } from './mails/it.ts';
import { ja } from './mails/ja.ts';
import { nl } from './mails/nl.ts';
import { pl } from './mails/pl.ts';
import { pt } from './mails/pt.ts';
import type { MailWords } from './mails/words.ts';
import { zh } from './mails/zh.ts';

export type { MailWords } from './mails/words.ts';

const MAILS: Wording<MailWords> = { en, de, fr, es, it, nl, pt, pl, ja, zh };

/** What the mails say that the gateway writes by itself. */
export const mailWords = (language: Language): MailWords => MAILS[language];
