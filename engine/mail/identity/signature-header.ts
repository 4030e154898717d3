import { createHash } from 'node:crypto';
import { type HeaderLine, headerValues } from '../mime/headers.ts';

/** What a DKIM-Signature header says of itself (RFC 6376 section 3.5). Whether it holds is another question. */
export interface SignatureTags {
  /** In lower case. */
  readonly domain: string;
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
}

const MAX_NAMES = 100;

export function readSignatures(headers: readonly HeaderLine[]): SignatureTags[] {
  return headerValues(headers, 'dkim-signature').map(readTags);
}

function readTags(header: string): SignatureTags {
  const tags = new Map<string, string>();
  for (const piece of header.split(';', 50)) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim();
    if (name !== '' && !tags.has(name)) tags.set(name, piece.slice(equals + 1).trim());
  }
  const value = (tags.get('b') ?? '').replace(/\s+/g, '');
  const signed = tags.get('t') ?? '';
  return {
    domain: (tags.get('d') ?? '').toLowerCase(),
    selector: (tags.get('s') ?? '').toLowerCase(),
    value,
    sha256: createHash('sha256').update(Buffer.from(value, 'base64')).digest('hex'),
    covers: (tags.get('h') ?? '')
      .split(':', MAX_NAMES)
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    signedAt: /^\d{1,12}$/.test(signed) ? Number(signed) * 1000 : null,
    partial: tags.has('l'),
  };
}
