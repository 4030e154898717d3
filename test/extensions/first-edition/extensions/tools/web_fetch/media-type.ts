import { TextDecoder } from 'node:util';

export type TextKind = 'html' | 'text';

/** What can be read as text; null for the rest, and where the server does not say. */
export function kindOf(contentType: string): TextKind | null {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type.startsWith('text/') || type === 'application/json' || type === 'application/xml') return 'text';
  return /^application\/[\w.-]+\+(json|xml)$/.test(type) ? 'text' : null;
}

/** Decodes by the header's charset, else by the page's own, else as UTF-8; wrong bytes become replacement marks. */
export function decodeText(body: Uint8Array, contentType: string, kind: TextKind): string {
  const label = charsetIn(contentType) ?? (kind === 'html' ? charsetIn(headOf(body)) : undefined) ?? 'utf-8';
  return decoderFor(label).decode(body);
}

/** `<meta charset=…>` has to stand in the first 1024 bytes (HTML Living Standard, 4.2.5.4). */
const headOf = (body: Uint8Array) => Buffer.from(body.subarray(0, 1024)).toString('latin1');

const charsetIn = (text: string) => /charset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(text)?.[1];

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
