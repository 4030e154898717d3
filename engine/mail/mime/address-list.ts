import { normaliseAddress } from './address.ts';
import type { HeaderBlock } from './headers.ts';
import type { FromHeader, Mailbox } from './types.ts';
import { headerText } from './words.ts';

const MAX_HEADER = 65_536;
const MAX_MAILBOXES = 500;

export interface AddressList {
  readonly mailboxes: readonly Mailbox[];
  /** True only for a plain list of mailboxes that every reader would understand alike. */
  readonly clean: boolean;
}

interface Token {
  readonly kind: 'text' | 'quoted' | 'angle' | 'comma' | 'colon' | 'semicolon' | 'broken';
  readonly text: string;
}

/**
 * Reads an address header (RFC 5322 section 3.4) in one pass. Members of groups are listed, but a group, a route,
 * an encoded word in an address, two addresses in one entry or anything left over makes the list unclean: those are
 * the places where two readers see two senders.
 */
export function parseAddressList(header: string): AddressList {
  const mailboxes: Mailbox[] = [];
  let clean = header.length <= MAX_HEADER;
  let entry: Token[] = [];
  for (const token of [...tokens(header.slice(0, MAX_HEADER)), { kind: 'comma', text: ',' } as const]) {
    if (token.kind === 'colon') {
      // What stood before is the name of a group.
      clean = false;
      entry = [];
    } else if (token.kind === 'comma' || token.kind === 'semicolon') {
      if (token.kind === 'semicolon') clean = false;
      const read = readEntry(entry);
      if (read?.mailbox && mailboxes.length < MAX_MAILBOXES) mailboxes.push(read.mailbox);
      clean &&= read?.clean ?? true;
      entry = [];
    } else {
      entry.push(token);
    }
  }
  return { mailboxes, clean: clean && mailboxes.length < MAX_MAILBOXES };
}

function readEntry(entry: readonly Token[]): { mailbox: Mailbox | null; clean: boolean } | null {
  if (entry.length === 0) return null;
  const angles = entry.filter((token) => token.kind === 'angle');
  const words = entry.filter((token) => token.kind !== 'angle');
  const tidy = angles.length <= 1 && !entry.some((token) => token.kind === 'broken');
  if (angles.length === 0) {
    const address = bareAddress(entry);
    return { mailbox: address ? { address, name: '' } : null, clean: tidy && address !== null };
  }
  const inside = angles.at(-1)?.text.trim() ?? '';
  const route = inside.startsWith('@') ? inside.slice(inside.indexOf(':') + 1) : inside;
  const address = route.includes('=?') ? null : normaliseAddress(route);
  const name = headerText(words.map((token) => token.text).join(' '), 200);
  const clean =
    tidy && address !== null && route === inside && entry.at(-1)?.kind === 'angle' && sameIfAddress(words, address);
  return { mailbox: address ? { address, name } : null, clean };
}

/** `a@example.com <a@example.com>` is common; with two different addresses readers disagree about the sender. */
function sameIfAddress(words: readonly Token[], address: string): boolean {
  const bare = words.filter((token) => token.kind === 'text').map((token) => token.text);
  return bare.every((text) => !text.includes('@') || normaliseAddress(text)?.toLowerCase() === address.toLowerCase());
}

/** One word, or a quoted local part and its domain; gluing more together would invent an address (`x a@b.test`). */
function bareAddress(entry: readonly Token[]): string | null {
  const [first, second] = entry;
  const written = first?.kind === 'quoted' ? requote(first.text) + (second?.text ?? '') : (first?.text ?? '');
  const whole = entry.length === (first?.kind === 'quoted' ? 2 : 1);
  return whole && !written.includes('=?') ? normaliseAddress(written) : null;
}

const requote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

function* tokens(header: string): Generator<Token> {
  let position = 0;
  while (position < header.length) {
    const { token, next } = readToken(header, position);
    if (token) yield token;
    position = next;
  }
}

function readToken(header: string, position: number): { token: Token | null; next: number } {
  const character = header[position] ?? '';
  if (character === '"') return delimited(header, 'quoted', quotedString(header, position + 1));
  if (character === '<') return delimited(header, 'angle', angle(header, position + 1));
  if (character === '(') {
    const next = skipComment(header, position);
    return { token: next > header.length ? { kind: 'broken', text: '' } : null, next };
  }
  const kind = PUNCTUATION[character];
  if (kind) return { token: { kind, text: character }, next: position + 1 };
  if (/\s/.test(character)) return { token: null, next: position + 1 };
  PLAIN.lastIndex = position;
  const text = PLAIN.exec(header)?.[0] ?? character;
  return { token: { kind: 'text', text }, next: position + text.length };
}

function delimited(header: string, kind: 'quoted' | 'angle', { text, next }: { text: string; next: number }) {
  return { token: { kind: next > header.length ? 'broken' : kind, text } as const, next };
}

const PLAIN = /[^\s"(<>,:;)]+/y;

const PUNCTUATION: Readonly<Record<string, Token['kind']>> = {
  ',': 'comma',
  ':': 'colon',
  ';': 'semicolon',
  '>': 'broken',
  ')': 'broken',
};

/** Each reader answers with where to go on; past the end means that its closing sign is missing. */
function quotedString(header: string, start: number): { text: string; next: number } {
  let text = '';
  let position = start;
  while (position < header.length && header[position] !== '"') {
    if (header[position] === '\\') position += 1;
    text += header[position] ?? '';
    position += 1;
  }
  return { text, next: position + (position < header.length ? 1 : 2) };
}

function angle(header: string, start: number): { text: string; next: number } {
  let position = start;
  let quoted = false;
  while (position < header.length && (quoted || header[position] !== '>')) {
    if (header[position] === '\\' && quoted) position += 1;
    else if (header[position] === '"') quoted = !quoted;
    position += 1;
  }
  return { text: header.slice(start, position), next: position + (position < header.length ? 1 : 2) };
}

function skipComment(header: string, start: number): number {
  let depth = 0;
  for (let position = start; position < header.length; position += 1) {
    const character = header[position];
    if (character === '\\') position += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return header.length + 1;
}

/** Whom From names: exactly one header with exactly one mailbox, else nobody (RFC 5322 section 3.6.2, RFC 6854). */
export function readFrom(block: HeaderBlock): FromHeader {
  const headers = block.lines.filter((line) => line.name === 'from');
  if (headers.length === 0) return { kind: block.hiddenFrom ? 'ambiguous' : 'missing' };
  if (headers.length > 1 || block.hiddenFrom) return { kind: 'ambiguous' };
  const value = headers[0]?.value ?? '';
  if (value === '') return { kind: 'missing' };
  const { mailboxes, clean } = parseAddressList(value);
  const mailbox = mailboxes[0];
  return clean && mailbox && mailboxes.length === 1 ? { kind: 'one', mailbox } : { kind: 'ambiguous' };
}
