import { type Language, languageOf } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import type { Block } from '../../mail/compose/compose.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import { ASKED } from '../../suspensions/kinds.ts';
import { unmistakable } from './unmistakable.ts';

// What several mails about held calls have in common.

const MAX_VALUE_CHARS = 4000;

export const textOfArgument = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const isLong = (text: string, most = MAX_VALUE_CHARS): boolean => text.length > most;

/** How the items of one notice are answered, which are of one kind. */
export const howToAnswer = (items: readonly Asked[], language: Language = 'en'): string =>
  ASKED[items[0]?.kind ?? 'call'].how(language, items.length !== 1, editLineOf(items, language));

type Asked = Pick<Approval, 'kind' | 'arguments_json'>;

/**
 * Pure. A line that changes something of the first item: its subject where it has one, else the longest argument that
 * fits into a line, which people are likely to change; a subject means nothing to a task or a file.
 */
export function editLineOf([first]: readonly Pick<Asked, 'arguments_json'>[], language: Language): string {
  const args = Object.entries(first ? argumentsOf(first) : {});
  if (args.length === 0 || args.some(([key]) => key === 'subject')) return say(language, 'mails.editLine');
  const lengthIn = (value: unknown) =>
    typeof value === 'string' && value.length <= 200 && !value.includes('\n') ? value.length : -1;
  const [key] = args.toSorted(([, one], [, other]) => lengthIn(other) - lengthIn(one))[0] ?? [];
  return `${inLine(key ?? '', 60)}: …`;
}

/** Some text in a frame; of a long one the beginning, and where the whole of it is. */
export function boxOf(
  box: { readonly label: string | null; readonly text: string; readonly code: boolean; readonly most?: number },
  enclosedAs: string | null,
  language: Language,
): Block {
  const { label, text, code, most = MAX_VALUE_CHARS } = box;
  if (!isLong(text, most)) return { kind: 'box', label, text: visible(text), code };
  // Not between the halves of one character.
  const beginning = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  const characters = text.length;
  const said =
    enclosedAs === null
      ? say(language, 'mails.beginning', { characters })
      : say(language, 'mails.beginningEnclosed', { characters, file: enclosedAs });
  const labelled = label === null ? said : `${label} (${said})`;
  return { kind: 'box', label: labelled, text: visible(`${beginning} …`), code };
}

/** Characters that are not seen, or that turn the text around them, could show another address than the one meant. */
export const visible = (text: string): string =>
  unmistakable(text).replace(
    // The two variation selectors only choose between a coloured and a plain picture, and stand in half of all emoji.
    /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu,
    (character) => `<U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`,
  );

/** Words of others inside a sentence of ours: one line, and no longer than it may be. */
export function inLine(text: string, most: number): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > most ? `${line.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** In which language owners are written to: that of the mail it is about, where one of us wrote it. */
export const languageFor = (
  about: { readonly tier: string; readonly text: string } | null,
  fallback: Language,
): Language =>
  about !== null && (about.tier === 'owner' || about.tier === 'member') ? languageOf([about.text], fallback) : fallback;
