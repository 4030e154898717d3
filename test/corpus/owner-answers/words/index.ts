import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { sv } from './sv.ts';
import type { Words } from './words.ts';
import { zh } from './zh.ts';

export const LANGUAGES: readonly Words[] = [en, de, fr, es, it, nl, pt, pl, sv, ru, ja, zh];
