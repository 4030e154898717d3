import { createHash } from 'node:crypto';
import { normaliseDomain } from '../../mime/address.ts';
import { type HeaderLine, headerValues } from '../../mime/headers.ts';

/** What a DKIM-Signature header says of itself (RFC 6376 section 3.5). Whether it holds is another question. */
export interface SignatureTags {
  /** In lower-case punycode. */
  readonly domain: string;
  /** In lower case. */
  readonly selector: string;
  /** `b=` without blanks. */
  readonly value: string;
  /** SHA-256 of the signature's bytes: blanks may change on the way, these may not. */
  readonly sha256: string;
  /** Lower-case names in `h=`. */
  readonly covers: readonly string[];
  /** `t=` in ms; null without one. */
  readonly signedAt: number | null;
  /** `l=` may leave a part of the body out. */
  readonly partial: boolean;
  /** Every verifier reads it as it is read here. */
  readonly isPlain: boolean;
  /** A border that writes its tags out may write more than one word of them; one that is long, or says a thing twice, hides that. */
  readonly isHostile: boolean;
}

const MAX_NAMES = 100;
const MAX_TAGS = 50;
/** Of a longer header the end was cut off. */
const MAX_CHARS = 8000;

export function readSignatures(headers: readonly HeaderLine[]): SignatureTags[] {
  return headerValues(headers, 'dkim-signature').map(readTags);
}

function readTags(header: string): SignatureTags {
  const parts = header.split(';');
  const pieces = parts.filter((piece) => piece.trim() !== '');
  const tags = new Map<string, string>();
  // Of a tag that stands there twice a border may write either.
  const written: string[] = [];
  for (const piece of pieces) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim();
    const value = piece.slice(equals + 1).trim();
    if (name !== '' && !tags.has(name)) tags.set(name, value);
    if (WRITTEN_OUT.includes(name.toLowerCase())) written.push(value);
  }
  const value = (tags.get('b') ?? '').replace(/[ \t]+/g, '');
  const signed = tags.get('t') ?? '';
  const domain = normaliseDomain(tags.get('d') ?? '');
  const isPlain =
    header.length < MAX_CHARS &&
    parts.length <= MAX_TAGS + 1 &&
    tags.size === pieces.length &&
    // Of letters in another case some readers make the same tag.
    [...tags.keys()].every((name) => /^[a-z][a-z0-9_]{0,40}$/.test(name)) &&
    /^[ -~\t\p{L}\p{N}\p{M}]*$/u.test(header) &&
    /^[ -~\t]*$/.test(tags.get('h') ?? '') &&
    domain !== null &&
    SELECTOR.test(tags.get('s') ?? '') &&
    BASE64.test(value);
  return {
    domain: domain ?? '',
    selector: (tags.get('s') ?? '').toLowerCase(),
    value,
    sha256: createHash('sha256').update(Buffer.from(value, 'base64')).digest('hex'),
    covers: (tags.get('h') ?? '')
      .split(':', MAX_NAMES)
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    signedAt: /^\d{1,12}$/.test(signed) ? Number(signed) * 1000 : null,
    partial: tags.has('l'),
    isPlain,
    isHostile:
      header.length >= MAX_CHARS ||
      parts.length > MAX_TAGS + 1 ||
      new Set(pieces.map(nameOf)).size < pieces.length ||
      written.some((tag) => ENDING.test(decoded(tag))),
  };
}

const nameOf = (piece: string): string =>
  piece
    .slice(0, Math.max(piece.indexOf('='), 0))
    .trim()
    .toLowerCase();

const SELECTOR = /^[\p{L}\p{N}\p{M}._-]{1,253}$/u;
const BASE64 = /^[A-Za-z0-9+/]{1,4000}={0,2}$/;

/** The tags that borders name a signature by, and what a word of theirs must not hold. */
const WRITTEN_OUT = ['d', 's', 'i', 'a'];
const ENDING = /["();\\\s]/;

/** `i=` may spell signs as `=3B`; a border writes what they mean. */
const decoded = (tag: string): string =>
  tag.replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
