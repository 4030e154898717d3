import type { Persona } from '../config/types.ts';
import { clearLanguage, type Language } from './language.ts';

/** What is on record of an owner's own mails, the newest first. */
interface Mails {
  wordsOfOwner(address: string, limit: number): Promise<readonly string[]>;
}

/** Readers of one mail: owners who are written to in one language. */
export interface ReadersOf {
  readonly language: Language;
  readonly to: readonly string[];
}

/** Words of an owner that a mail is about. */
interface OwnWords {
  /** Whose language they show, before earlier mails do. Null: of an owner, and it is not known of which; earlier mails count first. */
  readonly sender: string | null;
  readonly text: string;
}

/** What an owner has written of what a run is about; null where that is another's. The words of a task are one of theirs. */
export function ownWordsIn({ run, message }: About): OwnWords | null {
  if (!message) return null;
  if (run.kind === 'task') return { sender: null, text: message.new_text };
  return run.tier === 'owner' && run.sender !== null ? { sender: run.sender, text: message.new_text } : null;
}

interface About {
  readonly run: { readonly kind: string; readonly tier: string; readonly sender: string | null };
  readonly message: { readonly new_text: string } | undefined;
}

/** So many of an owner's newest mails tell what they write in. */
const NEWEST = 10;

/**
 * Readers by the language that each is written to in, in the order of the readers: the one that a file names, else that of
 * their own mails to this persona, else the persona's.
 */
export async function byLanguage(
  mails: Mails,
  persona: Pick<Persona, 'language' | 'ownerLanguages'>,
  readers: readonly string[],
  own: OwnWords | null = null,
): Promise<readonly ReadersOf[]> {
  const found: { readonly language: Language; readonly reader: string }[] = [];
  for (const reader of readers) found.push({ reader, language: await languageOfOwner(mails, persona, reader, own) });
  return [...Map.groupBy(found, ({ language }) => language)].map(([language, of]) => ({
    language,
    to: of.map(({ reader }) => reader),
  }));
}

/** The same of one reader. */
export async function languageOfOwner(
  mails: Mails,
  persona: Pick<Persona, 'language' | 'ownerLanguages'>,
  reader: string,
  own: OwnWords | null = null,
): Promise<Language> {
  const address = reader.toLowerCase();
  const named = persona.ownerLanguages?.[address];
  if (named !== undefined) return named;
  const isTheirs = own?.sender?.toLowerCase() === address;
  const here = own !== null && (isTheirs || own.sender === null) ? clearLanguage(own.text) : null;
  if (isTheirs && here !== null) return here;
  return mostUsed(await mails.wordsOfOwner(reader, NEWEST)) ?? here ?? persona.language;
}

/**
 * What people are written to in of whom nothing is set: the language of their own mails to this persona, where all of whom it
 * is known have the same; else that of what is written to them; else `otherwise`.
 */
export async function languageOfPeople(
  mails: { wordsOfPerson(address: string, limit: number): Promise<readonly string[]> },
  { to, words, otherwise }: { readonly to: readonly string[]; readonly words: string; readonly otherwise: Language },
): Promise<Language> {
  const found = new Set<Language>();
  for (const address of to) {
    const language = mostUsed(await mails.wordsOfPerson(address, NEWEST));
    if (language !== null) found.add(language);
  }
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? only : (clearLanguage(words) ?? otherwise);
}

/** Pure. The language of most of these texts; of two as frequent ones that of the newer text. Null where none is clear. */
function mostUsed(newestFirst: readonly string[]): Language | null {
  const counts = new Map<Language, number>();
  for (const text of newestFirst) {
    const language = clearLanguage(text);
    if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}

/** In which an owner hears of an answer of theirs: `said`, the language of that answer, only where nothing else tells. */
export const languageOfAnswerer = (
  mails: Mails,
  persona: Pick<Persona, 'ownerLanguages'>,
  { to, said }: { readonly to: string; readonly said: Language },
): Promise<Language> => languageOfOwner(mails, { ...persona, language: said }, to);
