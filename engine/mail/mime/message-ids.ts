import { lowerAscii } from './address.ts';
import type { ParsedMail } from './types.ts';
import { decodeWords } from './words.ts';

// mailparser leaves `<a><b>` glued together and invents `<garbage>`; replies are matched by these, so read them here.
const BRACKETED = /<([^<>]{1,990})>/g;
const BARE = /^[^<>\s@"()]{1,500}@[^<>\s@"()]{1,480}$/;
const MAX_IDS = 100;
/** As HTML and URLs spell brackets. */
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['%3c', '<'],
  ['%3e', '>'],
  ['%40', '@'],
]);

/**
 * Message-IDs with angle brackets, in order, without repeats; the first and the newest when there are too many. Also where
 * a program has folded one in its middle, encoded it like a subject, escaped its brackets or left them out: an answer
 * whose reference is not read begins a conversation of its own.
 */
export function messageIds(values: readonly string[]): string[] {
  const unique = [...new Set(values.flatMap((value) => idsIn(decodeWords(value.slice(0, 131_072)))))];
  return unique.length > MAX_IDS ? [...unique.slice(0, 1), ...unique.slice(-(MAX_IDS - 1))] : unique;
}

function idsIn(value: string): string[] {
  const written = value.includes('<') ? value : value.replace(/&[lg]t;|%3[ce]|%40/gi, unescaped);
  const bracketed = [...written.matchAll(BRACKETED)].map(([, id = '']) => id);
  const whole = bracketed.filter((id) => !/\s/.test(id));
  // What was folded is put together only where nothing else stands: elsewhere that would invent ids.
  const found = whole.length > 0 ? whole : bracketed.flatMap((id) => withoutFolds(id) ?? []);
  if (found.length > 0) return found.map((id) => `<${id}>`);
  // Beside words it may be the address of whoever wrote the mail that is answered (RFC 822 section 4.6.2).
  const words = written.split(/[\s,;]+/).filter((word) => word !== '');
  const bare = words.map((word) => word.replace(/^["']|["']$/g, ''));
  return bare.every((word) => BARE.test(word)) ? bare.map((word) => `<${word}>`) : [];
}

const unescaped = (sign: string): string => ESCAPED.get(sign.toLowerCase()) ?? sign;

/** Null where the blanks stand between two ids. */
function withoutFolds(id: string): string | null {
  const whole = id.replace(/\s+/g, '');
  return whole === '' || whole.split('@').length > 2 ? null : whole;
}

/**
 * Whether its header names another mail, also where no id can be read in it, or where nobody signed it: it is an answer all
 * the same, and its subject and the lines below an attribution are somebody else's.
 */
export const namesAnotherMail = (headers: readonly { readonly name: string; readonly value: string }[]): boolean =>
  headers.some(({ name, value }) => (name === 'in-reply-to' || name === 'references') && value.trim() !== '');

/** The mail's own id, read like any other; null when there is none. */
export const ownMessageId = (value: string | null): string | null =>
  value === null ? null : (messageIds([value])[0] ?? null);

/** As it is stored: models leave the brackets of a Message-ID out. */
export const bracketed = (messageId: string): string => `<${messageId.trim().replace(/^<|>$/g, '')}>`;

type Named = Pick<ParsedMail, 'messageId' | 'inReplyTo' | 'references'>;

const MAX_ID = 255;

const NEAREST = 9;

/** What a mail names that others of its conversation name as well: its beginning, and what it answers. Pure. */
export function namesOf({ messageId, inReplyTo, references }: Named): string[] {
  const [root, ...rest] = references;
  const nearest = [...inReplyTo, ...rest.toReversed()].slice(0, NEAREST);
  const ids = new Set([...nearest, ...(root === undefined ? [] : [root])]);
  return [...ids].filter((id) => id !== messageId && id.length <= MAX_ID);
}

/** By what its conversation may be known: itself as well, since a mail may come after those that answer it. Pure. */
export const ancestorsOf = (mail: Named): string[] => [
  ...new Set([...namesOf(mail), mail.messageId].map(lowerAscii).filter((id) => id.length <= MAX_ID)),
];
