import type { Json } from '../json.ts';

/** Deeper than any tool's schema; JSON.stringify and schema checks recurse and would overflow the stack. */
const MAX_DEPTH = 64;

/** A call's arguments; `undefined` when the text is not JSON or nests too deep. No text at all means none. */
export function parseArguments(text: string): Json | undefined {
  if (text.trim() === '') return {};
  if (depthOf(text) > MAX_DEPTH) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export const isJsonText = (text: string): boolean => text.trim() !== '' && parseArguments(text) !== undefined;

/** Nesting of brackets outside strings: one pass and no recursion, whatever the text is. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted && character === '\\') at++;
    else if (!quoted && (character === '{' || character === '[')) deepest = Math.max(deepest, ++depth);
    else if (!quoted && (character === '}' || character === ']')) depth--;
  }
  return deepest;
}

/** The object that a body holds which is called something else than JSON; any other body as it is. */
export function jsonIn(body: unknown): unknown {
  if (typeof body !== 'string' || !/^\uFEFF?\s*\{/.test(body)) return body;
  return parseArguments(body.replace(/^\uFEFF/, '')) ?? body;
}
